// The main() of the tests: also the process that NVRTC runs in, which they start from this same
// program as Tilescope does.
#include "kernel/compile/nvrtc_process.h"
#include "runner/run_tests.h"

int main(int argc, char** argv) {
  if (const auto status = tilescope::serve_as_compile_worker(argc, argv)) return *status;
  return tilescope::testing::run_tests(argc, argv);
}
