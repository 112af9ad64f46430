#include "cli/doctor_command.h"

#include <fmt/format.h>
#include <gnu/libc-version.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <system_error>
#include <thread>

#include "build_config.h"
#include "cli/command.h"
#include "cli/parser/command_line.h"
#include "core/paths.h"
#include "core/quantity.h"
#include "core/search_path.h"
#include "core/shared_library.h"
#include "emulator/program_implementation.h"
#include "export/animation.h"
#include "export/font_library.h"
#include "gpu/worker_link.h"
#include "kernel/compile/assemble.h"
#include "kernel/compile/compile.h"
#include "kernel/compile/nvcc.h"
#include "kernel/compile/nvrtc_process.h"

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

bool is_windows_subsystem() {
  utsname machine{};
  return ::uname(&machine) == 0 &&
         std::string_view(machine.release).find("microsoft") != std::string_view::npos;
}

Check check_compiler() {
  if (Status loaded = nvrtc().load({}); !loaded)
    return {"compiler", false, true, loaded.error().message, loaded.error().remedy};
  const auto info = compiler_info();
  if (!info) return {"compiler", false, true, info.error().message, info.error().remedy};
  return {"compiler", true, true, info->version, ""};
}

// The machine as far as it decides what can be installed on it.
Check check_system() {
  std::string text = fmt::format("glibc {}", ::gnu_get_libc_version());
  if (is_windows_subsystem()) text += ", WSL2";
  if (std::filesystem::exists("/.dockerenv")) text += ", in a container";
  return {"system", true, false, text, ""};
}

Check check_emulator() {
  const InstructionSet& best = best_instruction_set();
  const std::string text = fmt::format("runs on {} instructions", best.name);
  if (!lacks_instruction_set()) return {"emulator", true, false, text, ""};
  return {"emulator", false, false,
          text + ": it was built on another machine, and this one could run it faster",
          "Build it here: remove build/release and start ./run"};
}

Check check_headers() {
  const auto info = compiler_info();
  if (info && !info->cuda_include_directory.empty()) {
    return {"CUDA headers", true, false, info->cuda_include_directory, ""};
  }
  return {"CUDA headers", false, false,
          "none: kernels that include <cuda_fp16.h> or <mma.h> cannot be compiled",
          "tilescope fetch downloads them, or install the CUDA toolkit 12.4 or later"};
}

Check check_tool(const std::string& name, const Result<std::filesystem::path>& tool) {
  if (!tool) return {name, false, false, tool.error().message, tool.error().remedy};
  return {name, true, false, tool->string(), ""};
}

// exec compiles a .cu file with nvcc, which needs a host compiler.
Check check_program_compilers() {
  const auto found = nvcc();
  if (!found) {
    return {"nvcc", false, false,
            "none: exec runs programs that are compiled already, and compiles none",
            "tilescope fetch --nvcc downloads it, or install the CUDA toolkit"};
  }
  if (find_on_path("g++").empty()) {
    return {"nvcc", false, false, found->string() + ", but no g++, which it needs",
            "Debian and Ubuntu: sudo apt install g++; Fedora: sudo dnf install gcc-c++"};
  }
  return {"nvcc", true, false, found->string(), ""};
}

Check check_stand_ins() {
  const std::filesystem::path file = runtime_directory() / "libcudart.so.13";
  std::error_code ignored;
  if (!std::filesystem::exists(file, ignored)) {
    return {"stand-ins", false, false, file.string() + " is missing: exec cannot run programs",
            "Install Tilescope again, or name its lib/tilescope in TILESCOPE_RUNTIME_DIRECTORY"};
  }
  return {"stand-ins", true, false, runtime_directory().string(), ""};
}

Check check_fonts() {
  if (FontLibrary().complete()) {
    return {"fonts", true, false, font_file(Font::kText, Weight::kRegular).parent_path().string(),
            ""};
  }
  return {"fonts", false, TILESCOPE_UI != 0, "Inter or JetBrains Mono is missing",
          "Debian and Ubuntu: sudo apt install fonts-inter fonts-jetbrains-mono; or name a folder "
          "with their files in TILESCOPE_FONTS"};
}

Check check_catalogue() {
  const auto& resources = load_resources();
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

// Where a GPU is there and its driver's library is not found.
std::string missing_driver_remedy() {
  if (SharedLibrary::open({"libcuda.so.1"}).ok()) return "";
  std::error_code ignored;
  if (is_windows_subsystem() && std::filesystem::exists("/dev/dxg", ignored)) {
    return std::filesystem::exists("/usr/lib/wsl/lib/libcuda.so.1", ignored)
               ? "export LD_LIBRARY_PATH=/usr/lib/wsl/lib"
               : "Install NVIDIA's driver in Windows, not in WSL2; then wsl --shutdown";
  }
  if (std::filesystem::exists("/dev/nvidiactl", ignored)) {
    return "The driver is loaded and its library is not here. In a container: docker run --gpus "
           "all "
           "-e NVIDIA_DRIVER_CAPABILITIES=all";
  }
  return "";
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
    std::string remedy = missing_driver_remedy();
    if (device && remedy.empty()) remedy = device->error().remedy;
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

#if TILESCOPE_UI
std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

// Whether an X server answers; true, too, where that cannot be asked.
bool display_answers() {
  const auto x11 = SharedLibrary::open({"libX11.so.6"});
  void* (*open)(const char*) = nullptr;
  int (*close)(void*) = nullptr;
  if (!x11 || !x11->find("XOpenDisplay", &open) || !x11->find("XCloseDisplay", &close)) return true;
  void* display = open(nullptr);
  if (display != nullptr) close(display);
  return display != nullptr;
}
#endif

Check check_display() {
#if TILESCOPE_UI
  const std::string wayland = variable("WAYLAND_DISPLAY");
  const std::string x11 = variable("DISPLAY");
  if (wayland.empty() && x11.empty()) {
    return {
        "display", false, false, "none: DISPLAY and WAYLAND_DISPLAY are not set",
        is_windows_subsystem()
            ? "In Windows: wsl --update, then wsl --shutdown. Or use --headless --screenshot FILE"
            : "Use --headless --screenshot FILE, or xvfb-run, or ssh -X"};
  }
  const bool by_wayland = !wayland.empty() &&
                          SharedLibrary::open({"libwayland-client.so.0"}).ok() &&
                          SharedLibrary::open({"libxkbcommon.so.0"}).ok();
  if (x11.empty() && !by_wayland) {
    return {"display", false, false,
            fmt::format("WAYLAND_DISPLAY is {}, and libwayland-client.so.0 or libxkbcommon.so.0 is "
                        "not installed",
                        wayland),
            "Debian and Ubuntu: sudo apt install libwayland-client0 libxkbcommon0; Fedora: sudo "
            "dnf install libwayland-client libxkbcommon"};
  }
  // X11 first, as the window does.
  Check x11_check{"display", true, false, x11, ""};
  if (!SharedLibrary::open({"libX11.so.6"}).ok()) {
    x11_check = {
        "display", false, false, "libX11.so.6 is not installed",
        "Debian and Ubuntu: sudo apt install libx11-6 libxcursor1 libxi6 libxinerama1 "
        "libxrandr2; Fedora: sudo dnf install libX11 libXcursor libXi libXinerama libXrandr"};
  } else if (!display_answers()) {
    x11_check = {"display", false, false, fmt::format("nothing answers at DISPLAY={}", x11),
                 "ssh -X sets it to a display that does; or use --headless --screenshot FILE, or "
                 "xvfb-run"};
  }
  if (!x11_check.ok && by_wayland) return {"display", true, false, wayland, ""};
  return x11_check;
#else
  return {"window", false, false, "built without it (TILESCOPE_UI=OFF)",
          "Build again with -DTILESCOPE_UI=ON"};
#endif
}

// The window draws with OpenGL; --headless, too. export needs none.
Check check_opengl() {
  const bool egl = SharedLibrary::open({"libEGL.so.1"}).ok();
  const bool gl = SharedLibrary::open({"libGL.so.1", "libOpenGL.so.0"}).ok();
  if (egl && gl) return {"OpenGL", true, false, "libEGL.so.1 and libGL.so.1", ""};
  return {"OpenGL", false, false,
          fmt::format("{} is not installed", egl ? "libGL.so.1" : "libEGL.so.1"),
          "Debian and Ubuntu: sudo apt install libgl1 libegl1 libgl1-mesa-dri; Fedora: sudo dnf "
          "install mesa-libGL mesa-libEGL mesa-dri-drivers. export works without it"};
}

Check check_ffmpeg() {
  const std::filesystem::path file = find_ffmpeg();
  return {
      "ffmpeg", !file.empty(), false, file.empty() ? "none on the PATH" : file.string(),
      file.empty() ? "Install it (apt install ffmpeg) to export .mp4; .gif needs no ffmpeg" : ""};
}

Check check_folder(const char* name, const std::filesystem::path& folder, const char* remedy) {
  std::error_code failure;
  std::filesystem::create_directories(folder, failure);
  if (!failure && ::access(folder.c_str(), W_OK) != 0) {
    failure = std::error_code(errno, std::generic_category());
  }
  if (failure) {
    return {name, false, false, fmt::format("{}: {}", folder.string(), failure.message()), remedy};
  }
  return {name, true, false, folder.string(), ""};
}

Check check_cache() {
  return check_folder(
      "cache", cache_directory(),
      "Set XDG_CACHE_HOME to a writable folder; until then kernels are compiled every time");
}

Check check_data() {
  return check_folder("your data", data_directory(),
                      "Set XDG_DATA_HOME to a writable folder; until then nothing is kept");
}

int doctor(bool json) {
  std::vector<Check> checks = {check_system(),
                               check_catalogue(),
                               check_compiler(),
                               check_emulator(),
                               check_headers(),
                               check_tool("disassembler", disassembler()),
                               check_tool("assembler", assembler()),
                               check_program_compilers(),
                               check_stand_ins(),
                               check_fonts(),
                               check_display(),
                               check_opengl(),
                               check_cache(),
                               check_data(),
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

void add_doctor_command(CommandOptions app, CommandContext& context) {
  auto json = std::make_shared<bool>(false);
  CommandOptions command =
      app.add_subcommand("doctor", "what this machine has, what is missing, and how to fix it");
  command.add_flag("--json", *json, "output JSON");
  command.callback([json, &context] { context.status = doctor(*json); });
}

}  // namespace tilescope
