#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/result.h"

namespace tilescope {

// Device code as nvcc packs it into a program, and `fatbinary` into a file: PTX and cubins for
// several architectures, each compressed or not (LZ4, zstd).
struct FatBinary {
  struct Entry {
    bool is_ptx = false;         // else a cubin
    int compute_capability = 0;  // 90
    bool is_specific = false;    // PTX or code of sm_90a, for that architecture alone
    std::vector<std::byte> bytes;
    std::size_t part = 0;  // of several fat binaries in a row: which one has it
  };
  std::vector<Entry> entries;
  std::vector<std::string> left_out;  // why an entry is not among them: a sentence each

  // The PTX for a device: of the highest architecture that is not above it. nullptr: none.
  [[nodiscard]] const Entry* ptx_for(int compute_capability) const;
  // The same of each part that has one.
  [[nodiscard]] std::vector<const Entry*> ptx_of_parts(int compute_capability) const;
  // The cubin that such a device executes: of its major architecture, the highest minor that is not
  // above it. nullptr: none.
  [[nodiscard]] const Entry* cubin_for(int compute_capability) const;
};

// What a text of PTX was made for.
struct PtxTarget {
  int compute_capability = 0;  // 90; 0: the text is no PTX
  bool is_specific = false;    // sm_90a, for that architecture alone
};
[[nodiscard]] PtxTarget target_of_ptx(std::string_view text);

// Whether the bytes begin as a fat binary does.
[[nodiscard]] bool is_fat_binary(std::span<const std::byte> bytes);

// Errors (kKernel): bytes that are no fat binary, or end inside one.
[[nodiscard]] Result<FatBinary> read_fat_binary(std::span<const std::byte> bytes);

// One block of LZ4's block format. Empty: it is not one that makes `bytes` bytes.
[[nodiscard]] std::vector<std::byte> unpack_lz4(std::span<const std::byte> packed,
                                                std::size_t bytes);

// The fat binaries of a file: the file itself, or those in a program, library or object file (ELF's
// section .nv_fatbin). [] where it has none. Errors as read_fat_binary().
[[nodiscard]] Result<std::vector<FatBinary>> find_fat_binaries(std::span<const std::byte> file);

}  // namespace tilescope
