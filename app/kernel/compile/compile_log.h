#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kernel/compile/compile.h"

namespace tilescope {

// One error of the compiler's log.
struct CompileError {
  std::string file;  // as NVRTC was told; empty: none is named
  int line = 0;
  int column = 0;  // 1-based; 0: unknown
  std::string message;
  int ptx_line = 0;  // of the assembler's complaints: in the PTX; they name no other place
};

// Every error of NVRTC's front end and of ptxas, in the log's order. Columns come from the caret
// below the source line that the log repeats.
[[nodiscard]] std::vector<CompileError> find_errors(std::string_view log);

// Whether the front end misses or meets a character, which no header and no other compiler cures.
[[nodiscard]] bool is_slip_of_the_pen(std::string_view message);

// The entry with the most static shared memory that ptxas -v tells of, where that is more than
// `most_bytes`: NVRTC then fails without a word.
struct SharedOverflow {
  std::string entry;
  int bytes = 0;
};
[[nodiscard]] std::optional<SharedOverflow> find_shared_overflow(std::string_view log,
                                                                 int most_bytes);

// What ptxas -v says of the kernel; nothing when it is not there.
[[nodiscard]] std::optional<KernelResources> find_resources(std::string_view log,
                                                            std::string_view kernel);

// The log's warnings, without ptxas's information and NVRTC's remarks.
[[nodiscard]] std::string find_warnings(std::string_view log);

}  // namespace tilescope
