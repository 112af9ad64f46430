#pragma once
#include <string>
#include <vector>

namespace tilescope {

class CommandOptions;

// The commands and options of the program, from which the shells' completion and the manual page
// are made.
struct OptionDescription {
  std::vector<std::string> names;  // "-p", "--parameter"; one without dashes: a positional argument
  std::string value;               // "TEXT"; empty: the option takes none
  std::vector<std::string> words;  // values to offer; none: files
  std::string text;
  std::string heading;  // of the options that it is one of; empty: none

  [[nodiscard]] bool is_positional() const { return names.front().front() != '-'; }
};

struct CommandDescription {
  std::string name;
  std::string text;
  std::string ending;  // what --help says last
  std::vector<OptionDescription> options;
  std::vector<CommandDescription> commands;
};

// `kernels` are the ids of the catalogue, which a shell offers where a kernel is asked for.
[[nodiscard]] CommandDescription describe(CommandOptions program,
                                          const std::vector<std::string>& kernels);

}  // namespace tilescope
