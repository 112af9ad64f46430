#pragma once
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "analysis/memory/counters.h"
#include "core/device_table.h"
#include "emulator/finding.h"
#include "emulator/launch.h"
#include "exec/arena.h"
#include "exec/device_heap.h"
#include "exec/past_launches.h"
#include "exec/program_module.h"
#include "exec/recorded_launch.h"

namespace tilescope {

// The launches of one kernel with the same grid, block, cluster and shared memory.
struct LaunchGroup {
  const ProgramKernel* kernel = nullptr;
  const ProgramModule* module = nullptr;
  Launch launch;            // of the first one
  std::uint64_t first = 0;  // number of the first, from 1 in the program
  std::uint64_t count = 0;
  // Of them: not executed, because everything that they use was as an earlier one found it: they
  // would change nothing, or their results are known.
  std::uint64_t repeated = 0;
  std::uint64_t cut_short = 0;        // launches that were not executed whole: it took too long
  std::uint64_t executed_blocks = 0;  // of all launches
  std::uint64_t checked_blocks = 0;
  double seconds = 0;  // that emulating them took
  // As written, of the first: scaled up from the blocks that were watched where those were not all.
  LaunchCounters counters;
  std::optional<double> modelled_seconds;  // of one launch
  std::string device;                      // that this is of
  std::string limited_by;                  // what limits it there: "DRAM bandwidth"
  std::vector<Finding> findings;           // of all, once per kind and instruction
  std::vector<std::uint64_t> found_in;     // the launch of each, from 1 in the program
  bool complete = true;
};

// Which launches are recorded before they are executed, and where.
struct LaunchRecording {
  struct Candidate {
    std::string kernel;                // its name
    std::uint64_t before = 0;          // launches of that name before this one
    bool is_first_of_its_kind = true;  // of its LaunchGroup
  };
  std::function<bool(const Candidate&)> wants;  // empty: none is
  std::filesystem::path folder;
};

struct LauncherOptions {
  unsigned workers = 1;
  bool check = true;
  // Of a group's first launch: how long blocks are checked and counted. The others are checked
  // while all of them have taken a fifth of it.
  double watch_seconds = 5;
  // Seconds for all launches of a group together: blocks that have not begun by then are not
  // executed. The groups after the first one that is cut get less: results mean nothing then.
  double limit_seconds = 30;
  LaunchRecording recording;
};

// Executes the launches of a program on the emulator and remembers what they did.
class Launcher {
 public:
  Launcher(const Arena& arena, DeviceHeap& heap, const DeviceModel& device,
           const LauncherOptions& options)
      : arena_(arena), heap_(heap), device_(device), options_(options), past_(heap) {}

  struct Request {
    ProgramModule* module = nullptr;
    const ProgramKernel* kernel = nullptr;
    Dim3 grid;
    Dim3 block;
    Dim3 cluster{0, 0, 0};  // 0: none is asked for
    std::uint64_t shared_bytes = 0;
    bool is_cooperative = false;
    std::span<const std::byte> parameters;
  };
  struct Outcome {
    bool executed = false;
    std::string printed;
    std::string complaints;               // of failed asserts
    std::vector<DeviceWork> device_work;  // that its threads ask for
    std::vector<Finding> findings;        // new ones
    bool complete = true;
    std::string why_not;  // it could not be launched at all
    double modelled_seconds = 0;
    LaunchGroup* group = nullptr;
    std::vector<const Allocation*> host_visible;  // that it has read or written
  };
  // Precondition: the launch fits on the device.
  Outcome launch(const Request& request, std::stop_token stop);

  // The host, or a copy, has written to it.
  void note_change(const Allocation& allocation) { past_.note_change(allocation); }

  [[nodiscard]] const std::vector<std::unique_ptr<LaunchGroup>>& groups() const { return groups_; }
  [[nodiscard]] std::uint64_t launches() const { return launches_; }

  // What the launches did since the last call; later ones are groups of their own.
  struct Taken {
    std::vector<std::unique_ptr<LaunchGroup>> groups;
    std::vector<RecordedLaunch> records;
    std::optional<Error> record_error;
  };
  [[nodiscard]] Taken take();
  // From here on. Returns what was before.
  LaunchRecording record(LaunchRecording recording) {
    return std::exchange(options_.recording, std::move(recording));
  }

 private:
  void record(const Request& request, bool is_first_of_its_kind);
  LaunchGroup& group_of(const Request& request);
  void cut_short(const Request& request, LaunchGroup& group);
  void name_arguments(const Request& request);
  void fill_constants(const ProgramKernel& kernel);
  [[nodiscard]] Launch make_launch(const Request& request);
  // The limit of the next group: limit_seconds before the first cut, then a half, a third, and so
  // on.
  [[nodiscard]] double limit_seconds() const {
    return options_.limit_seconds / static_cast<double>(1 + groups_cut_short_);
  }
  // Without the seconds that it may take.
  [[nodiscard]] EmulationOptions options_for(const LaunchGroup& group) const;
  void execute(const Request& request, const std::stop_token& stop, const Launch& launch,
               LaunchGroup& group, PastLaunches::Past& past, Outcome* outcome);
  // The middle block, on a copy of the memory, before the launch changes it. nullptr: there is no
  // room for a copy, it does not end, or it takes too long.
  [[nodiscard]] std::shared_ptr<const struct BlockTrace> trace_before(const Program& program,
                                                                      const Launch& launch,
                                                                      const std::stop_token& stop);
  // The allocations that the launch has read or written since RegionHistory::forget_use();
  // `host_visible` gets those that the host can touch, too.
  [[nodiscard]] std::vector<PastLaunches::Used> used_by(
      const ProgramKernel& kernel, bool all_watched, std::vector<const Allocation*>* host_visible);
  void model_time(const Launch& launch, LaunchGroup& group,
                  std::shared_ptr<const struct BlockTrace> trace);
  std::uint64_t grid_workspace();

  const Arena& arena_;
  DeviceHeap& heap_;
  DeviceModel device_;
  LauncherOptions options_;
  std::vector<std::unique_ptr<LaunchGroup>> groups_;
  using GroupKey = std::tuple<const ProgramKernel*, std::uint64_t, std::uint64_t, std::uint64_t,
                              std::uint64_t, std::uint64_t>;
  std::map<GroupKey, LaunchGroup*> group_index_;
  PastLaunches past_;
  std::map<std::string, std::uint64_t> launches_of_;  // by the kernel's name
  std::vector<RecordedLaunch> records_;
  std::uint64_t recorded_bytes_ = 0;
  std::optional<Error> record_error_;
  std::uint64_t launches_ = 0;
  // With launches that were not executed whole: what later ones find wrong may follow from that.
  std::uint64_t groups_cut_short_ = 0;
  std::uint64_t workspace_ = 0;
};

}  // namespace tilescope
