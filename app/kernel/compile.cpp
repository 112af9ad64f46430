#include "kernel/compile.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>

#include "kernel/compile_errors.h"
#include "kernel/compile_flights.h"
#include "kernel/compile_log.h"
#include "kernel/compile_options.h"
#include "kernel/compile_rounds.h"
#include "kernel/device_program.h"
#include "kernel/kernel_name.h"
#include "kernel/launch_fit.h"
#include "kernel/nvcc.h"
#include "kernel/nvrtc_process.h"
#include "kernel/ptx_file.h"
#include "kernel/refusals.h"
#include "kernel/request_cache.h"
#include "kernel/source_name.h"

namespace tilescope {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

Status check_architecture(const NvrtcFacts& facts, int compute_capability) {
  const std::vector<int>& known = facts.architectures;
  if (std::ranges::find(known, compute_capability) != known.end()) return ok_status();
  std::vector<std::string> names;
  names.reserve(known.size());
  for (int architecture : known) names.push_back(fmt::format("sm_{}", architecture));
  return Error{ErrorCode::kUsage,
               fmt::format("NVRTC {} does not know sm_{}", facts.version(), compute_capability),
               fmt::format("It knows {}", fmt::join(names, ", ")),
               {}};
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
    module.log = renamed(std::move(module.log), plain_name(file.name()), file.name());
  }
  return module;
}

CompiledKernel kernel_of(CompiledModule module, std::string entry, const CompileRequest& request,
                         const NvrtcFacts& facts) {
  CompiledKernel compiled;
  compiled.kernel = std::move(entry);
  compiled.ptx = std::move(module.ptx);
  compiled.cubin = std::move(module.cubin);
  if (const auto needs = module.resources.find(compiled.kernel); needs != module.resources.end()) {
    compiled.resources = needs->second;
    compiled.has_resources = true;
  }
  compiled.architecture = fmt::format("sm_{}", request.compute_capability);
  compiled.compiler = fmt::format("NVRTC {}", facts.version());
  compiled.log = std::move(module.log);
  return compiled;
}

std::shared_ptr<const IncludedFiles> included_by(const DeviceProgram& program) {
  IncludedFiles included = program.included();
  return included.empty() ? nullptr : std::make_shared<const IncludedFiles>(std::move(included));
}

// Whether NVRTC's complaint may be for want of a host header: a name that is not known. Asking nvcc
// takes its time, which a slip of the pen is not worth.
bool may_want_a_header(const DeviceProgram& program, const Error& error) {
  constexpr std::array<std::string_view, 5> kUnknown = {"undefined", "class or namespace name",
                                                        "has no member", "incomplete type",
                                                        "cannot be instantiated"};
  return program.leaves_headers_out() && error.code != ErrorCode::kCancelled &&
         std::ranges::any_of(kUnknown, [&](std::string_view words) {
           return error.message.find(words) != std::string::npos;
         });
}

// Of what nvcc makes: the same for a cubin.
std::string nvcc_digest(CompileRequest request, const DeviceProgram& program,
                        const NvrtcFacts& facts, const std::vector<std::string>& cuda_folders) {
  request.want_cubin = false;
  return cache_digest(facts, program, nvrtc_options(request, program, facts), cuda_folders, "nvcc");
}

// nvcc's answer where it has one; else NVRTC's complaint stands.
Result<CompiledKernel> try_nvcc(const CompileRequest& request, const DeviceProgram& program,
                                const Error& complaint, const std::string& digest,
                                const std::stop_token& stop) {
  Result<CompiledKernel> compiled = compile_with_nvcc(request, program, digest, stop);
  if (!compiled) {
    const bool matters = compiled.error().code == ErrorCode::kCancelled ||
                         compiled.error().code == ErrorCode::kUsage;  // which kernel is meant
    return matters ? compiled.error() : complaint;
  }
  compiled->why_nvcc = to_string(complaint);
  return compiled;
}

// NVRTC's errors where the text is wrong, and whether nvcc is asked then and takes its time.
struct Noted {
  std::vector<CompileError> found;
  bool waits_for_nvcc = false;
};

// `noted`: NVRTC alone is asked, and this gets what it says; nullptr: nvcc too, where that may
// help.
Result<CompiledKernel> compile_noting(const CompileRequest& request, Noted* noted,
                                      const std::stop_token& stop) {
  const auto start = Clock::now();
  if (request.instance.is_ptx()) return open_ptx(request, stop);
  const Result<NvrtcFacts> facts = nvrtc().facts(stop);
  if (!facts) return facts.error();
  if (Status known = check_architecture(*facts, request.compute_capability); !known) {
    return std::move(known).error();
  }

  const std::vector<std::string> cuda_folders = cuda_include_directories(facts->file);
  Result<DeviceProgram> program = DeviceProgram::open(request.instance, cuda_folders);
  if (!program) return std::move(program).error();
  const std::shared_ptr<const IncludedFiles> included = included_by(*program);
  const Result<KernelChoice> choice = choose_kernel(program->files(), request.instance.kernel);
  if (!choice) return choice.error();

  const std::vector<std::string> options = nvrtc_options(request, *program, *facts);
  const auto digest = [&](const std::string& kernel) {
    return cache_digest(*facts, *program, options, cuda_folders, kernel);
  };
  const RequestCache cache(*choice, digest(""), digest(choice->expression + "|" + choice->entry));
  static CompileFlights flights;
  const CompileFlights::Turn turn(flights, cache.digest());
  if (stop.stop_requested()) return Error{ErrorCode::kCancelled, "it was cancelled", "", {}};
  if (program->is_closed()) {
    if (auto kept = cache.find()) {
      CompiledKernel kernel =
          kernel_of(std::move(kept->module), std::move(kept->entry), request, *facts);
      kernel.from_cache = true;
      kernel.included = included;
      return kernel;
    }
  }
  static Refusals refusals;
  std::optional<Refusal> refusal;
  if (program->is_closed()) refusal = refusals.find(cache.digest());
  Result<NvrtcLibrary::Output> output = NvrtcLibrary::Output{};
  if (!refusal) {
    Refusal made;
    output = compile_in_rounds(nvrtc(), *program, options, *choice, &made, stop);
    if (!output) {
      made.error = output.error();
      made.nvcc_may_take_it = made.crashed || may_want_a_header(*program, made.error);
      const bool lasts = made.error.code == ErrorCode::kKernel && program->is_closed();
      if (lasts) refusals.keep(cache.digest(), made);
      refusal = std::move(made);
    }
  }
  if (refusal) {
    if (noted != nullptr) {
      noted->waits_for_nvcc =
          refusal->nvcc_may_take_it &&
          !nvcc_answers_at_once(*program, nvcc_digest(request, *program, *facts, cuda_folders));
      noted->found = std::move(refusal->found);
    }
    if (noted != nullptr || !refusal->nvcc_may_take_it) return std::move(refusal->error);
    Result<CompiledKernel> compiled =
        try_nvcc(request, *program, refusal->error,
                 nvcc_digest(request, *program, *facts, cuda_folders), stop);
    if (!compiled) return compiled;
    compiled->included = included;
    compiled->seconds = seconds_since(start);
    return compiled;
  }
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
  CompiledKernel compiled = kernel_of(std::move(module), std::move(entry), request, *facts);
  compiled.included = included;
  compiled.seconds = seconds_since(start);
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

namespace {

std::vector<Error> errors_of(const Result<CompiledKernel>& compiled, const Noted& noted) {
  std::vector<Error> errors;
  if (compiled || compiled.error().place.line == 0) return errors;
  errors.push_back(compiled.error());  // what compile() says comes first, with its remedy
  for (const CompileError& each : noted.found) {
    const Place& place = errors.front().place;
    if (each.line == 0 || (each.line == place.line && each.file == place.file)) continue;
    errors.push_back({ErrorCode::kKernel, each.message, "", {each.file, each.line, each.column}});
  }
  return errors;
}

}  // namespace

// NOLINTNEXTLINE(performance-unnecessary-value-param): as above
std::vector<Error> compile_errors(const CompileRequest& request, std::stop_token stop) {
  Noted noted;
  const Result<CompiledKernel> compiled = compile_noting(request, &noted, stop);
  return errors_of(compiled, noted);
}

// NOLINTNEXTLINE(performance-unnecessary-value-param): as above
std::vector<Error> complaints_before_nvcc(const CompileRequest& request, std::stop_token stop) {
  Noted noted;
  const Result<CompiledKernel> compiled = compile_noting(request, &noted, stop);
  return noted.waits_for_nvcc ? errors_of(compiled, noted) : std::vector<Error>();
}

std::string note_on_compiler(const CompiledKernel& compiled) {
  if (compiled.why_nvcc.empty()) return {};
  return fmt::format(
      "NVRTC refuses the file ({}): {} compiled it, whose code is not always the same",
      compiled.why_nvcc, compiled.compiler);
}

Result<CompilerInfo> compiler_info() {
  const Result<NvrtcFacts> facts = nvrtc().facts({});
  if (!facts) return facts.error();
  CompilerInfo info;
  info.version = fmt::format("NVRTC {} ({})", facts->version(), facts->file);
  info.library = facts->file;
  const std::vector<std::string> folders = cuda_include_directories(info.library);
  if (!folders.empty()) info.cuda_include_directory = folders.front();
  info.architectures = facts->architectures;
  return info;
}

}  // namespace tilescope
