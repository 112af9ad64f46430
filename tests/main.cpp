// The main() of the tests: also the process that NVRTC runs in, which they start from this same
// program as Tilescope does.
#include <gtest/gtest.h>

#include "kernel/compile/nvrtc_process.h"

int main(int argc, char** argv) {
  if (const auto status = tilescope::serve_as_compile_worker(argc, argv)) return *status;
  testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
