#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace tilescope {

// The command line: the program's commands and their options. Parsing writes each value straight
// into a variable, which must outlive it. CLI11 does the work, and its names are kept. Its header
// costs each source that reads it seconds of compiling, so that the sources of this folder alone
// do.

// One option of a command. A handle: copies mean the same option. What is said of it returns it, so
// that more can be said.
class CommandOption {
 public:
  explicit CommandOption(CLI::Option* option) : option_(option) {}

  CommandOption required(bool is = true);
  CommandOption excludes(CommandOption other);
  // May be repeated, each time with one value; else it takes every word that follows.
  CommandOption allow_extra_args(bool several);
  CommandOption take_all();
  // The value as it is now stands in the help as the default.
  CommandOption capture_default_str();
  CommandOption group(const std::string& heading);  // of the help
  // Its number is from least to most, both ends in.
  CommandOption between(int least, int most);
  CommandOption between(double least, double most);

  [[nodiscard]] bool is_given() const;

 private:
  CLI::Option* option_;
};

// One command, or the program itself. A handle, too.
class CommandOptions {
 public:
  explicit CommandOptions(CLI::App* app) : app_(app) {}

  CommandOptions add_subcommand(const std::string& name, const std::string& text);
  // `names`: "-o,--output"; without dashes it is a positional argument. `Value`:
  // std::string, a vector of these, int, unsigned, std::uint64_t, float, double, or an optional
  // int, unsigned or double.
  template <typename Value>
  CommandOption add_option(const std::string& names, Value& value, const std::string& text = {});
  // "!--warm": given, the value becomes false.
  CommandOption add_flag(const std::string& names, bool& value, const std::string& text = {});
  // A flag that says what is so without it.
  CommandOption add_flag(const std::string& names, const std::string& text);
  // Called with all its values where it is given, while the line is read.
  CommandOption add_option_function(const std::string& names,
                                    std::function<void(const std::vector<std::string>&)> take,
                                    const std::string& text);
  // Called when the whole line is read and right, where this command was named.
  void callback(std::function<void()> run);
  void require_subcommand(int least, int most);
  void footer(const std::string& text);  // what the help says last
  void hide();                           // not in the help
  void alias(const std::string& name);   // another name of it

  [[nodiscard]] CommandOption option(const std::string& name) const;
  [[nodiscard]] std::vector<std::string> given_options() const;  // "--output"
  [[nodiscard]] bool is_named() const;
  [[nodiscard]] bool has_named_subcommand() const;
  [[nodiscard]] const CLI::App& app() const { return *app_; }

 private:
  CLI::App* app_;
};

// The program's own line.
class CommandLine {
 public:
  CommandLine(const std::string& name, const std::string& text, const std::string& version);
  ~CommandLine();
  CommandLine(const CommandLine&) = delete;
  CommandLine& operator=(const CommandLine&) = delete;

  [[nodiscard]] CommandOptions program() const { return CommandOptions(app_.get()); }
  // Runs the command that was named. The exit status where there is nothing more to do: --help and
  // --version were printed, or a mistake was reported.
  [[nodiscard]] std::optional<int> parse(int argc, char** argv);

 private:
  std::unique_ptr<CLI::App> app_;
};

}  // namespace tilescope
