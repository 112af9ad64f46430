#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "kernel/cubin/elf_file.h"

namespace tilescope {

// A line of a text, and where it was inlined.
struct CubinLine {
  std::uint32_t file = 0;  // into CubinLines::files
  std::uint32_t line = 0;
  std::uint32_t inlined_at = 0;  // into CubinLines::lines, counted from 1; 0: nowhere
};

// Where the instructions of one function come from.
struct CubinLines {
  struct Row {
    std::uint64_t address = 0;  // of the first instruction that it holds for, bytes
    std::size_t line = 0;       // into `lines`
  };
  std::vector<std::string> files;
  std::vector<CubinLine> lines;
  std::vector<Row> rows;  // by address, each once
};

// The line table of a cubin: DWARF 2's, with NVIDIA's operation for calls that were inlined (as
// cuda-gdb reads it). `table`: ".debug_line" leads to the CUDA source, ".nv_debug_line_sass" to the
// PTX, whose lines have no file. Empty where the cubin has none of the function, or one that ends
// in the middle.
[[nodiscard]] CubinLines cubin_lines(const std::vector<ElfSection>& sections,
                                     const std::vector<ElfSymbol>& symbols, std::string_view table,
                                     std::string_view function);

}  // namespace tilescope
