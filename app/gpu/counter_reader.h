#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/result.h"
#include "gpu/cupti_api.h"
#include "gpu/gpu_device.h"

namespace tilescope {

// What is said where the driver lets only administrators read them.
[[nodiscard]] Error counters_forbidden();

// Reads hardware counters of launches through CUPTI's range profiler, under Nsight Compute's names.
// CUPTI is loaded at the first use. Timing must not run meanwhile: counting takes several passes,
// each a launch of its own, and slows them.
class CounterReader {
 public:
  explicit CounterReader(const GpuDevice& gpu) : gpu_(gpu) {}
  ~CounterReader();
  CounterReader(const CounterReader&) = delete;
  CounterReader& operator=(const CounterReader&) = delete;

  struct Counters {
    std::map<std::string, double> values;
    std::vector<std::string> unknown;  // names that this GPU does not have
  };
  // `prepare` queues what must be as before the first launch, `launch` the launch; both are called
  // once a pass. kMachine with the remedy where CUPTI or the permission is missing.
  [[nodiscard]] Result<Counters> read(const std::vector<std::string>& names,
                                      const std::function<Status()>& prepare,
                                      const std::function<Status()>& launch,
                                      const std::string& kernel_id);

 private:
  struct Functions {
#define TILESCOPE_MEMBER(member, Params, symbol) int (*member)(cupti::Params*) = nullptr;
    TILESCOPE_CUPTI_FUNCTIONS(TILESCOPE_MEMBER)
#undef TILESCOPE_MEMBER
    int (*result_string)(int, const char**) = nullptr;
  };
  class Session;

  [[nodiscard]] Status load();
  [[nodiscard]] Status check(int result, const char* what) const;

  const GpuDevice& gpu_;
  std::optional<SharedLibrary> library_;
  Functions functions_;
  std::string chip_;
  std::vector<std::uint8_t> availability_;
};

// A hardware counter that explains a time, besides those that the emulator counts too.
struct ProfileCounter {
  std::string_view name;   // Nsight Compute's
  std::string_view group;  // "stalls", "pipes", "memory", "occupancy"
  std::string_view words;  // "waits for global memory (long scoreboard)"
  std::string_view unit;   // "%", "B", "cycles an instruction", ""
};
[[nodiscard]] const std::vector<ProfileCounter>& profile_counters();

}  // namespace tilescope
