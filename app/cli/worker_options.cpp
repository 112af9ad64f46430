#include "cli/worker_options.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <utility>

#include "cli/options.h"
#include "cli/parser/command_line.h"
#include "core/paths.h"
#include "core/text.h"

namespace tilescope {
namespace {

// A login on a busy machine takes its time; a scheduler's queue any.
constexpr double kLoginSeconds = 60;
constexpr double kQueueSeconds = 30.0 * 24 * 3600;
constexpr double kSecondsToCancel = 10;

// "ssh node3" of "ssh node3 tilescope worker": what sets it apart.
std::string name_of(std::string_view command) {
  constexpr std::string_view kCommon = " worker";
  if (command.ends_with(kCommon)) {
    command.remove_suffix(kCommon.size());
    const std::size_t space = command.rfind(' ');
    if (space != std::string_view::npos) command = command.substr(0, space);
  }
  return std::string(command);
}

WorkerSource by_shell(std::string name, const std::string& command, double start_seconds) {
  WorkerSource source;
  source.name = std::move(name);
  source.settings.command = {"/bin/sh", "-c", "exec " + command};
  source.settings.start_deadline_seconds = start_seconds;
  return source;
}

}  // namespace

void add_worker_options(CommandOptions command, WorkerOptions& options) {
  command.add_flag("--workers", options.local, "measure on every GPU of this machine at once");
  command
      .add_option("--worker", options.commands,
                  "measure on another machine's GPU: a command that starts 'tilescope worker' "
                  "there, as 'ssh node3 tilescope worker'; may be repeated")
      .allow_extra_args(false);
  command
      .add_option("--launch", options.launchers,
                  "start workers through a scheduler: what stands before the program, as 'srun -N1 "
                  "--gpus=1'; may be repeated")
      .allow_extra_args(false);
  command.add_option("--launches", options.most_launches, "workers at most of each --launch")
      .between(1, 1024)
      .capture_default_str();
}

std::vector<WorkerSource> worker_sources(const WorkerOptions& options, std::size_t most_requests) {
  std::vector<WorkerSource> sources;
  if (options.local || !options.any()) {
    sources.push_back({"GPU 0", {}, options.local, false});
  }
  for (const std::string& command : options.commands) {
    sources.push_back(by_shell(name_of(command), command, kLoginSeconds));
  }
  for (const std::string& launcher : options.launchers) {
    const auto wanted = std::min<std::size_t>(static_cast<std::size_t>(options.most_launches),
                                              std::max<std::size_t>(most_requests, 1));
    for (std::size_t i = 0; i < wanted; ++i) {
      sources.push_back(
          by_shell(wanted == 1 ? launcher : fmt::format("{} #{}", launcher, i + 1),
                   fmt::format("{} {} worker", launcher, shell_quoted(program_file().string())),
                   kQueueSeconds));
      sources.back().is_queued = true;
      sources.back().settings.patience_at_end_seconds = kSecondsToCancel;
    }
  }
  return sources;
}

}  // namespace tilescope
