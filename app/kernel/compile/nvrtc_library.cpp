#include "kernel/compile/nvrtc_library.h"

#include <fmt/format.h>
#include <nvrtc.h>
#include <sys/mman.h>

#include <cstdlib>
#include <filesystem>
#include <optional>

#include "core/cuda_folders.h"
#include "core/shared_library.h"

namespace tilescope {
namespace {

// The newest first: each also knows the architectures of the ones before.
const std::vector<std::string>& library_names() {
  static const std::vector<std::string> names = {"libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so"};
  return names;
}

// Files to open, the first to be tried first. The build's own toolkit or wheel is before the
// loader's: it is the version that was tried.
std::vector<std::string> library_files() {
  const char* chosen = std::getenv("TILESCOPE_NVRTC");
  const bool is_chosen = chosen != nullptr && *chosen != '\0';
  std::error_code ignored;
  if (is_chosen && !std::filesystem::is_directory(chosen, ignored)) return {chosen};
  std::vector<std::filesystem::path> folders{is_chosen ? chosen : ""};
  if (!is_chosen) folders = cuda_library_folders();
  std::vector<std::string> files;
  for (const std::filesystem::path& folder : folders) {
    for (const std::string& name : library_names()) {
      if (std::filesystem::exists(folder / name, ignored)) {
        files.push_back((folder / name).string());
      }
    }
  }
  if (!is_chosen) files.insert(files.end(), library_names().begin(), library_names().end());
  return files;
}

Error no_compiler(const std::string& why) {
  return {
      ErrorCode::kMachine,
      fmt::format("NVRTC, CUDA's run-time compiler, was not found: {}", why),
      "tilescope fetch downloads it (137 MB). Or install the CUDA toolkit 12.4 or later, or name "
      "libnvrtc.so in TILESCOPE_NVRTC",
      {}};
}

}  // namespace

struct NvrtcLibrary::Functions {
  SharedLibrary library;
  std::optional<SharedLibrary> builtins;
  int major = 0;
  int minor = 0;

  decltype(::nvrtcVersion)* version = nullptr;
  decltype(::nvrtcGetErrorString)* error_string = nullptr;
  decltype(::nvrtcGetNumSupportedArchs)* architecture_count = nullptr;
  decltype(::nvrtcGetSupportedArchs)* architectures = nullptr;
  decltype(::nvrtcCreateProgram)* create = nullptr;
  decltype(::nvrtcDestroyProgram)* destroy = nullptr;
  decltype(::nvrtcCompileProgram)* compile = nullptr;
  decltype(::nvrtcAddNameExpression)* add_name = nullptr;
  decltype(::nvrtcGetLoweredName)* lowered_name = nullptr;
  decltype(::nvrtcGetProgramLogSize)* log_size = nullptr;
  decltype(::nvrtcGetProgramLog)* log = nullptr;
  decltype(::nvrtcGetPTXSize)* ptx_size = nullptr;
  decltype(::nvrtcGetPTX)* ptx = nullptr;
  decltype(::nvrtcGetCUBINSize)* cubin_size = nullptr;
  decltype(::nvrtcGetCUBIN)* cubin = nullptr;
  // Since 12.9; where it is missing a compilation cannot be interrupted.
  nvrtcResult (*set_flow_callback)(nvrtcProgram, int (*)(void*, void*), void*) = nullptr;

  explicit Functions(SharedLibrary opened) : library(std::move(opened)) {}

  // NVRTC opens this companion by its bare name, which the loader does not find in a wheel's
  // folder. One that is open already is found everywhere.
  void hold_builtins() {
    const auto file =
        library.file().parent_path() / fmt::format("libnvrtc-builtins.so.{}.{}", major, minor);
    if (auto opened = SharedLibrary::open({file.string()})) {
      builtins.emplace(std::move(opened).value());
    }
  }

  [[nodiscard]] bool find_all() {
    static_cast<void>(library.find("nvrtcSetFlowCallback", &set_flow_callback));
    return library.find("nvrtcVersion", &version) &&
           library.find("nvrtcGetErrorString", &error_string) &&
           library.find("nvrtcGetNumSupportedArchs", &architecture_count) &&
           library.find("nvrtcGetSupportedArchs", &architectures) &&
           library.find("nvrtcCreateProgram", &create) &&
           library.find("nvrtcDestroyProgram", &destroy) &&
           library.find("nvrtcCompileProgram", &compile) &&
           library.find("nvrtcAddNameExpression", &add_name) &&
           library.find("nvrtcGetLoweredName", &lowered_name) &&
           library.find("nvrtcGetProgramLogSize", &log_size) &&
           library.find("nvrtcGetProgramLog", &log) && library.find("nvrtcGetPTXSize", &ptx_size) &&
           library.find("nvrtcGetPTX", &ptx) && library.find("nvrtcGetCUBINSize", &cubin_size) &&
           library.find("nvrtcGetCUBIN", &cubin);
  }
};

namespace {

// NVRTC ends the process where it gets no memory as it is opened. It is 105 MiB large (CUDA 13.0)
// and wants some more to begin with.
bool has_room_for_compiler() {
  constexpr std::size_t kRoom = std::size_t{144} << 20;
  void* room = mmap(nullptr, kRoom, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (room == MAP_FAILED) return false;
  munmap(room, kRoom);
  return true;
}

}  // namespace

Result<std::shared_ptr<const NvrtcLibrary>> NvrtcLibrary::load() {
  if (!has_room_for_compiler()) {
    return Error{ErrorCode::kMachine,
                 "there is not enough memory to open NVRTC, CUDA's run-time compiler",
                 "Allow the program more (ulimit -v, or the container's limit)",
                 {}};
  }
  std::string problem = "it is not installed";
  for (const std::string& file : library_files()) {
    Result<SharedLibrary> opened = SharedLibrary::open({file});
    if (!opened) {
      // What is there and does not load says more than what is not there.
      if (std::filesystem::path(file).has_parent_path()) problem = opened.error().message;
      continue;
    }
    auto functions = std::make_unique<Functions>(std::move(opened).value());
    if (!functions->find_all() ||
        functions->version(&functions->major, &functions->minor) != NVRTC_SUCCESS) {
      problem = fmt::format("{} is too old", functions->library.file().string());
      continue;
    }
    functions->hold_builtins();
    return std::shared_ptr<const NvrtcLibrary>(new NvrtcLibrary(std::move(functions)));
  }
  return no_compiler(problem);
}

std::filesystem::path NvrtcLibrary::first_file() {
  const std::filesystem::path first = library_files().front();
  return first.has_parent_path() ? first : std::filesystem::path();
}

NvrtcLibrary::NvrtcLibrary(std::unique_ptr<Functions> functions)
    : functions_(std::move(functions)),
      facts_{functions_->major, functions_->minor, {}, functions_->library.file().string()} {
  int count = 0;
  if (functions_->architecture_count(&count) != NVRTC_SUCCESS || count <= 0) return;
  std::vector<int>& known = facts_.architectures;
  known.resize(static_cast<std::size_t>(count));
  if (functions_->architectures(known.data()) != NVRTC_SUCCESS) known.clear();
}

NvrtcLibrary::~NvrtcLibrary() = default;

Result<NvrtcLibrary::Output> NvrtcLibrary::compile(const Input& input,
                                                   const std::stop_token& stop) const {
  const Error cancelled{ErrorCode::kCancelled, "cancelled", "", {}};
  if (stop.stop_requested()) return cancelled;
  std::vector<const char*> names;
  std::vector<const char*> texts;
  for (const auto& [name, text] : input.headers) {
    names.push_back(name.c_str());
    texts.push_back(text.c_str());
  }
  const auto failure = [&](nvrtcResult result) {
    return Error{
        ErrorCode::kMachine,
        fmt::format("NVRTC {} failed: {}", facts_.version(), functions_->error_string(result)),
        "",
        {}};
  };

  nvrtcProgram program = nullptr;
  nvrtcResult result =
      functions_->create(&program, input.source.c_str(), input.name.c_str(),
                         static_cast<int>(names.size()), texts.data(), names.data());
  if (result != NVRTC_SUCCESS) return failure(result);
  struct Destroyer {
    const Functions* functions;
    nvrtcProgram* program;
    ~Destroyer() { functions->destroy(program); }
  } const destroyer{functions_.get(), &program};

  if (!input.kernel.empty()) {
    result = functions_->add_name(program, input.kernel.c_str());
    if (result != NVRTC_SUCCESS) return failure(result);
  }
  if (functions_->set_flow_callback != nullptr) {
    const auto stopped = [](void* token, void*) {
      return static_cast<const std::stop_token*>(token)->stop_requested() ? 1 : 0;
    };
    // The callback only reads through the pointer.
    functions_->set_flow_callback(program, stopped, const_cast<std::stop_token*>(&stop));
  }
  std::vector<const char*> options;
  for (const std::string& option : input.options) options.push_back(option.c_str());
  result = functions_->compile(program, static_cast<int>(options.size()), options.data());
  if (stop.stop_requested()) return cancelled;
  if (result != NVRTC_SUCCESS && result != NVRTC_ERROR_COMPILATION &&
      result != NVRTC_ERROR_INVALID_OPTION) {
    return failure(result);
  }
  return collect(program, result == NVRTC_SUCCESS, input.kernel);
}

Result<NvrtcLibrary::Output> NvrtcLibrary::collect(void* handle, bool compiled,
                                                   const std::string& kernel) const {
  auto* program = static_cast<nvrtcProgram>(handle);
  Output output;
  output.compiled = compiled;
  // Sizes of texts count the final zero.
  std::size_t size = 0;
  if (functions_->log_size(program, &size) == NVRTC_SUCCESS && size > 1) {
    output.log.resize(size);
    if (functions_->log(program, output.log.data()) != NVRTC_SUCCESS) output.log.clear();
    while (output.log.ends_with('\0')) output.log.pop_back();
  }
  if (functions_->ptx_size(program, &size) == NVRTC_SUCCESS && size > 1) {
    output.ptx.resize(size);
    if (functions_->ptx(program, output.ptx.data()) != NVRTC_SUCCESS) output.ptx.clear();
    while (output.ptx.ends_with('\0')) output.ptx.pop_back();
  }
  if (!compiled) return output;
  if (functions_->cubin_size(program, &size) == NVRTC_SUCCESS && size > 0) {
    output.cubin.resize(size);
    if (functions_->cubin(program, reinterpret_cast<char*>(output.cubin.data())) != NVRTC_SUCCESS) {
      output.cubin.clear();
    }
  }
  const char* lowered = nullptr;
  if (!kernel.empty() &&
      functions_->lowered_name(program, kernel.c_str(), &lowered) == NVRTC_SUCCESS &&
      lowered != nullptr) {  // as after a source that is no UTF-8
    output.lowered_name = lowered;
  }
  return output;
}

}  // namespace tilescope
