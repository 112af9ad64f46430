#pragma once

#include <chrono>
#include <cstddef>
#include <deque>
#include <functional>
#include <future>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cli/interrupt.h"
#include "cli/run_report.h"
#include "core/result.h"
#include "gpu/worker_pool.h"
#include "store/measurement.h"

namespace tilescope {

struct PointSweepOptions {
  TimingOptions timing;
  bool again = false;     // measures also what the history has
  bool counters = false;  // reads all_counters() too, in further launches
};

// Measures points on all GPUs of a pool. Each kind of GPU measures each point once, whichever of
// its workers is free first; what is measured is put into the history at once, and what is there
// already is not measured again. Progress, workers that join or are lost, and errors
// are printed on stderr.
class PointSweep {
 public:
  struct Row {
    Measurement run;
    bool known = false;  // from the history
  };
  // The points for a kind of GPU, as it says hello; an error ends the sweep.
  using PointsFor = std::function<Result<std::vector<KernelInstance>>(const DeviceInfo&)>;

  PointSweep(WorkerPool& pool, PointSweepOptions options, PointsFor points_for,
             const Interrupt& interrupt);

  // Exit status: that of the worst point, kStoppedByUser after Ctrl-C.
  int run();
  // In the order in which they were known.
  [[nodiscard]] const std::vector<Row>& rows() const { return rows_; }

 private:
  struct Point {
    KernelInstance instance;
    std::future<Result<CompiledKernel>> compiled;
  };
  // All of one kind of GPU.
  struct Kind {
    Kind(std::size_t at, const DeviceInfo& info) : number(at), device(info), keeper(device) {}
    std::size_t number;
    DeviceInfo device;
    HistoryKeeper keeper;
    std::deque<KernelInstance> left;
    std::deque<Point> compiling;  // the next ones, in order
  };
  struct UnderWay {
    Kind* kind = nullptr;
    RunRow row;
    bool counts = false;  // the launches that are timed are done
  };

  [[nodiscard]] Status welcome_kinds();
  void feed(Kind& kind);
  void take_point(Kind& kind, Point point);
  void take_answer(WorkerLink::Answer answer);
  void finish(UnderWay done);
  void fail(int status);
  [[nodiscard]] bool is_done() const;
  void tell_news();
  void show_progress(const KernelInstance& instance);
  void clear_line() const;

  WorkerPool& pool_;
  PointSweepOptions options_;
  PointsFor points_for_;
  const Interrupt& interrupt_;
  std::vector<std::unique_ptr<Kind>> kinds_;
  std::map<WorkerLink::RequestId, UnderWay> under_way_;
  std::vector<Row> rows_;
  std::chrono::steady_clock::time_point start_;
  std::size_t total_ = 0;
  std::size_t begun_ = 0;
  std::size_t measured_ = 0;
  std::size_t known_ = 0;
  std::size_t failed_ = 0;
  int status_ = 0;
  bool on_terminal_;
};

}  // namespace tilescope
