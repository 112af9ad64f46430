#pragma once
#include <nlohmann/json.hpp>

#include "kernel/json_document.h"
#include "session/measurements.h"

namespace tilescope {

// Of the field `measured` of a session file what was read beside times: `counters`, `phases` and
// `tuned`, each only where there is any. Mistakes are kept in the JSON document.
void add_readings(const Measurements& measured, nlohmann::ordered_json* json);
void read_readings(const JsonDocument::Node& node, Measurements* measured);

}  // namespace tilescope
