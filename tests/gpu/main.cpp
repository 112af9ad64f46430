// The tests, and the misbehaving worker that they start: this same program with --fake-worker.
#include <cstdlib>
#include <string_view>

#include "fake_worker.h"
#include "gpu/worker_link.h"
#include "kernel/compile/nvrtc_process.h"
#include "runner/run_tests.h"

int main(int argc, char** argv) {
  if (const auto status = tilescope::serve_as_compile_worker(argc, argv)) return *status;
  if (argc >= 3 && std::string_view(argv[1]) == "--fake-worker") {
    const bool has_device = argc >= 5 && std::string_view(argv[3]) == "--device";
    return tilescope::fake_worker_main(argv[2], has_device ? std::atoi(argv[4]) : 0);
  }
  if (argc >= 2 && std::string_view(argv[1]) == "--worker") return tilescope::worker_main(0);
  return tilescope::testing::run_tests(argc, argv);
}
