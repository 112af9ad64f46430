#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "core/device_table.h"
#include "core/job_pool.h"
#include "gpu/worker_link.h"
#include "session/measurements.h"
#include "store/history.h"
#include "ui/workbench/live_launches.h"
#include "ui/workbench/phase_runs.h"
#include "ui/workbench/variant.h"

namespace tilescope {

// A measurement that the worker has or will have under way.
struct Measuring {
  WorkerLink::RequestId request_id = 0;
  int variant = 0;            // kAside: of none
  std::size_t kind = 0;       // of WorkerLink::gpus(), that it runs on
  std::uint64_t request = 0;  // of the variant
  std::shared_ptr<const KernelInstance> instance;
  std::shared_ptr<const CompiledKernel> compiled;
  std::vector<double> seconds = {};  // of its launches so far
  std::function<void(Result<RunResult>)> done = {};
  bool cold = true;
  std::string tag = {};  // of a launch aside
  static constexpr int kAside = -1;
};

// What the GPU runs for the variants: their launches are timed, their counters read, their warps'
// phases stamped; and other launches are timed aside. Everything that was finished is kept here and
// in the history. A variant shows an answer only if it is of its study's launch. Owned by the UI
// thread, which waits for nothing.
class GpuRuns {
 public:
  // All of them must live as long. `start`: of the window's clock.
  GpuRuns(WorkerLink& gpu, std::vector<Variant>& variants, std::shared_ptr<HistoryWriter> history,
          std::chrono::steady_clock::time_point start);

  // Which of WorkerLink::gpus() a variant is measured on; nullopt: no worker has it.
  [[nodiscard]] std::optional<std::size_t> kind_of(const Variant& variant) const;
  // Times the launch of the variant's newest request, on the GPU that kind_of() says; its study may
  // come later. Precondition: there is one.
  void time(int variant, std::shared_ptr<const KernelInstance> instance,
            std::shared_ptr<const CompiledKernel> compiled);
  // Times what no variant shows; `done` is called by take(). Of several that wait the newest stays.
  void time_aside(RunRequest request, std::function<void(Result<RunResult>)> done);
  void cancel_aside();
  // With a cold L2, else a warm one. The variants' times of the other are not shown any more.
  void set_cold(bool cold);
  [[nodiscard]] bool cold() const { return cold_; }
  // Has the hardware's counters of the variant's study read, several times (Variant::reading).
  void read_counters(int variant);
  // Has the phases of the variant's measured launch stamped, once per request.
  void want_phases(int variant, const DeviceModel& device, JobPool& pool);

  // At frame start: takes what was answered. True when anything visible changed.
  bool take();
  // The variant has a study: what was answered before it is shown now.
  void study_arrived(int variant);
  // Nobody waits for this variant's runs any more.
  void cancel(int variant, JobPool& pool);
  // The variants' numbers change: what is under way is of none of them.
  void forget_variants();

  [[nodiscard]] const std::vector<Measuring>& under_way() const { return under_way_; }
  // What was finished in this window, in order.
  [[nodiscard]] const std::vector<Measurement>& measured() const { return measured_.all(); }
  [[nodiscard]] const MeasuredPoints& points() const { return measured_; }
  [[nodiscard]] const std::vector<ReadCounters>& counters() const { return counters_; }
  [[nodiscard]] const std::vector<ReadPhases>& phases() const { return phases_; }
  [[nodiscard]] const LiveLaunches& live() const { return live_; }
  // A person changed something: the live chart says so.
  void changed(std::string label) { live_.changed(seconds(), std::move(label)); }
  void clear_live() { live_.clear(); }

 private:
  [[nodiscard]] double seconds() const;
  [[nodiscard]] Machine machine_of_run(const Measuring& measuring) const;
  void submit_reading(int variant);
  bool take_counters(const WorkerLink::Answer& answer);
  bool take_time(WorkerLink::Answer answer);
  bool take_launch(const WorkerLink::Progress& progress);
  void keep_point(const Measuring& measuring, const RunResult& result);
  void keep_counters(const CounterReading& reading);
  void keep_phases(const PhaseRuns::Wanted& wanted, const MeasuredPhases& phases);
  void show(Result<RunResult> result, const Measuring& measuring);

  WorkerLink& gpu_;
  std::uint64_t asides_ = 0;  // launches aside so far
  std::vector<Variant>& variants_;
  std::shared_ptr<HistoryWriter> history_;  // nullptr: there is none
  std::chrono::steady_clock::time_point start_;
  bool cold_ = true;
  std::vector<Measuring> under_way_;
  // Answers that came before the study of the same request, by variant.
  std::map<int, std::pair<std::uint64_t, Result<RunResult>>> early_;
  PhaseRuns phase_runs_;
  LiveLaunches live_;
  MeasuredPoints measured_;
  std::vector<ReadCounters> counters_;
  std::vector<ReadPhases> phases_;
};

}  // namespace tilescope
