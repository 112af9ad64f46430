#include "cli/point_sweep.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <set>
#include <stop_token>
#include <thread>
#include <utility>

#include "cli/command.h"
#include "cli/gpu_session.h"
#include "store/rates.h"

namespace tilescope {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::milliseconds kBetweenLooks{1};
// Points that are compiled ahead of a free worker, so that none waits for a compiler.
constexpr std::size_t kCompiledAhead = 2;

std::string duration_text(double seconds) {
  if (seconds < 90) return fmt::format("{:.0f} s", seconds);
  if (seconds < 5400) return fmt::format("{:.0f} min", seconds / 60);
  return fmt::format("{:.1f} h", seconds / 3600);
}

// Each once, in their order: -p TILE=16,16 asks for one point.
std::deque<KernelInstance> each_once(std::vector<KernelInstance> points, bool cold) {
  std::deque<KernelInstance> once;
  std::set<std::string> seen;
  for (KernelInstance& point : points) {
    const LaunchKey key = recorded_key(point, cold);
    const std::string name =
        fmt::format("{} {} {} {} {} {}", key.kernel, key.source, values_text(key.parameters),
                    values_text(key.extents), point_text({}, key.factors), key.launch);
    if (seen.insert(name).second) once.push_back(std::move(point));
  }
  return once;
}

}  // namespace

PointSweep::PointSweep(WorkerPool& pool, PointSweepOptions options, PointsFor points_for,
                       const Interrupt& interrupt)
    : pool_(pool),
      options_(std::move(options)),
      points_for_(std::move(points_for)),
      interrupt_(interrupt),
      on_terminal_(::isatty(STDERR_FILENO) != 0) {}

int PointSweep::run() {
  start_ = Clock::now();
  std::optional<Error> why_no_more;
  while (!is_done()) {
    pool_.poll(nullptr, [&](WorkerLink::Answer answer) { take_answer(std::move(answer)); });
    tell_news();
    if (Status s = welcome_kinds(); !s) return report(s.error());
    if (!interrupt_.wanted()) {
      for (const auto& kind : kinds_) feed(*kind);
    }
    why_no_more = pool_.hopeless();
    if (why_no_more && under_way_.empty()) break;
    std::this_thread::sleep_for(kBetweenLooks);
  }
  clear_line();
  if (why_no_more) fail(report(*why_no_more));
  if (kinds_.empty()) return interrupt_.wanted() ? kStoppedByUser : status_;
  const std::size_t left = total_ - measured_ - known_ - failed_;
  for (const auto& kind : kinds_) {
    const auto lost = pool_.hopeless(kind->number);
    if (lost && left > 0 && !why_no_more) fail(report(*lost));
  }
  std::string stopped;
  if (interrupt_.wanted()) stopped = "; stopped";
  if (left > 0) stopped += fmt::format(", {} left. The same command continues", left);
  print_error("tilescope: {} points: {} measured, {} already in the history, {} failed{}\n", total_,
              measured_, known_, failed_, stopped);
  return interrupt_.wanted() ? kStoppedByUser : status_;
}

bool PointSweep::is_done() const {
  if (!under_way_.empty()) return false;
  if (interrupt_.wanted()) return true;
  return !kinds_.empty() && !pool_.expects_more() &&
         std::ranges::all_of(kinds_, [this](const auto& kind) {
           return (kind->left.empty() && kind->compiling.empty()) || pool_.hopeless(kind->number);
         });
}

Status PointSweep::welcome_kinds() {
  for (std::size_t i = kinds_.size(); i < pool_.kinds().size(); ++i) {
    auto kind = std::make_unique<Kind>(i, pool_.kinds()[i]);
    auto points = points_for_(kind->device);
    if (!points) return points.error();
    kind->keeper.open_history();
    kind->left = each_once(*std::move(points), options_.timing.cold);
    total_ += kind->left.size();
    kinds_.push_back(std::move(kind));
  }
  return ok_status();
}

// Hands the free workers what is compiled, and has further points compiled.
void PointSweep::feed(Kind& kind) {
  while (!kind.compiling.empty()) {
    Point& next = kind.compiling.front();
    const bool ready = next.compiled.wait_for(std::chrono::seconds(0)) == std::future_status::ready;
    if (!ready || pool_.free_workers(kind.number) == 0) break;
    Point point = std::move(next);
    kind.compiling.pop_front();
    take_point(kind, std::move(point));
  }
  const std::size_t wanted = pool_.free_workers(kind.number) + kCompiledAhead;
  while (!kind.left.empty() && kind.compiling.size() < wanted) {
    const CompileRequest request{kind.left.front(), kind.device.compute_capability, true};
    kind.compiling.push_back(
        {std::move(kind.left.front()), std::async(std::launch::async, [request] {
           return compile(request, std::stop_token());
         })});
    kind.left.pop_front();
  }
}

void PointSweep::take_point(Kind& kind, Point point) {
  ++begun_;
  RunRow row;
  row.instance = std::move(point.instance);
  auto compiled = point.compiled.get();
  if (!compiled) {
    ++failed_;
    clear_line();
    fail(report(compiled.error()));
    return;
  }
  if (!options_.again) {
    auto found = kind.keeper.find(row.instance, *compiled, options_.timing.cold);
    if (found && (!options_.counters || !found->run.result.counters.empty())) {
      ++known_;
      rows_.push_back({std::move(found->run), true});
      return;
    }
  }
  row.compiled = std::make_shared<const CompiledKernel>(*std::move(compiled));
  show_progress(row.instance);
  RunRequest request{row.instance, row.compiled, options_.timing};
  const auto request_id = pool_.submit_to(kind.number, "", std::move(request));
  under_way_.emplace(request_id, UnderWay{&kind, std::move(row), false});
}

void PointSweep::take_answer(WorkerLink::Answer answer) {
  auto found = under_way_.extract(answer.request_id);
  if (found.empty()) return;
  UnderWay done = std::move(found.mapped());
  RunRow& row = done.row;
  if (done.counts) {
    if (answer.result) {
      put_counters(*std::move(answer.result), &row);
    } else {
      fail(report(answer.result.error()));
    }
    finish(std::move(done));
    return;
  }
  row.worker = pool_.answered_by(answer.request_id);
  row.result = std::move(answer.result);
  if (options_.counters && row.result && row.result->correct) {
    const auto request_id =
        pool_.submit_to(done.kind->number, "", counter_request(row, options_.timing));
    done.counts = true;
    under_way_.emplace(request_id, std::move(done));
    return;
  }
  finish(std::move(done));
}

void PointSweep::finish(UnderWay done) {
  RunRow& row = done.row;
  // Nothing was measured: the point is still to be.
  if (!row.result && pool_.hopeless(done.kind->number)) return;
  if (!row.result || !row.result->correct) {
    ++failed_;
    clear_line();
    fail(report_row(row));
    return;
  }
  ++measured_;
  done.kind->keeper.keep(row);
  rows_.push_back(
      {measurement_of(row.instance, *row.result, machine_of(done.kind->device, *row.compiled)),
       false});
  rows_.back().run.worker = row.worker;
}

void PointSweep::fail(int status) { status_ = std::max(status_, status); }

void PointSweep::tell_news() {
  for (const std::string& news : pool_.take_news()) {
    clear_line();
    print_error("tilescope: {}\n", news);
  }
}

// One line that is written over on a terminal; else one line a point.
void PointSweep::show_progress(const KernelInstance& instance) {
  const double seconds = std::chrono::duration<double>(Clock::now() - start_).count();
  std::string left;
  if (measured_ > 0) {
    const double each = seconds / static_cast<double>(measured_);
    left = fmt::format(", about {} left",
                       duration_text(each * static_cast<double>(total_ - begun_ + 1)));
  }
  clear_line();
  print_error("{}/{}{}  {} {} {}{}", begun_, total_, left, instance.id, size_of(instance),
              point_text(instance.parameters, factors_of(instance)), on_terminal_ ? "" : "\n");
  std::fflush(stderr);
}

void PointSweep::clear_line() const {
  if (on_terminal_) print_error("\r\x1b[K");
}

}  // namespace tilescope
