#include "session/point_key_text.h"

#include <limits>

#include "session/read_values.h"

namespace tilescope {

using Json = nlohmann::ordered_json;
using Node = JsonDocument::Node;

Json json_of(const PointKey& key) {
  const auto& [kernel, text, parameters, extents, factors, cold, launch] = key;
  Json json{{"kernel", kernel}, {"text", text}, {"parameters", parameters}, {"size", extents}};
  if (!factors.empty()) json["factors"] = factors;
  if (!launch.empty()) json["launch"] = launch;
  json["l2"] = cold ? "cold" : "warm";
  return json;
}

ParameterSet read_numbers(const Node& node) {
  ParameterSet numbers;
  for (const auto& [name, value] : node.members()) numbers[name] = value.integer();
  return numbers;
}

GemmFactors read_factors(const Node& node) {
  constexpr double kMost = std::numeric_limits<float>::max();
  GemmFactors factors;
  if (!node.exists()) return factors;
  for (const auto& [name, value] : node.members()) {
    read_real(value, factors[name], -kMost, kMost);
  }
  return factors;
}

PointKey read_key(const Node& node) {
  const Node launch = node.find("launch");
  return {read_word(node["kernel"]),
          read_word(node["text"]),
          read_numbers(node["parameters"]),
          read_numbers(node["size"]),
          read_factors(node.find("factors")),
          read_word(node["l2"]) != "warm",
          launch.exists() ? read_word(launch) : std::string()};
}

}  // namespace tilescope
