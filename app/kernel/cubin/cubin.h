#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "kernel/cubin/elf_file.h"

namespace tilescope {

// What sections .nv.info say: EIATTR_… as nvdisasm names it, those with a value of some bytes.
enum class CubinAttribute : std::uint16_t {
  kParameterBank = 0x0a04,    // PARAM_CBANK: of bank 0, after a symbol (4 bytes), where they begin
  kFrameBytes = 0x1104,       // FRAME_SIZE: a symbol, bytes of local memory
  kLeastStackBytes = 0x1204,  // MIN_STACK_SIZE: a symbol, the same with what it calls
  kParameter = 0x1704,        // KPARAM_INFO
  kLargeParameter = 0x4504,   // KPARAM_INFO_V2, of kernels with more than 4 KB of parameters
  kRegisters = 0x2f04,        // REGCOUNT: a symbol, registers per thread
  kBranchTargets = 0x3404,    // INDIRECT_BRANCH_TARGETS: of each BRX its address, 4 bytes more, how
                              // many targets, and these
};

// Calls with each attribute of such a section and its value.
template <typename Take>
void for_each_attribute(std::span<const std::byte> info, const Take& take) {
  for (std::size_t at = 0; at + 4 <= info.size();) {
    CubinAttribute attribute{};
    std::uint16_t bytes = 0;
    if (!read_at(info, at, &attribute) || !read_at(info, at + 2, &bytes)) return;
    at += 4;
    if ((static_cast<unsigned>(attribute) & 0xffU) != 4) continue;  // those two bytes are its value
    take(attribute, info.subspan(at, std::min<std::size_t>(bytes, info.size() - at)));
    at += bytes;
  }
}

// 90 of a cubin for sm_90 or sm_90a; 0: the bytes are no cubin.
[[nodiscard]] int architecture_of_cubin(std::span<const std::byte> bytes);

// A kernel of a cubin and where its parameters lie, from .nv.info.
struct CubinKernel {
  struct Parameter {
    std::uint32_t offset = 0;  // bytes into the parameters
    std::uint32_t bytes = 0;
  };
  std::string name;                   // mangled
  std::vector<Parameter> parameters;  // in order
};
[[nodiscard]] std::vector<CubinKernel> kernels_of_cubin(std::span<const std::byte> cubin);

// A __constant__ variable of a cubin.
struct CubinConstant {
  std::string name;                  // mangled
  std::uint64_t offset = 0;          // bytes into constant bank 3
  std::span<const std::byte> image;  // what it holds at the start; refers to the cubin
};
[[nodiscard]] std::vector<CubinConstant> constants_of_cubin(std::span<const std::byte> cubin);

// What a cubin says of a kernel: registers, shared memory, stack. Zeros where it does not.
struct CubinFacts {
  bool is_found = false;
  int registers = 0;
  std::uint64_t static_shared_bytes = 0;  // without what the system keeps for itself
  std::uint64_t stack_bytes = 0;          // per thread
  std::uint64_t constant_bytes = 0;       // of the module's __constant__ variables
};
[[nodiscard]] CubinFacts facts_of_cubin(std::span<const std::byte> cubin,
                                        const std::string& kernel);

}  // namespace tilescope
