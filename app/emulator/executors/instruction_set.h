#pragma once
#include <string_view>

#include "emulator/micro_operation.h"
#include "emulator/operation.h"

// The folder executors/ is compiled once per instruction set, each time into a namespace of its
// own: TILESCOPE_ISA is portable, avx2 or avx512. Nothing in it may have external linkage outside
// that namespace, or the linker could take a function of a newer instruction set for an older
// machine.
#ifndef TILESCOPE_ISA
#define TILESCOPE_ISA portable
#endif

namespace tilescope {

// The executor for a key; nullptr: there is none.
using FindExecutor = Executor (*)(const OperationKey& key);

struct InstructionSet {
  std::string_view name;
  FindExecutor find = nullptr;
};

namespace portable {
[[nodiscard]] Executor find_executor(const OperationKey& key);
}
namespace avx2 {
[[nodiscard]] Executor find_executor(const OperationKey& key);
}
namespace avx512 {
[[nodiscard]] Executor find_executor(const OperationKey& key);
}

// Whether this machine runs what is compiled for it.
[[nodiscard]] bool runs_avx2();
[[nodiscard]] bool runs_avx512();

}  // namespace tilescope
