#include "analysis/study/opened_file.h"

#include <fmt/format.h>

#include <filesystem>
#include <utility>

#include "emulator/machine_text.h"
#include "kernel/compile/device_code.h"
#include "kernel/launch/project_text.h"

namespace tilescope {

bool can_be_opened(const std::string& path) { return is_kernel_file(path) || is_device_code(path); }

Result<OpenedFile> open_kernel_file(const std::string& path, int compute_capability) {
  if (is_kernel_file(path) || !is_device_code(path)) {
    auto text = read_kernel_file(path);
    if (!text) return std::move(text).error();
    auto included = included_kernels(*text);
    if (!included) return OpenedFile{*std::move(text), 0, ""};
    std::string note = fmt::format("it has no kernel: those of {}, which it includes, are shown\n",
                                   included->path);
    return OpenedFile{*std::move(included), 0, std::move(note)};
  }
  auto code = read_device_code(path, compute_capability);
  if (!code) return std::move(code).error();
  OpenedFile opened;
  opened.file.path = path + ".ptx";
  opened.notes = std::move(code->notes);
  if (!code->ptx.empty()) {
    opened.file.source = std::move(code->ptx);
    return opened;
  }
  std::error_code ignored;
  const std::string whole = std::filesystem::absolute(path, ignored).lexically_normal().string();
  auto text = machine_code_as_ptx(code->cubin, whole, {});
  if (!text) return std::move(text).error();
  opened.file.source = *std::move(text);
  opened.compute_capability = code->compute_capability;
  return opened;
}

}  // namespace tilescope
