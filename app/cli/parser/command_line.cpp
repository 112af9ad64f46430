#include "cli/parser/command_line.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdint>
#include <utility>

#include "cli/command.h"
#include "cli/parser/option_error.h"
#include "cli/parser/program_help.h"

namespace tilescope {
namespace {

template <typename Number>
CLI::Validator range(Number least, Number most) {
  return {[least, most](const std::string& typed) -> std::string {
            Number value{};
            if (!CLI::detail::lexical_cast(typed, value)) return typed + " is not a number";
            if (value >= least && value <= most) return {};
            return fmt::format("{} is outside {} to {}", typed, least, most);
          },
          fmt::format("{} to {}", least, most)};
}

}  // namespace

CommandOption CommandOption::required(bool is) {
  option_->required(is);
  return *this;
}

CommandOption CommandOption::excludes(CommandOption other) {
  option_->excludes(other.option_);
  return *this;
}

CommandOption CommandOption::allow_extra_args(bool several) {
  option_->allow_extra_args(several);
  return *this;
}

CommandOption CommandOption::take_all() {
  option_->take_all();
  return *this;
}

CommandOption CommandOption::capture_default_str() {
  option_->capture_default_str();
  return *this;
}

CommandOption CommandOption::group(const std::string& heading) {
  option_->group(heading);
  return *this;
}

CommandOption CommandOption::between(int least, int most) {
  option_->check(range(least, most));
  return *this;
}

CommandOption CommandOption::between(double least, double most) {
  option_->check(range(least, most));
  return *this;
}

bool CommandOption::is_given() const { return option_->count() > 0; }

CommandOptions CommandOptions::add_subcommand(const std::string& name, const std::string& text) {
  return CommandOptions(app_->add_subcommand(name, text));
}

template <typename Value>
CommandOption CommandOptions::add_option(const std::string& names, Value& value,
                                         const std::string& text) {
  return CommandOption(app_->add_option(names, value, text));
}

template CommandOption CommandOptions::add_option(const std::string&, std::string&,
                                                  const std::string&);
template CommandOption CommandOptions::add_option(const std::string&, std::vector<std::string>&,
                                                  const std::string&);
template CommandOption CommandOptions::add_option(const std::string&, int&, const std::string&);
template CommandOption CommandOptions::add_option(const std::string&, unsigned&,
                                                  const std::string&);
template CommandOption CommandOptions::add_option(const std::string&, std::uint64_t&,
                                                  const std::string&);
template CommandOption CommandOptions::add_option(const std::string&, float&, const std::string&);
template CommandOption CommandOptions::add_option(const std::string&, double&, const std::string&);
template CommandOption CommandOptions::add_option(const std::string&, std::optional<int>&,
                                                  const std::string&);
template CommandOption CommandOptions::add_option(const std::string&, std::optional<unsigned>&,
                                                  const std::string&);
template CommandOption CommandOptions::add_option(const std::string&, std::optional<double>&,
                                                  const std::string&);

CommandOption CommandOptions::add_flag(const std::string& names, bool& value,
                                       const std::string& text) {
  if (!names.starts_with('!')) return CommandOption(app_->add_flag(names, value, text));
  return CommandOption(app_->add_flag_callback(
      names.substr(1), [&value] { value = false; }, text));
}

CommandOption CommandOptions::add_flag(const std::string& names, const std::string& text) {
  return CommandOption(app_->add_flag(names, text));
}

CommandOption CommandOptions::add_option_function(
    const std::string& names, std::function<void(const std::vector<std::string>&)> take,
    const std::string& text) {
  return CommandOption(
      app_->add_option_function<std::vector<std::string>>(names, std::move(take), text));
}

void CommandOptions::callback(std::function<void()> run) { app_->callback(std::move(run)); }

void CommandOptions::require_subcommand(int least, int most) {
  app_->require_subcommand(static_cast<std::size_t>(least), static_cast<std::size_t>(most));
}

void CommandOptions::footer(const std::string& text) { app_->footer(text); }

void CommandOptions::alias(const std::string& name) { app_->alias(name); }

void CommandOptions::hide() { app_->group(""); }

CommandOption CommandOptions::option(const std::string& name) const {
  return CommandOption(app_->get_option(name));
}

std::vector<std::string> CommandOptions::given_options() const {
  std::vector<std::string> names;
  for (const CLI::Option* option : app_->get_options()) {
    if (option->count() > 0) names.push_back(option->get_name());
  }
  return names;
}

bool CommandOptions::is_named() const { return app_->parsed(); }

bool CommandOptions::has_named_subcommand() const { return !app_->get_subcommands().empty(); }

CommandLine::CommandLine(const std::string& name, const std::string& text,
                         const std::string& version)
    : app_(std::make_unique<CLI::App>(text, name)) {
  app_->set_version_flag("--version", version);
}

CommandLine::~CommandLine() = default;

std::optional<int> CommandLine::parse(int argc, char** argv) {
  set_program_help(*app_);
  try {
    app_->parse(argc, argv);
    return std::nullopt;
  } catch (const CLI::ParseError& problem) {
    if (problem.get_exit_code() == 0) return app_->exit(problem);  // help, or the version
    return report(option_error(*app_, problem));
  }
}

}  // namespace tilescope
