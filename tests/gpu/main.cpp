// The tests, and the misbehaving worker that they start: this same program with --fake-worker.
#include <string_view>

#include "fake_worker.h"
#include "gpu/worker_link.h"
#include "runner/run_tests.h"

int main(int argc, char** argv) {
  if (argc >= 3 && std::string_view(argv[1]) == "--fake-worker") {
    return tilescope::fake_worker_main(argv[2]);
  }
  if (argc >= 2 && std::string_view(argv[1]) == "--worker") return tilescope::worker_main();
  return tilescope::testing::run_tests(argc, argv);
}
