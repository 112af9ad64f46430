#include "cli/shell_completion.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <map>
#include <string_view>
#include <vector>

#include "core/text.h"

namespace tilescope {
namespace {

// With each character of `special` behind a backslash.
std::string escaped(std::string_view text, std::string_view special) {
  std::string result;
  for (const char each : text) {
    if (special.find(each) != std::string_view::npos) result += '\\';
    result += each;
  }
  return result;
}

// A description that a shell shows beside a word: its first part.
std::string short_text(std::string_view text) {
  return std::string(text.substr(0, text.find(';')));
}

std::vector<std::string> option_names(const CommandDescription& command) {
  std::vector<std::string> names;
  for (const OptionDescription& option : command.options) {
    if (option.is_positional()) continue;
    names.insert(names.end(), option.names.begin(), option.names.end());
  }
  return names;
}

// Words that are no options: commands, and values of positional arguments.
std::vector<std::string> first_words(const CommandDescription& command) {
  std::vector<std::string> words;
  for (const CommandDescription& each : command.commands) words.push_back(each.name);
  for (const OptionDescription& option : command.options) {
    if (option.is_positional()) words.insert(words.end(), option.words.begin(), option.words.end());
  }
  return words;
}

// The options of the program and of all its commands whose values are known, with these.
std::map<std::string, std::vector<std::string>> known_values(const CommandDescription& command) {
  std::map<std::string, std::vector<std::string>> values;
  for (const OptionDescription& option : command.options) {
    if (option.is_positional() || option.words.empty()) continue;
    for (const std::string& name : option.names) values[name] = option.words;
  }
  for (const CommandDescription& each : command.commands) values.merge(known_values(each));
  return values;
}

}  // namespace

std::string bash_completion(const CommandDescription& program) {
  std::string script = fmt::format(
      "# Completes tilescope's commands in bash; written by `tilescope completion bash`.\n"
      "_tilescope() {{\n"
      "  local word=${{COMP_WORDS[COMP_CWORD]}} before=${{COMP_WORDS[COMP_CWORD-1]}}\n"
      "  local command= words= options= each\n"
      "  for each in \"${{COMP_WORDS[@]:1:COMP_CWORD-1}}\"; do\n"
      "    case $each in\n");
  std::vector<std::string> names;
  for (const CommandDescription& each : program.commands) names.push_back(each.name);
  script += fmt::format("      {}) command=$each; break ;;\n", fmt::join(names, "|"));
  script += "    esac\n  done\n  case $command in\n";
  const auto add_case = [&script](const std::string& name, const CommandDescription& command) {
    script += fmt::format("    {}) words={} options={} ;;\n", name,
                          shell_quoted(fmt::format("{}", fmt::join(first_words(command), " "))),
                          shell_quoted(fmt::format("{}", fmt::join(option_names(command), " "))));
  };
  add_case("''", program);
  for (const CommandDescription& each : program.commands) add_case(each.name, each);
  script += "  esac\n  case $before in\n";
  for (const auto& [name, words] : known_values(program)) {
    script += fmt::format("    {}) words={} ;;\n", name,
                          shell_quoted(fmt::format("{}", fmt::join(words, " "))));
  }
  script +=
      "  esac\n"
      "  if [[ $word == -* ]]; then words=$options; fi\n"
      "  COMPREPLY=($(compgen -W \"$words\" -- \"$word\"))\n"
      "}\n"
      "complete -o bashdefault -o default -F _tilescope tilescope\n";
  return script;
}

namespace {

// An argument of zsh's _arguments.
std::string zsh_argument(const OptionDescription& option) {
  const std::string text = escaped(short_text(option.text), "[]:\\");
  std::string action =
      option.words.empty() ? "_files" : fmt::format("({})", fmt::join(option.words, " "));
  if (option.is_positional()) {
    if (!option.words.empty()) {
      action = fmt::format("_alternative \"words:{0}:({1})\" \"files:file:_files\"",
                           option.names.front(), fmt::join(option.words, " "));
    }
    return shell_quoted(fmt::format("*:{}: {}", option.names.front(), action));
  }
  const std::string value =
      option.value.empty() ? "" : fmt::format(":{}:{}", escaped(option.value, ":"), action);
  if (option.names.size() == 1)
    return shell_quoted(option.names.front() + "[" + text + "]" + value);
  return fmt::format("{{{}}}{}", fmt::join(option.names, ","),
                     shell_quoted("[" + text + "]" + value));
}

std::string zsh_arguments(const CommandDescription& command, std::string_view indent) {
  std::string lines;
  for (const OptionDescription& option : command.options) {
    lines += fmt::format(" \\\n{}{}", indent, zsh_argument(option));
  }
  return lines;
}

}  // namespace

std::string zsh_completion(const CommandDescription& program) {
  std::string script =
      "#compdef tilescope\n"
      "# Completes tilescope's commands in zsh; written by `tilescope completion zsh`.\n"
      "_tilescope() {\n"
      "  local -a commands\n"
      "  commands=(\n";
  for (const CommandDescription& each : program.commands) {
    script += fmt::format("    {}\n", shell_quoted(each.name + ":" + escaped(each.text, ":\\")));
  }
  script += "  )\n  local command=${words[(r)(";
  for (std::size_t i = 0; i < program.commands.size(); ++i) {
    script += (i == 0 ? "" : "|") + program.commands[i].name;
  }
  script +=
      ")]}\n"
      "  if [[ -z $command || $command == $words[CURRENT] ]]; then\n"
      "    [[ $PREFIX != -* ]] && _describe command commands\n"
      "    _arguments";
  script += zsh_arguments(program, "      ");
  script += "\n    return\n  fi\n  shift words\n  (( CURRENT-- ))\n  case $command in\n";
  for (const CommandDescription& each : program.commands) {
    script +=
        fmt::format("    {})\n      _arguments{} ;;\n", each.name, zsh_arguments(each, "        "));
  }
  script += "  esac\n}\n_tilescope \"$@\"\n";
  return script;
}

namespace {

std::string fish_lines(const CommandDescription& command, const std::string& condition) {
  std::string lines;
  const auto add = [&](const std::string& what, std::string_view text) {
    lines += fmt::format("complete -c tilescope -n '{}' {} -d '{}'\n", condition, what,
                         escaped(short_text(text), "'\\"));
  };
  for (const CommandDescription& each : command.commands) add("-a " + each.name, each.text);
  for (const OptionDescription& option : command.options) {
    const std::string words = fmt::format("'{}'", fmt::join(option.words, " "));
    if (option.is_positional()) {
      if (!option.words.empty()) add("-a " + words, option.text);
      continue;
    }
    std::string what;
    for (const std::string& name : option.names) {
      what += name.starts_with("--") ? fmt::format("-l {} ", name.substr(2))
                                     : fmt::format("-s {} ", name.substr(1));
    }
    if (!option.value.empty()) what += option.words.empty() ? "-r " : "-x -a " + words + " ";
    what.pop_back();
    add(what, option.text);
  }
  return lines;
}

}  // namespace

std::string fish_completion(const CommandDescription& program) {
  std::string script =
      "# Completes tilescope's commands in fish; written by `tilescope completion fish`.\n";
  script += fish_lines(program, "__fish_use_subcommand");
  for (const CommandDescription& each : program.commands) {
    script += fish_lines(each, "__fish_seen_subcommand_from " + each.name);
  }
  return script;
}

}  // namespace tilescope
