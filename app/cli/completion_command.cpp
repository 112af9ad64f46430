#include "cli/completion_command.h"

#include <memory>
#include <string>
#include <vector>

#include "cli/command.h"
#include "cli/manual_page.h"
#include "cli/parser/command_description.h"
#include "cli/parser/command_line.h"
#include "cli/shell_completion.h"

namespace tilescope {
namespace {

int print_completion(const std::string& shell, CommandOptions app) {
  auto resources = load_resources();
  if (!resources) return report(resources.error());
  std::vector<std::string> kernels;
  for (const CatalogueEntry& entry : resources->catalogue.entries) kernels.push_back(entry.id);
  const CommandDescription program = describe(app, kernels);
  if (shell == "bash") {
    print_out("{}", bash_completion(program));
  } else if (shell == "zsh") {
    print_out("{}", zsh_completion(program));
  } else if (shell == "fish") {
    print_out("{}", fish_completion(program));
  } else if (shell == "man") {
    print_out("{}", manual_page(program));
  } else {
    return report(usage("there is no shell '" + shell + "'", "It is one of bash, zsh, fish, man"));
  }
  return 0;
}

}  // namespace

void add_completion_command(CommandOptions app, CommandContext& context) {
  auto shell = std::make_shared<std::string>();
  CommandOptions command = app.add_subcommand(
      "completion", "a script with which your shell completes commands, or the manual page");
  command.add_option("shell", *shell, "bash, zsh, fish or man").required();
  command.callback([shell, app, &context] { context.status = print_completion(*shell, app); });
}

}  // namespace tilescope
