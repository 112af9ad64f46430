#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <nlohmann/json.hpp>

#include "cli/command.h"
#include "cli/resources.h"

namespace tilescope {
namespace {

nlohmann::json json_of(const CatalogueEntry& entry) {
  nlohmann::json parameters = nlohmann::json::array();
  for (const ParameterSpec& parameter : entry.parameters) {
    parameters.push_back({{"name", parameter.name},
                          {"default", parameter.default_value},
                          {"values", parameter.values},
                          {"unit", parameter.unit},
                          {"meaning", parameter.meaning}});
  }
  nlohmann::json rules = nlohmann::json::array();
  for (const RuleSpec& rule : entry.rules) rules.push_back({{"message", rule.message}});
  return {{"id", entry.id},         {"title", entry.title},
          {"family", entry.family}, {"idea", entry.idea},
          {"seeds", entry.seeds},   {"parameters", parameters},
          {"rules", rules},         {"default_size", entry.default_extents}};
}

void print_entry(const CatalogueEntry& entry) {
  fmt::print("{:<22} {}\n", entry.id, entry.title);
  fmt::print("    {}\n", entry.idea);
  for (const ParameterSpec& parameter : entry.parameters) {
    fmt::print("    {:<12} {:>4}   {}; {}\n", parameter.name, parameter.default_value,
               fmt::join(parameter.values, " "), parameter.meaning);
  }
  for (const RuleSpec& rule : entry.rules) fmt::print("    rule: {}\n", rule.message);
  fmt::print("\n");
}

int list(bool json) {
  auto resources = load_resources();
  if (!resources) return report(resources.error());
  if (!json) {
    for (const CatalogueEntry& entry : resources->catalogue.entries) print_entry(entry);
    fmt::print("Try one: tilescope trace {} --size 256\n", resources->catalogue.entries.front().id);
    return 0;
  }
  nlohmann::json kernels = nlohmann::json::array();
  for (const CatalogueEntry& entry : resources->catalogue.entries)
    kernels.push_back(json_of(entry));
  fmt::print("{}\n", nlohmann::json{{"kernels", kernels}}.dump(2));
  return 0;
}

}  // namespace

void add_list_command(CLI::App& app, CommandContext& context) {
  auto json = std::make_shared<bool>(false);
  CLI::App* command = app.add_subcommand("list", "kernels, their parameters, defaults and rules");
  command->add_flag("--json", *json, "for programs");
  command->callback([json, &context] { context.status = list(*json); });
}

}  // namespace tilescope
