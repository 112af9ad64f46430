#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/result.h"

namespace tilescope {

// The device code of a file that is no text: a cubin, a fat binary, or a program, a library or an
// object file with fat binaries in it.
struct DeviceCode {
  std::string ptx;               // preferred; empty: there is machine code alone
  std::vector<std::byte> cubin;  // without PTX
  int compute_capability = 0;    // that the PTX or the cubin is for
  std::string notes;             // what else there is and is not read: a line each; may be empty
};

// Whether a file begins as such a one does. False where it cannot be read.
[[nodiscard]] bool is_device_code(const std::string& path);

// Whether it is a program for this machine's processor, which may be started.
[[nodiscard]] bool is_host_program(const std::string& path);

// The PTX for the device, else that of another architecture; without PTX the machine code for the
// device, else for another one. Of several modules the one with the most kernels. Errors (kUsage):
// there is no such file or no device code in it, or only for architectures below sm_75.
[[nodiscard]] Result<DeviceCode> read_device_code(const std::string& path, int compute_capability);

// PTX that was written for machine code says in its first line which file that is in, so that the
// code itself is executed and counted.
struct MachineCodeOrigin {
  std::string path;  // empty: a program had loaded it; keep_cubin() has it
  int compute_capability = 0;
  std::string digest;  // of the cubin
};
[[nodiscard]] std::string digest_of_cubin(const std::vector<std::byte>& cubin);
[[nodiscard]] std::string origin_line(const MachineCodeOrigin& origin);  // with its end
[[nodiscard]] std::optional<MachineCodeOrigin> machine_code_origin(std::string_view ptx);
// Keeps the machine code of a program beside compiled kernels.
void keep_cubin(const std::vector<std::byte>& cubin);
// The cubin. Errors (kMachine): the file is gone, or holds another one by now; it is not kept.
[[nodiscard]] Result<std::vector<std::byte>> cubin_of(const MachineCodeOrigin& origin);

}  // namespace tilescope
