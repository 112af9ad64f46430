#include "ui/state/window_state.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "core/file.h"
#include "kernel/catalogue/parameter_values.h"
#include "kernel/launch/parameter_space.h"

namespace tilescope {

void LegalValues::update(const CatalogueEntry* new_entry, const ParameterSet& new_parameters,
                         const ParameterSet& new_extents, const DeviceModel& device) {
  if (entry == new_entry && parameters == new_parameters && extents == new_extents) return;
  entry = new_entry;
  parameters = new_parameters;
  extents = new_extents;
  legal.clear();
  names.clear();
  if (entry == nullptr) return;
  for (const ParameterSpec& spec : entry->parameters) names.push_back(spec.name);
  Result<RuleBook> rules = RuleBook::make(*entry, extents, device);
  if (!rules.ok()) return;  // the study names what is wrong; no tick is marked meanwhile
  std::vector<std::int64_t> values = values_of(*entry, parameters);
  for (std::size_t i = 0; i < entry->parameters.size(); ++i) {
    const ParameterSpec& spec = entry->parameters[i];
    std::vector<bool>& row = legal[spec.name];
    const std::int64_t present = values[i];
    for (const std::int64_t value : spec.values) {
      values[i] = value;
      row.push_back(rules->legal(values));
    }
    values[i] = present;
  }
}

namespace {

constexpr std::uintmax_t kMostBytes = 1U << 20;

}  // namespace

Remembered load_remembered(const std::filesystem::path& file) {
  Remembered result;
  const nlohmann::json json =
      nlohmann::json::parse(read_file(file, kMostBytes).value_or(std::string()), nullptr, false);
  if (!json.is_object()) return result;
  result.first_start = false;
  const auto theme = json.find("theme");
  if (theme != json.end() && theme->is_string()) {
    result.preferences.theme =
        parse_theme(theme->get<std::string>()).value_or(result.preferences.theme);
  }
  const auto text = json.find("text_scale");
  if (text != json.end() && text->is_number()) {
    result.preferences.text_scale = std::clamp(text->get<float>(), kLeastTextScale, kMostTextScale);
  }
  const auto motion = json.find("reduce_motion");
  if (motion != json.end() && motion->is_boolean()) {
    result.preferences.reduce_motion = motion->get<bool>();
  }
  const auto language = json.find("language");
  if (language != json.end() && language->is_string()) {
    result.preferences.language = language->get<std::string>();
  }
  const auto unit = json.find("rate_unit");
  if (unit != json.end() && unit->is_string()) {
    result.preferences.rate_unit = parse_rate_unit(unit->get<std::string>());
  }
  const auto panels = json.find("panels");
  if (panels != json.end() && panels->is_object()) {
    for (const auto& [name, open] : panels->items()) {
      if (open.is_boolean()) result.panel_open[name] = open.get<bool>();
    }
  }
  const auto lessons = json.find("lessons");
  if (lessons != json.end() && lessons->is_object()) {
    for (const auto& [name, seen] : lessons->items()) {
      if (seen.is_number_integer()) result.lessons[name] = std::max(seen.get<int>(), 0);
    }
  }
  return result;
}

void save_remembered(const std::filesystem::path& file, const Remembered& remembered) {
  nlohmann::json json = {{"theme", name_of(remembered.preferences.theme)},
                         {"text_scale", remembered.preferences.text_scale},
                         {"reduce_motion", remembered.preferences.reduce_motion},
                         {"language", remembered.preferences.language},
                         {"panels", remembered.panel_open},
                         {"lessons", remembered.lessons}};
  if (remembered.preferences.rate_unit) {
    json["rate_unit"] = name_of(*remembered.preferences.rate_unit);
  }
  // A home that cannot be written to costs the memory, nothing else.
  (void)write_own_file(file, json.dump(2) + "\n");
}

}  // namespace tilescope
