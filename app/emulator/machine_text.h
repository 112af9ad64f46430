#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "core/result.h"
#include "kernel/cubin/cubin.h"

namespace tilescope {

// A cubin's kernels as one PTX text that does the same, register by register, for files that hold
// no PTX. Behind the line that stands for a machine instruction is a comment with its address and
// text. Parameters are named p0, p1 ...; those of 8 bytes may be pointers. `path`: of the file that
// the cubin is in, which the first line names (kernel/compile/device_code.h).
// Errors: those of disassemble(); kKernel for a cubin without kernels, or code that cannot be
// followed.
[[nodiscard]] Result<std::string> machine_code_as_ptx(const std::vector<std::byte>& cubin,
                                                      const std::string& path,
                                                      const std::stop_token& stop);

// The same of one kernel. Errors: as there; kKernel where the cubin has no such kernel.
[[nodiscard]] Result<std::string> machine_code_as_ptx(const std::vector<std::byte>& cubin,
                                                      const CubinKernel& kernel,
                                                      const std::string& path,
                                                      const std::stop_token& stop);

// Of such a text: the addresses of a kernel's machine instructions by their lines (1-based). A
// function that is called several times has several lines for one address.
[[nodiscard]] std::map<std::uint32_t, std::uint32_t> machine_instructions(std::string_view text,
                                                                          std::string_view kernel);

}  // namespace tilescope
