#include "kernel/compile_rounds.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "core/device_table.h"
#include "kernel/source_name.h"
#include "kernel/spelling.h"
#include "ptx/place.h"

namespace tilescope {
namespace {

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

}  // namespace

std::string with_given_names(std::string ptx, const DeviceProgram& program) {
  for (const DeviceSource& file : program.files()) {
    ptx = with_given_name(std::move(ptx), file.name());
  }
  return ptx;
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

}  // namespace tilescope
