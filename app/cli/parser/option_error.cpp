#include "cli/parser/option_error.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "cli/command.h"
#include "core/text.h"

namespace tilescope {
namespace {

// The named command, or the program without one.
const CLI::App& command_of(const CLI::App& app) {
  const std::vector<CLI::App*> named = app.get_subcommands();
  return named.empty() ? app : *named.front();
}

// "tilescope trace --help".
std::string help_of(const CLI::App& app) {
  const CLI::App& command = command_of(app);
  return (&command == &app ? app.get_name() : app.get_name() + ' ' + command.get_name()) +
         " --help";
}

// The option that the parser's words begin with; nullptr: none. They are all that it tells of it.
const CLI::Option* option_of(const CLI::App& app, std::string_view words, std::string_view before) {
  if (!words.starts_with(before)) return nullptr;
  words.remove_prefix(before.size());
  const CLI::Option* found = nullptr;
  for (const CLI::App* each : {&command_of(app), &app}) {
    for (const CLI::Option* option : each->get_options()) {
      const std::string name = option->get_name();
      const bool fits = words.starts_with(name) && words.size() > name.size() &&
                        (words[name.size()] == ' ' || words[name.size()] == ':');
      if (fits && found == nullptr) found = option;
    }
  }
  return found;
}

// What an option's type asks for; of words it is the option's own line of the help.
std::string asked_for(const CLI::Option& option) {
  const std::string type = option.get_type_name();
  if (type.starts_with("FLOAT")) return "a number";
  if (type.starts_with("UINT")) return "a whole number from 0";
  return type.starts_with("INT") ? "a whole number" : "a value";
}

// A sentence of the help without its end.
std::string meaning_of(const CLI::Option& option) {
  const std::string words = option.get_description();
  return words.empty() ? std::string() : " (" + words + ")";
}

Error wrong_value(const CLI::Option& option) {
  // Of an option that may be repeated the parser does not say which value it was.
  std::string typed;
  for (const std::string& value : option.results()) typed += ' ' + value;
  return usage(
      fmt::format("{}{} is not {}", option.get_name(), typed, asked_for(option)),
      fmt::format("Write {} after {}{}", asked_for(option), option.get_name(), meaning_of(option)));
}

Error wrong_count(const CLI::Option& option, const CLI::App& app) {
  const std::string name = option.get_name();
  const std::size_t given = option.results().size();
  if (given == 0) {
    return usage(fmt::format("{} has no value", name),
                 fmt::format("Write {} after {}{}", asked_for(option), name, meaning_of(option)));
  }
  return usage(fmt::format("{} is given {} times", name, given), "Give it once: " + help_of(app));
}

// A command that wants one of its own: which there are, and what was typed in its place.
Error missing_command(const CLI::App& app, const CLI::App& command) {
  std::vector<std::string> names;
  for (const CLI::App* each : command.get_subcommands([](const CLI::App*) { return true; })) {
    names.push_back(each->get_name());
  }
  const std::string whole = app.get_name() + ' ' + command.get_name();
  const std::vector<std::string> typed = command.remaining();
  if (typed.empty()) {
    return usage(fmt::format("{} needs one of {}", whole, joined(names)), "See " + help_of(app));
  }
  return usage(fmt::format("{} has no command {}", whole, typed.front()),
               did_you_mean(typed.front(), names));
}

}  // namespace

Error option_error(const CLI::App& app, const CLI::ParseError& problem) {
  const std::string words = problem.what();
  const std::string help = "See " + help_of(app);
  if (const CLI::Option* option = option_of(app, words, "Could not convert: ")) {
    return wrong_value(*option);
  }
  const CLI::Option* option = option_of(app, words, "");
  if (option != nullptr) {
    const std::string name = option->get_name();
    const std::string rest = words.substr(name.size());
    switch (static_cast<CLI::ExitCodes>(problem.get_exit_code())) {
      case CLI::ExitCodes::ValidationError:
        return usage(name + rest.substr(1),
                     "Write " + asked_for(*option) + " after " + name + meaning_of(*option));
      case CLI::ExitCodes::ArgumentMismatch:
        return wrong_count(*option, app);
      case CLI::ExitCodes::RequiredError:
        return usage(name + " is missing", "Give it" + meaning_of(*option) + ": " + help_of(app));
      case CLI::ExitCodes::ExcludesError:
        return usage(words, "Leave one of them out");
      case CLI::ExitCodes::RequiresError:
        return usage(words, "Give both or neither");
      default:
        break;
    }
  }
  const CLI::App& command = command_of(app);
  if (command.get_require_subcommand_min() > 0 && command.get_subcommands().empty()) {
    return missing_command(app, command);
  }
  constexpr std::string_view kUnknown = " not expected: ";
  if (const std::size_t at = words.find(kUnknown); at != std::string::npos) {
    const std::string unknown = words.substr(at + kUnknown.size());
    return usage(unknown + (unknown.starts_with('-') ? ": there is no such option here"
                                                     : ": unexpected argument"),
                 help);
  }
  return usage(words, help);
}

}  // namespace tilescope
