#include "kernel/compile_rounds.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <optional>
#include <utility>

#include "core/device_table.h"
#include "kernel/ptx_place.h"
#include "kernel/source_name.h"
#include "kernel/spelling.h"

namespace tilescope {
namespace {

// Of looking for the line at which NVRTC crashes.
constexpr std::chrono::milliseconds kMostSearch{3000};
constexpr std::chrono::milliseconds kMostTry{1000};

constexpr int kMostTries = 16;  // each but the last sets some host code aside

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

// Where the kernel that is meant is declared; the whole file where that is not known.
Place place_of(const DeviceProgram& program, const KernelChoice& choice) {
  const std::string name = choice.expression.substr(0, choice.expression.find('<'));
  for (const DeviceSource& file : program.files()) {
    for (const Declaration& declaration : file.declarations()) {
      if (!declaration.is_kernel) continue;
      const std::string qualified = declaration.scope.empty()
                                        ? declaration.name
                                        : declaration.scope + "::" + declaration.name;
      if (name.empty() || name == qualified) {
        return {file.name(), static_cast<int>(declaration.first_line), 0};
      }
    }
  }
  return {program.files().front().name(), 0, 0};
}

// The last line of the shortest beginning of the source that makes NVRTC crash. 0: not found.
int crashing_line(NvrtcProcesses& nvrtc, NvrtcLibrary::Input input, const std::stop_token& stop) {
  const auto end = std::chrono::steady_clock::now() + kMostSearch;
  const std::string whole = std::exchange(input.source, {});
  std::vector<std::size_t> ends;  // of its lines, as offsets
  for (std::size_t at = whole.find('\n'); at != std::string::npos; at = whole.find('\n', at + 1)) {
    ends.push_back(at + 1);
  }
  if (!whole.ends_with('\n')) ends.push_back(whole.size());
  std::size_t good = 0;  // lines
  std::size_t bad = ends.size();
  while (bad > good + 1 && !stop.stop_requested() && std::chrono::steady_clock::now() < end) {
    const std::size_t middle = good + (bad - good) / 2;
    input.source = whole.substr(0, ends[middle - 1]);
    const auto answer = nvrtc.compile(input, kMostTry, stop);
    if (!answer) return 0;
    (answer->death ? bad : good) = middle;
  }
  return bad == good + 1 ? static_cast<int>(bad) : 0;
}

// NVRTC ended without an answer. `input`: what it was given.
Error death_error(NvrtcProcesses& nvrtc, const NvrtcDeath& death, NvrtcLibrary::Input input,
                  const DeviceProgram& program, const KernelChoice& choice,
                  const std::stop_token& stop) {
  Place place = place_of(program, choice);
  if (death.cause != NvrtcDeath::Cause::kCrash) {
    return {ErrorCode::kKernel,
            fmt::format("NVRTC, the CUDA compiler, {} for this file and was stopped", death.how),
            "Look for a template that instantiates itself without end, a huge array or a long "
            "unrolled loop",
            std::move(place)};
  }
  const std::string with = input.kernel.empty() ? "" : fmt::format(" for {}", choice.expression);
  if (input.kernel.empty()) {
    const int line = crashing_line(nvrtc, std::move(input), stop);
    if (line > 0) place = {program.files().front().name(), line, 0};
  }
  return {ErrorCode::kKernel,
          fmt::format("NVRTC, the CUDA compiler, crashed when it compiled this file{}: it {}", with,
                      death.how),
          "Change the text near this line; it may hold a mistake that NVRTC does not survive",
          std::move(place)};
}

// A text with mistakes can crash NVRTC where it looks up the kernel's name. Without one it says
// what the mistakes are. `input`: what the answer is to.
Result<NvrtcProcesses::Answer> compile_once(NvrtcProcesses& nvrtc, NvrtcLibrary::Input* input,
                                            const std::stop_token& stop) {
  const auto crashed = [](const Result<NvrtcProcesses::Answer>& answer) {
    return answer.ok() && answer->death && answer->death->cause == NvrtcDeath::Cause::kCrash;
  };
  auto answer = nvrtc.compile(*input, stop);
  if (!crashed(answer) || input->kernel.empty()) return answer;
  NvrtcLibrary::Input nameless = *input;
  nameless.kernel.clear();
  auto without = nvrtc.compile(nameless, stop);
  if (without.ok() && !without->death && without->output.compiled) return answer;
  *input = std::move(nameless);
  return without;
}

}  // namespace

std::string with_given_names(std::string ptx, const DeviceProgram& program) {
  for (const DeviceSource& file : program.files()) {
    ptx = with_given_name(std::move(ptx), file.name());
  }
  return ptx;
}

Result<NvrtcLibrary::Output> compile_in_rounds(NvrtcProcesses& nvrtc, DeviceProgram& program,
                                               const std::vector<std::string>& options,
                                               const KernelChoice& choice, Refusal* refusal,
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
    auto answer = compile_once(nvrtc, &input, stop);
    if (!answer) return std::move(answer).error();
    if (answer->death) {
      refusal->crashed = answer->death->cause == NvrtcDeath::Cause::kCrash;
      return death_error(nvrtc, *answer->death, std::move(input), program, choice, stop);
    }
    NvrtcLibrary::Output& output = answer->output;
    if (output.compiled) return std::move(output);

    std::vector<CompileError> errors = find_errors(output.log);
    if (std::optional<Error> failed = assembler_error(output, errors, program)) {
      return *std::move(failed);
    }
    for (CompileError& error : errors) error.file = given_name(program, std::move(error.file));
    const bool only_name = !errors.empty() && std::ranges::all_of(errors, [](const auto& error) {
      return error.file.starts_with("__nv_name_map");
    });
    if (only_name) return no_such_kernel(program, choice, errors.front().message);
    std::optional<Error> final = program.learn_from(errors);
    if (final) refusal->found = errors;
    if (final) return *std::move(final);
    last = {ErrorCode::kKernel,
            errors.front().message,
            "",
            {errors.front().file, errors.front().line, errors.front().column}};
  }
  return last;
}

}  // namespace tilescope
