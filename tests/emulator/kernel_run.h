#pragma once
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "emulator/block/block_trace.h"
#include "emulator/emulate.h"
#include "kernel/compile/compile.h"
#include "kernel/launch/instance.h"

namespace tilescope {

// An instance of a catalogue kernel, compiled, with its buffers made.
struct PreparedKernel {
  KernelInstance instance;
  std::shared_ptr<const Program> program;
  Launch launch;
  DeviceMemory memory;

  [[nodiscard]] std::vector<float> floats(const std::string& argument) const;
};

// Fails the current test with a message, and returns an empty program, when something is amiss.
PreparedKernel prepare_kernel(const std::string& id, const ParameterSet& changes,
                              const std::string& size);

// The result that the kernel has to give: the same operations in the same order.
std::vector<float> expected_result(const PreparedKernel& prepared,
                                   const std::vector<float>& before);

}  // namespace tilescope
