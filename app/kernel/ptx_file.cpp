#include "kernel/ptx_file.h"

#include <fmt/format.h>

#include "kernel/kernel_name.h"

namespace tilescope {
namespace {

// The first word behind a directive that begins a line: "sm_90" of ".target sm_90, debug".
std::string word_behind(std::string_view ptx, std::string_view directive) {
  for (std::size_t at = ptx.find(directive); at != std::string_view::npos;
       at = ptx.find(directive, at + 1)) {
    const std::size_t line = ptx.rfind('\n', at) + 1;  // npos + 1 is 0
    if (ptx.substr(line, at - line).find_first_not_of(" \t") != std::string_view::npos) continue;
    const std::size_t first = ptx.find_first_not_of(" \t", at + directive.size());
    if (first == std::string_view::npos) break;
    return std::string(ptx.substr(first, ptx.find_first_of(" \t\r\n,", first) - first));
  }
  return "";
}

}  // namespace

Result<CompiledKernel> open_ptx(const KernelInstance& instance) {
  CompiledKernel compiled;
  compiled.ptx = instance.source;
  compiled.architecture = word_behind(compiled.ptx, ".target");
  const std::string version = word_behind(compiled.ptx, ".version");
  if (compiled.architecture.empty() || version.empty()) {
    return Error{ErrorCode::kKernel,
                 "the file is no PTX: .version or .target is missing",
                 "",
                 {instance.file_name, 0, 0}};
  }
  compiled.compiler = fmt::format("PTX {}", version);
  Result<std::string> entry = choose_entry(find_entries(compiled.ptx), instance.kernel);
  if (!entry) {
    Error error = std::move(entry).error();
    error.place.file = instance.file_name;
    return error;
  }
  compiled.kernel = std::move(entry).value();
  return compiled;
}

}  // namespace tilescope
