#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace tilescope {

// A worker without a GPU that behaves as it is told. `start` says how it begins:
//   good          says hello and serves
//   measures      the same, but takes 50 ms for each request, tells samples as they come and gives
//                 a right result whose time follows from the parameters and the size alone
//   measures_h100 the same as an H100, which moves 2.7 TB/s
//   measures_h100_shared  that, while another program computes on it
//   measures_h100_dying   that, until the latency of its L2 is measured
//   measures_two  measures, on one of two GPUs of its machine
//   same_gpu      good, on the same GPU wherever it is started
//   no_device     says that there is none
//   greeting      prints a login shell's text first, then is good
//   text          prints text that is no protocol, without end
//   old_version   says hello with another version
//   silent        never says anything
//   exit          ends at once with status 7 and a line on stderr
//   die_idle      says hello and is ended by a signal
// `device`: which of its machine's GPUs. A good one does with each request what its kernel's id
// says (see serve in fake_worker.cpp).
int fake_worker_main(std::string_view start, int device);

// argv that starts it.
[[nodiscard]] std::vector<std::string> fake_worker_command(const std::string& start);

}  // namespace tilescope
