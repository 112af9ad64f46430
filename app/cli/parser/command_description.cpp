#include "cli/parser/command_description.h"

#include <CLI/CLI.hpp>

#include "cli/parser/command_line.h"
#include "scene/views.h"

namespace tilescope {
namespace {

std::vector<std::string> views() {
  std::vector<std::string> names;
  for (const View view : all_views()) names.emplace_back(name_of(view));
  return names;
}

std::vector<std::string> words_for(const std::string& name,
                                   const std::vector<std::string>& kernels) {
  if (name == "kernel") return kernels;
  if (name == "--view") return views();
  if (name == "--theme") return {"dark", "light", "paper"};
  if (name == "--format") return {"svg", "pdf", "png", "html", "csv", "json", "gif", "mp4"};
  if (name == "shell") return {"bash", "zsh", "fish", "man"};
  return {};
}

OptionDescription describe_option(const CLI::Option& option,
                                  const std::vector<std::string>& kernels) {
  OptionDescription described;
  for (const std::string& name : option.get_snames()) described.names.push_back("-" + name);
  for (const std::string& name : option.get_lnames()) described.names.push_back("--" + name);
  if (described.names.empty()) described.names.push_back(option.get_name());
  if (option.get_items_expected_max() > 0) described.value = option.get_type_name();
  described.words = words_for(described.names.back(), kernels);
  described.text = option.get_description();
  return described;
}

CommandDescription describe_app(const CLI::App& app, const std::vector<std::string>& kernels) {
  CommandDescription described{app.get_name(), app.get_description(), app.get_footer(), {}, {}};
  const std::string& usual = app.get_option("--help")->get_group();
  for (const CLI::Option* option : app.get_options()) {
    const std::string& group = option->get_group();
    if (group.empty()) continue;  // hidden
    described.options.push_back(describe_option(*option, kernels));
    if (group != usual) described.options.back().heading = group;
  }
  for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; })) {
    if (!command->get_group().empty())
      described.commands.push_back(describe_app(*command, kernels));
  }
  return described;
}

}  // namespace

CommandDescription describe(CommandOptions program, const std::vector<std::string>& kernels) {
  return describe_app(program.app(), kernels);
}

}  // namespace tilescope
