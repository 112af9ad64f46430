#include "kernel/compile.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>

#include "core/device_table.h"
#include "core/paths.h"
#include "kernel/compile_cache.h"
#include "kernel/compile_errors.h"
#include "kernel/compile_flights.h"
#include "kernel/compile_log.h"
#include "kernel/device_program.h"
#include "kernel/kernel_name.h"
#include "kernel/launch_fit.h"
#include "kernel/nvrtc_library.h"
#include "kernel/ptx_file.h"
#include "kernel/ptx_place.h"
#include "kernel/source_name.h"
#include "kernel/spelling.h"

namespace tilescope {
namespace {

constexpr int kMostTries = 16;  // each but the last sets some host code aside

// Loaded once and never closed: loading takes 30 ms, NVRTC keeps state of its own, and a thread may
// still compile while the program ends.
const Result<std::shared_ptr<const NvrtcLibrary>>& nvrtc() {
  static const auto* const library =
      new Result<std::shared_ptr<const NvrtcLibrary>>(NvrtcLibrary::load());
  return *library;
}

Status check_architecture(const NvrtcLibrary& library, int compute_capability) {
  const std::vector<int>& known = library.architectures();
  if (std::ranges::find(known, compute_capability) != known.end()) return ok_status();
  std::vector<std::string> names;
  names.reserve(known.size());
  for (int architecture : known) names.push_back(fmt::format("sm_{}", architecture));
  return Error{ErrorCode::kUsage,
               fmt::format("NVRTC {} does not know sm_{}", library.version(), compute_capability),
               fmt::format("It knows {}", fmt::join(names, ", ")),
               {}};
}

// NVRTC's --minimal leaves out textures, surfaces and what begins with "cuda": some 10 ms less,
// the PTX is the same. Only where nothing says that the program may want them.
bool is_plain(const DeviceProgram& program) {
  constexpr std::array<std::string_view, 11> kWants = {"#include", "cuda",   "<<<",        "tex1D",
                                                       "tex2D",    "tex3D",  "texCubemap", "surf1D",
                                                       "surf2D",   "surf3D", "surfCubemap"};
  return std::ranges::all_of(program.files(), [&](const DeviceSource& file) {
    return std::ranges::none_of(kWants, [&](std::string_view word) {
      return file.original().find(word) != std::string::npos;
    });
  });
}

// Instructions of one architecture alone need its name with an "a" (PTX ISA, ".target"); for a
// program without them that changes nothing but the name.
std::string_view specific_suffix(const DeviceProgram& program, int compute_capability) {
  constexpr std::array<std::string_view, 4> kSpecific = {"wgmma.", "setmaxnreg.", "tcgen05.",
                                                         "tensormap.replace"};
  const auto names_one = [&](const std::string& text) {
    return std::ranges::any_of(
        kSpecific, [&](std::string_view word) { return text.find(word) != std::string::npos; });
  };
  const bool wants =
      std::ranges::any_of(program.files(),
                          [&](const DeviceSource& file) { return names_one(file.original()); }) ||
      std::ranges::any_of(program.headers(),
                          [&](const auto& header) { return names_one(header.second); });
  return compute_capability >= 90 && wants ? "a" : "";
}

std::vector<std::string> make_options(const CompileRequest& request, const DeviceProgram& program) {
  // Functions without a mark count as the device's, so that a class's members need none. The name
  // of an architecture decides whether ptxas runs: compute_NN gives PTX alone.
  std::vector<std::string> options = {
      fmt::format("--gpu-architecture={}_{}{}", request.want_cubin ? "sm" : "compute",
                  request.compute_capability, specific_suffix(program, request.compute_capability)),
      "--generate-line-info", "--device-as-default-execution-space", "--device-int128",
      "--std=c++17"};
  if (request.want_cubin) options.emplace_back("--ptxas-options=-v");
  // A file's have their place in its text or among its defines (kernel/source_parameters.h).
  if (request.instance.problem) {
    for (const auto& [name, value] : request.instance.parameters) {
      options.push_back(fmt::format("--define-macro={}={}", name, value));
    }
  }
  for (const std::string& define : request.instance.defines) {
    options.push_back(fmt::format("--define-macro={}", define));
  }
  return options;
}

// Over the files as they are, not as they end up: what is set aside follows from them.
std::string cache_digest(const NvrtcLibrary& library, const DeviceProgram& program,
                         const std::vector<std::string>& options,
                         const std::vector<std::string>& cuda_folders, const std::string& kernel) {
  CacheKey key;
  key.add(library.version());
  key.add(kernel);
  for (const std::string& option : options) key.add(option);
  key.add("folders");
  for (const std::string& folder : cuda_folders) key.add(folder);
  key.add("files");
  for (const DeviceSource& file : program.files()) {
    key.add(file.name());
    if (const std::string plain = plain_name(file.name()); plain != file.name()) key.add(plain);
    key.add(file.original());
  }
  for (const auto& [name, text] : program.headers()) {
    key.add(name);
    key.add(text);
  }
  return key.digest();
}

// NVRTC could not name the kernel: it is not there, or its template arguments do not fit.
Error no_such_kernel(const DeviceProgram& program, const KernelChoice& choice,
                     const std::string& reason) {
  const std::vector<std::string> names = kernel_names(program.files());
  const std::string name = choice.expression.substr(0, choice.expression.find('<'));
  const bool known = std::ranges::find(names, name) != names.end();
  return {ErrorCode::kUsage,
          known ? fmt::format("{} cannot be instantiated: {}", choice.expression, reason)
                : fmt::format("there is no kernel {}", choice.expression),
          known ? "" : did_you_mean(name, names),
          {program.files().front().name(), 0, 0}};
}

// Of the file that NVRTC knows by its plain name.
std::string given_name(const DeviceProgram& program, std::string plain) {
  const auto file = std::ranges::find_if(program.files(), [&](const DeviceSource& source) {
    return plain_name(source.name()) == plain;
  });
  return file != program.files().end() ? file->name() : plain;
}

std::string with_given_names(std::string ptx, const DeviceProgram& program) {
  for (const DeviceSource& file : program.files()) {
    ptx = with_given_name(std::move(ptx), file.name());
  }
  return ptx;
}

// What follows the compiler: the assembler names lines of the PTX, or nothing at all.
std::optional<Error> assembler_error(const NvrtcLibrary::Output& output,
                                     const std::vector<CompileError>& errors,
                                     const DeviceProgram& program) {
  const std::string& file = program.files().front().name();
  if (errors.empty()) {
    const auto overflow = find_shared_overflow(output.log, kMostStaticSharedBytes);
    if (!overflow) return std::nullopt;
    return Error{ErrorCode::kKernel,
                 fmt::format("{} has {} bytes of static shared memory; a block has at most {}",
                             demangle(overflow->entry), overflow->bytes, kMostStaticSharedBytes),
                 "Declare the array extern __shared__ and give its bytes at the launch",
                 {file, 0, 0}};
  }
  const CompileError& first = errors.front();
  if (first.ptx_line == 0) return std::nullopt;
  Place place = source_place(with_given_names(output.ptx, program), first.ptx_line);
  if (place.line == 0) place = {file, 0, 0};
  return Error{
      ErrorCode::kKernel,
      fmt::format("{} (the assembler, of line {} of the PTX)", first.message, first.ptx_line), "",
      std::move(place)};
}

Result<NvrtcLibrary::Output> compile_in_rounds(const NvrtcLibrary& library, DeviceProgram& program,
                                               const std::vector<std::string>& options,
                                               const KernelChoice& choice,
                                               std::vector<CompileError>* found,
                                               const std::stop_token& stop) {
  Error last{ErrorCode::kKernel, "the file does not compile", "", {}};
  for (int round = 0; round < kMostTries; ++round) {
    NvrtcLibrary::Input input{.name = plain_name(program.files().front().name()),
                              .source = program.text(),
                              .headers = program.headers(),
                              .options = options,
                              .kernel = choice.expression};
    const std::vector<std::string> folders = program.include_options();
    input.options.insert(input.options.end(), folders.begin(), folders.end());
    Result<NvrtcLibrary::Output> output = library.compile(input, stop);
    if (!output || output->compiled) return output;

    std::vector<CompileError> errors = find_errors(output->log);
    if (std::optional<Error> failed = assembler_error(*output, errors, program)) {
      return *std::move(failed);
    }
    for (CompileError& error : errors) error.file = given_name(program, std::move(error.file));
    const bool only_name = !errors.empty() && std::ranges::all_of(errors, [](const auto& error) {
      return error.file.starts_with("__nv_name_map");
    });
    if (only_name) return no_such_kernel(program, choice, errors.front().message);
    std::optional<Error> final = program.learn_from(errors);
    if (final && found != nullptr) *found = errors;
    if (final) return *std::move(final);
    last = {ErrorCode::kKernel,
            errors.front().message,
            "",
            {errors.front().file, errors.front().line, errors.front().column}};
  }
  return last;
}

std::string with_given_name_in_log(std::string log, const std::string& name) {
  const std::string plain = plain_name(name);
  if (plain == name) return log;
  for (std::size_t at = log.find(plain); at != std::string::npos;
       at = log.find(plain, at + name.size())) {
    log.replace(at, plain.size(), name);
  }
  return log;
}

CompiledModule module_of(NvrtcLibrary::Output output, const DeviceProgram& program) {
  CompiledModule module;
  module.ptx = with_given_names(std::move(output.ptx), program);
  module.cubin = std::move(output.cubin);
  module.instance = std::move(output.lowered_name);
  for (const std::string& entry : find_entries(module.ptx)) {
    if (const auto resources = find_resources(output.log, entry)) {
      module.resources.emplace(entry, *resources);
    }
  }
  module.log = find_warnings(output.log);
  for (const DeviceSource& file : program.files()) {
    module.log = with_given_name_in_log(std::move(module.log), file.name());
  }
  return module;
}

CompiledKernel kernel_of(CompiledModule module, std::string entry, const CompileRequest& request,
                         const NvrtcLibrary& library) {
  CompiledKernel compiled;
  compiled.kernel = std::move(entry);
  compiled.ptx = std::move(module.ptx);
  compiled.cubin = std::move(module.cubin);
  if (const auto needs = module.resources.find(compiled.kernel); needs != module.resources.end()) {
    compiled.resources = needs->second;
    compiled.has_resources = true;
  }
  compiled.architecture = fmt::format("sm_{}", request.compute_capability);
  compiled.compiler = fmt::format("NVRTC {}", library.version());
  compiled.log = std::move(module.log);
  return compiled;
}

std::shared_ptr<const IncludedFiles> included_by(const DeviceProgram& program) {
  IncludedFiles included = program.included();
  return included.empty() ? nullptr : std::make_shared<const IncludedFiles>(std::move(included));
}

// Compiled modules of a request on disk: one for all kernels that are compiled with their files,
// and one for each instance of a template.
class RequestCache {
 public:
  RequestCache(const KernelChoice& choice, std::string of_files, std::string of_choice)
      : choice_(choice), of_files_(std::move(of_files)), of_choice_(std::move(of_choice)) {}

  // What nobody else should compile meanwhile.
  [[nodiscard]] const std::string& digest() const {
    return choice_.is_in_module ? of_files_ : of_choice_;
  }

  struct Found {
    CompiledModule module;
    std::string entry;
  };
  [[nodiscard]] std::optional<Found> find() const {
    if (choice_.is_in_module) {
      if (auto module = cache_.find(of_files_)) {
        if (auto entry = entry_of(*module)) return Found{*std::move(module), *std::move(entry)};
      }
    }
    auto module = cache_.find(of_choice_);
    if (!module || module->instance.empty()) return std::nullopt;
    std::string entry = module->instance;
    return Found{*std::move(module), std::move(entry)};
  }

  // A kernel whose name the compiler decorates (an unnamed namespace's) is found by that name
  // alone.
  void store(CompiledModule module) const {
    if (!choice_.is_in_module || !entry_of(module)) return cache_.store(of_choice_, module);
    module.instance.clear();
    cache_.store(of_files_, module);
  }

 private:
  [[nodiscard]] std::optional<std::string> entry_of(const CompiledModule& module) const {
    const std::vector<std::string> entries = find_entries(module.ptx);
    if (!choice_.expression.empty()) return exact_entry(entries, choice_.expression);
    const Result<std::string> entry = choose_entry(entries, choice_.entry);
    return entry ? std::optional(*entry) : std::nullopt;
  }

  const KernelChoice& choice_;
  std::string of_files_;
  std::string of_choice_;
  CompileCache cache_{cache_directory() / "compiled"};
};

// `found`: gets the compiler's errors where the text is wrong; may be nullptr.
Result<CompiledKernel> compile_noting(const CompileRequest& request,
                                      std::vector<CompileError>* found,
                                      const std::stop_token& stop) {
  const auto start = std::chrono::steady_clock::now();
  if (request.instance.is_ptx()) return open_ptx(request, stop);
  const auto& loaded = nvrtc();
  if (!loaded) return loaded.error();
  const NvrtcLibrary& library = **loaded;
  if (Status known = check_architecture(library, request.compute_capability); !known) {
    return std::move(known).error();
  }

  const std::vector<std::string> cuda_folders = cuda_include_directories(library.file().string());
  Result<DeviceProgram> program = DeviceProgram::open(request.instance, cuda_folders);
  if (!program) return std::move(program).error();
  const std::shared_ptr<const IncludedFiles> included = included_by(*program);
  const Result<KernelChoice> choice = choose_kernel(program->files(), request.instance.kernel);
  if (!choice) return choice.error();

  std::vector<std::string> options = make_options(request, *program);
  if (library.knows_minimal() && is_plain(*program)) options.emplace_back("--minimal");
  if (library.keeps_a_cache()) options.emplace_back("--no-cache");
  const auto digest = [&](const std::string& kernel) {
    return cache_digest(library, *program, options, cuda_folders, kernel);
  };
  const RequestCache cache(*choice, digest(""), digest(choice->expression + "|" + choice->entry));
  static CompileFlights flights;
  const CompileFlights::Turn turn(flights, cache.digest());
  if (stop.stop_requested()) return Error{ErrorCode::kCancelled, "it was cancelled", "", {}};
  if (program->is_closed()) {
    if (auto kept = cache.find()) {
      CompiledKernel kernel =
          kernel_of(std::move(kept->module), std::move(kept->entry), request, library);
      kernel.from_cache = true;
      kernel.included = included;
      return kernel;
    }
  }
  Result<NvrtcLibrary::Output> output =
      compile_in_rounds(library, *program, options, *choice, found, stop);
  if (!output) return std::move(output).error();
  CompiledModule module = module_of(*std::move(output), *program);
  std::string entry = module.instance;
  if (entry.empty()) {
    Result<std::string> chosen = choose_entry(find_entries(module.ptx), choice->entry);
    if (!chosen) {
      Error error = std::move(chosen).error();
      error.place.file = request.instance.file_name;
      return error;
    }
    entry = *std::move(chosen);
  }
  if (program->is_closed()) cache.store(module);
  CompiledKernel compiled = kernel_of(std::move(module), std::move(entry), request, library);
  compiled.included = included;
  compiled.seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return compiled;
}

}  // namespace

// NOLINTNEXTLINE(performance-unnecessary-value-param): a token is a handle, passed as std does
Result<CompiledKernel> compile(const CompileRequest& request, std::stop_token stop) {
  Result<CompiledKernel> compiled = compile_noting(request, nullptr, stop);
  if (!compiled) return compiled;
  if (Status fit = check_launch_fit(*compiled, request.instance); !fit) return fit.error();
  return compiled;
}

// NOLINTNEXTLINE(performance-unnecessary-value-param): as above
std::vector<Error> compile_errors(const CompileRequest& request, std::stop_token stop) {
  std::vector<CompileError> found;
  const Result<CompiledKernel> compiled = compile_noting(request, &found, stop);
  std::vector<Error> errors;
  if (compiled || compiled.error().place.line == 0) return errors;
  errors.push_back(compiled.error());  // what compile() says comes first, with its remedy
  for (const CompileError& each : found) {
    const Place& place = errors.front().place;
    if (each.line == 0 || (each.line == place.line && each.file == place.file)) continue;
    errors.push_back({ErrorCode::kKernel, each.message, "", {each.file, each.line, each.column}});
  }
  return errors;
}

Result<CompilerInfo> compiler_info() {
  const auto& loaded = nvrtc();
  if (!loaded) return loaded.error();
  const NvrtcLibrary& library = **loaded;
  CompilerInfo info;
  info.version = fmt::format("NVRTC {} ({})", library.version(), library.file().string());
  info.library = library.file().string();
  const std::vector<std::string> folders = cuda_include_directories(info.library);
  if (!folders.empty()) info.cuda_include_directory = folders.front();
  info.architectures = library.architectures();
  return info;
}

}  // namespace tilescope
