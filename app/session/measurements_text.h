#pragma once

#include <nlohmann/json.hpp>

#include "core/json_document.h"
#include "session/measurements.h"

namespace tilescope {

// The field `measured` of a session file, and back; every number comes back as it was.
[[nodiscard]] nlohmann::ordered_json json_of(const Measurements& measured);
// Mistakes are kept in the JSON document. Limits of the device's kind are those of `devices`.
[[nodiscard]] Measurements read_measurements(const JsonDocument::Node& node,
                                             const std::vector<DeviceModel>& devices);

}  // namespace tilescope
