#include "cli/capture_command.h"

#include <fmt/format.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "cli/exec_report.h"
#include "cli/launch_session.h"
#include "cli/options.h"
#include "cli/parser/command_line.h"
#include "cli/trace_report.h"
#include "core/file.h"
#include "core/parallel.h"
#include "session/session_file.h"

namespace tilescope {
namespace {

struct ServeArguments {
  std::string descriptors;
  std::string device = "H100";
  double budget = 5;  // seconds, as of exec
  double limit = 30;
  bool no_check = false;
  unsigned workers = 0;
};

// Writes the launches as a session; "": it cannot be written.
std::string write_session(const std::filesystem::path& file,
                          const std::vector<RecordedLaunch>& launches, const DeviceModel& device,
                          const Resources& resources) {
  const std::string text =
      session_text(session_of(launches, device), {resources.catalogue, resources.devices});
  return write_file(file, text) ? file.string() : std::string();
}

// As trace and export are asked for the launch.
std::vector<std::string> words_of(const KernelArguments& arguments) {
  std::vector<std::string> words{arguments.kernel_or_file,
                                 "--kernel",
                                 arguments.kernel,
                                 "--grid",
                                 arguments.grid,
                                 "--block",
                                 arguments.block,
                                 "--shared",
                                 std::to_string(arguments.shared_bytes),
                                 "--arch",
                                 arguments.architecture};
  for (const std::string& argument : arguments.arguments) {
    words.emplace_back("--arg");
    words.push_back(argument);
  }
  return words;
}

Status serve(const ServeArguments& arguments) {
  int socket = -1;
  int memory = -1;
  if (std::sscanf(arguments.descriptors.c_str(), "%d,%d", &socket, &memory) != 2)
    return usage("serve-program needs SOCKET,MEMORY", "It is started by tilescope.capture()");
  const auto& resources = load_resources();
  if (!resources) return resources.error();
  const auto index = find_named_device(arguments.device, resources->devices);
  if (!index) return index.error();
  ProgramOptions options;
  options.device = resources->devices[static_cast<std::size_t>(std::max(*index, 0))];
  options.launcher.workers = arguments.workers != 0 ? arguments.workers : processor_count();
  options.launcher.check = !arguments.no_check;
  options.launcher.watch_seconds = arguments.budget;
  options.launcher.limit_seconds = arguments.limit;
  options.on_report = [&](const ProgramResult& since) {
    return capture_json(since, options.device, *resources);
  };
  std::signal(SIGINT, SIG_IGN);  // is the program's
  const auto run = serve_program(options, FileDescriptor(socket), FileDescriptor(memory));
  return run ? ok_status() : Status(run.error());
}

}  // namespace

std::string capture_json(const ProgramResult& since, const DeviceModel& device,
                         const Resources& resources) {
  nlohmann::json document = nlohmann::json::parse(exec_json(since, device, nullptr));
  for (std::size_t i = 0; i < since.groups.size(); ++i) {
    const LaunchGroup& group = *since.groups[i];
    document["launches"][i]["instructions"] =
        instructions_json(*group.kernel->program, group.counters);
  }
  for (const RecordedLaunch& launch : since.records) {
    const std::filesystem::path ptx = launch.ptx;
    const std::string session = write_session(
        ptx.parent_path() / (ptx.stem().string() + ".tilescope"), {launch}, device, resources);
    for (nlohmann::json& row : document["launches"]) {
      if (row["launch"] != launch.number) continue;
      row["session"] = session;
      row["options"] = words_of(arguments_of(launch, device));
      row["ptx"] = launch.ptx;
      row["symbol"] = launch.symbol;
      row["source"] = launch.source;
      row["left_out"] = launch.left_out;
      nlohmann::json& arguments = row["arguments"] = nlohmann::json::array();
      for (const ArgumentForm& argument : launch.form.arguments) {
        arguments.push_back({{"name", argument.name}, {"type", argument.type}});
        nlohmann::json& made = arguments.back();
        if (argument.is_buffer) {
          made["count"] = argument.count;          // of a tensor: "96x128"
          made["file"] = argument.fill.substr(1);  // behind the @
        } else {
          made["value"] = argument.value;
        }
      }
    }
  }
  if (!since.records.empty()) {
    const auto folder = std::filesystem::path(since.records.front().ptx).parent_path();
    document["together"] =
        write_session(folder / "capture.tilescope", since.records, device, resources);
  }
  if (since.record_error) document["not_recorded"] = to_string(*since.record_error);
  return document.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

void add_serve_program_command(CommandOptions app, CommandContext& context) {
  auto arguments = std::make_shared<ServeArguments>();
  CommandOptions command = app.add_subcommand(
      "serve-program", "emulates for a program that runs already (started by Python's tilescope)");
  command.hide();  // not in the help
  command.add_option("descriptors", arguments->descriptors).required();
  command.add_option("--device", arguments->device);
  command.add_option("--budget", arguments->budget);
  command.add_option("--limit", arguments->limit);
  command.add_flag("--no-check", arguments->no_check);
  command.add_option("--workers", arguments->workers);
  command.callback([arguments, &context] {
    const Status served = serve(*arguments);
    context.status = served ? 0 : report(served.error());
  });
}

}  // namespace tilescope
