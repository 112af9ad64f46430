#pragma once
#include <nlohmann/json.hpp>

#include "kernel/json_document.h"
#include "session/measurements.h"

namespace tilescope {

// The fields of an object that say what was measured, and back: kernel, text, parameters, size,
// factors, l2.
[[nodiscard]] nlohmann::ordered_json json_of(const PointKey& key);
[[nodiscard]] PointKey read_key(const JsonDocument::Node& node);

// "STAGES": 3, ...
[[nodiscard]] ParameterSet read_numbers(const JsonDocument::Node& node);
// Where they do not exist, all are 1 and 0.
[[nodiscard]] GemmFactors read_factors(const JsonDocument::Node& node);

}  // namespace tilescope
