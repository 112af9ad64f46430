#pragma once

#include <string>
#include <string_view>

#include "cli/parser/command_line.h"
#include "core/result.h"

namespace tilescope {

struct ExportArguments;  // cli/export_command.h
struct ExportSubject;    // what is exported, as far as options ask for it

// The exports that an option applies to: `belongs` decides, `to` names them in a message.
struct ExportScope {
  bool (*belongs)(const ExportSubject& subject);
  std::string_view to;
};
struct ScopedOption {
  std::string name;  // "--over"
  ExportScope scope;
};

// Adds the options of `tilescope export`; each that has a scope is in arguments.scoped, too.
void add_export_options(CommandOptions command, ExportArguments& arguments);

// An error that names the first option that was given and means nothing for what is exported:
// --over without --view throughput, --line with --session. Precondition: view and format are known.
[[nodiscard]] Status check_options(const ExportArguments& arguments);

}  // namespace tilescope
