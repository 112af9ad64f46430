#include "cli/doctor_command.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <thread>

#include "cli/command.h"
#include "core/paths.h"
#include "core/quantity.h"
#include "export/animation.h"
#include "gpu/worker_link.h"
#include "kernel/compile/assemble.h"
#include "kernel/compile/compile.h"

namespace tilescope {
namespace {

// One thing this machine has or lacks.
struct Check {
  std::string name;
  bool ok = false;
  bool required = false;  // nothing works without it
  std::string detail;     // what was found, or what is missing
  std::string remedy;
};

Check check_compiler() {
  const auto info = compiler_info();
  if (!info) return {"compiler", false, true, info.error().message, info.error().remedy};
  return {"compiler", true, true, info->version, ""};
}

Check check_headers() {
  const auto info = compiler_info();
  if (info && !info->cuda_include_directory.empty()) {
    return {"CUDA headers", true, false, info->cuda_include_directory, ""};
  }
  return {"CUDA headers", false, false,
          "none: kernels that include <cuda_fp16.h> or <mma.h> cannot be compiled",
          "Install the CUDA toolkit, or let ./run fetch NVIDIA's wheels"};
}

Check check_tool(const std::string& name, const Result<std::filesystem::path>& tool) {
  if (!tool) return {name, false, false, tool.error().message, tool.error().remedy};
  return {name, true, false, tool->string(), ""};
}

Check check_catalogue() {
  const auto resources = load_resources();
  if (!resources) return {"kernels", false, true, to_string(resources.error()), ""};
  return {"kernels", true, true,
          fmt::format("{} in {}", resources->catalogue.entries.size(),
                      (resource_directory() / "kernels").string()),
          ""};
}

std::string device_text(const DeviceInfo& device) {
  std::string text = fmt::format("{}, sm_{}, {} SMs, driver {}", device.name,
                                 device.compute_capability, device.multiprocessors, device.driver);
  return text;
}

std::vector<Check> check_gpu() {
  const auto link = start_worker({});
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(25);
  while (!link->device() && std::chrono::steady_clock::now() < deadline) {
    link->poll([](const auto&) {}, [](const auto&) {});
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  const auto device = link->device();
  if (!device || !device->ok()) {
    const std::string why = device ? device->error().message : "the worker did not answer";
    const std::string remedy = device ? device->error().remedy : "";
    return {{"GPU", false, false, why,
             remedy.empty() ? "Everything except measuring works; recorded times are shown instead"
                            : remedy}};
  }
  const DeviceInfo& info = **device;
  return {
      {"GPU", true, false, device_text(info), ""},
      {"cuBLAS", !info.cublas.empty(), false,
       info.cublas.empty() ? info.cublas_problem : info.cublas,
       info.cublas.empty() ? "Install libcublas; without it GEMM times have no reference" : ""}};
}

Check check_display() {
#if TILESCOPE_WITH_UI
  const char* named = std::getenv("DISPLAY");
  if (named == nullptr || *named == '\0') named = std::getenv("WAYLAND_DISPLAY");
  if (named == nullptr || *named == '\0') {
    return {"display", false, false, "none: DISPLAY and WAYLAND_DISPLAY are not set",
            "Use --headless --screenshot FILE, or xvfb-run, or ssh -X"};
  }
  return {"display", true, false, named, ""};
#else
  return {"window", false, false, "built without it (TILESCOPE_UI=OFF)",
          "Build again with -DTILESCOPE_UI=ON"};
#endif
}

Check check_ffmpeg() {
  const std::filesystem::path file = find_ffmpeg();
  return {
      "ffmpeg", !file.empty(), false, file.empty() ? "none on the PATH" : file.string(),
      file.empty() ? "Install it (apt install ffmpeg) to export .mp4; .gif needs no ffmpeg" : ""};
}

Check check_cache() {
  std::error_code failure;
  std::filesystem::create_directories(cache_directory(), failure);
  if (failure) {
    return {"cache", false, false,
            fmt::format("{}: {}", cache_directory().string(), failure.message()),
            "Set XDG_CACHE_HOME to a writable folder; until then kernels are compiled every time"};
  }
  return {"cache", true, false, cache_directory().string(), ""};
}

int doctor(bool json) {
  std::vector<Check> checks = {check_compiler(),
                               check_headers(),
                               check_tool("disassembler", disassembler()),
                               check_tool("assembler", assembler()),
                               check_catalogue(),
                               check_display(),
                               check_cache(),
                               check_ffmpeg()};
  for (Check& check : check_gpu()) checks.push_back(std::move(check));
  bool usable = true;
  nlohmann::json rows = nlohmann::json::array();
  for (const Check& check : checks) {
    usable = usable && (check.ok || !check.required);
    rows.push_back({{"name", check.name},
                    {"ok", check.ok},
                    {"required", check.required},
                    {"detail", check.detail},
                    {"remedy", check.remedy}});
    if (json) continue;
    print_out("{} {:<13} {}\n",
              check.ok         ? "✓"
              : check.required ? "✗"
                               : "–",
              check.name, check.detail);
    if (!check.ok && !check.remedy.empty()) print_out("  {:<13} {}\n", "", check.remedy);
  }
  if (json) print_out("{}\n", nlohmann::json{{"usable", usable}, {"checks", rows}}.dump(2));
  return usable ? 0 : 3;
}

}  // namespace

void add_doctor_command(CLI::App& app, CommandContext& context) {
  auto json = std::make_shared<bool>(false);
  CLI::App* command =
      app.add_subcommand("doctor", "what this machine has, what is missing, and how to fix it");
  command->add_flag("--json", *json, "output JSON");
  command->callback([json, &context] { context.status = doctor(*json); });
}

}  // namespace tilescope
