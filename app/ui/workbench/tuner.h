#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "analysis/compare/winner.h"
#include "kernel/launch/parameter_space.h"
#include "ui/workbench/workbench.h"

namespace tilescope {

class RecordedLibrary;
struct TuningCandidate;
struct TuningTask;

// One combination that was tried.
struct TunedVariant {
  ParameterSet parameters;
  double seconds = 0;            // measured or modelled; 0: not known (yet), or wrong
  double reference_seconds = 0;  // beside it; 0: none
  double recorded_seconds = 0;   // of exactly this, on the recorded GPU; 0: none
  bool refined = false;          // measured again, for longer
  int registers = 0;             // per thread
  double shared_bytes = 0;       // per block, static and dynamic
  double occupancy = 0;          // per cent
  std::string problem;           // why it has no time; empty: it has
  std::string date;              // of the measurement, UTC; empty: modelled
};

// Explores the parameters of a catalogue kernel from where the active variant stands: with a GPU
// each legal combination is compiled, checked and measured shortly, then the best few for longer;
// without one the time model ranks them. Owned and called by the UI thread, which never waits: it
// works a piece further in each Workbench::tick().
class Tuner {
 public:
  static constexpr std::size_t kMostSets = 200'000;
  static constexpr std::size_t kRefined = 5;  // of the best, at the end

  Tuner(Workbench& workbench, const RecordedLibrary& recorded);
  ~Tuner();
  Tuner(const Tuner&) = delete;
  Tuner& operator=(const Tuner&) = delete;

  enum class Stage : std::uint8_t { kReady, kExploring, kRefining, kDone };
  [[nodiscard]] Stage stage() const { return stage_; }
  [[nodiscard]] bool paused() const { return paused_; }
  [[nodiscard]] bool stopped() const { return stopped_; }  // before its end
  [[nodiscard]] bool running() const {
    return (stage_ == Stage::kExploring || stage_ == Stage::kRefining) && !paused_;
  }

  // --- before the start
  // Counts the legal combinations from the active variant, unless that was done.
  void look();
  [[nodiscard]] bool explores(const std::string& parameter) const {
    return !left_out_.contains(parameter);
  }
  void explore(const std::string& parameter, bool wanted);
  struct Count {
    std::uint64_t legal = 0;
    std::uint64_t offered = 0;
    bool complete = true;
  };
  [[nodiscard]] const std::optional<Count>& count() const { return count_; }  // nullopt: counting

  void start();
  void pause(bool paused);
  void stop();   // keeps what was found
  void reset();  // back to before the start

  // --- of the present or last run
  [[nodiscard]] const CatalogueEntry* entry() const { return entry_; }
  [[nodiscard]] const ParameterSet& start_parameters() const { return start_; }
  [[nodiscard]] const ParameterSet& extents() const { return extents_; }
  [[nodiscard]] const GemmFactors& factors() const { return factors_; }
  [[nodiscard]] const std::set<std::string>& explored() const { return explored_; }
  [[nodiscard]] bool measures() const { return measures_; }
  [[nodiscard]] std::size_t size() const;
  [[nodiscard]] std::size_t done() const { return done_; }
  [[nodiscard]] std::optional<double> seconds_left() const;
  // Fastest first; those without a time last.
  [[nodiscard]] const std::vector<TunedVariant>& ranked() const { return ranked_; }
  [[nodiscard]] const TunedVariant* best() const;
  // One of them as a row of a figure.
  [[nodiscard]] TunedRow row_of(const TunedVariant& tried) const;
  // What of it has a time, also after reset(); nullptr: nothing. The same one until more is found.
  [[nodiscard]] std::shared_ptr<const TunedRun> found() const;
  [[nodiscard]] const TunedVariant* find(const ParameterSet& parameters) const;
  // Why the winner wins; nullptr before the end, or while it is being studied.
  [[nodiscard]] const WinnerStory* story() const { return story_ ? &*story_ : nullptr; }
  [[nodiscard]] bool explaining() const { return explaining_; }

 private:
  struct Mailbox;  // what jobs found
  [[nodiscard]] TuningTask task() const;
  bool tick();
  [[nodiscard]] unsigned most_jobs() const;
  [[nodiscard]] unsigned threads_of_a_job() const;
  void hand_out();
  void submit_candidate(std::size_t index);
  void measure_next();
  void refine_next();
  void keep_to_refine(TuningCandidate candidate);
  void took(std::size_t index, TunedVariant variant);
  void rank();
  void finish_if_done();
  void explain();

  Workbench& workbench_;
  const RecordedLibrary& recorded_;
  std::shared_ptr<Mailbox> mailbox_;
  std::uint64_t run_ = 0;  // results of older runs and counts are dropped

  std::set<std::string> left_out_;
  std::optional<Count> count_;
  ParameterSpace space_;
  struct CountedFrom {
    const CatalogueEntry* entry = nullptr;
    ParameterSet parameters;
    ParameterSet extents;
    GemmFactors factors;
    std::set<std::string> explored;
    friend bool operator==(const CountedFrom&, const CountedFrom&) = default;
  };
  CountedFrom counted_from_;

  Stage stage_ = Stage::kReady;
  bool paused_ = false;
  bool stopped_ = false;
  const CatalogueEntry* entry_ = nullptr;
  ParameterSet start_;
  ParameterSet extents_;
  GemmFactors factors_;
  std::set<std::string> explored_;
  bool measures_ = false;
  std::optional<TuningOrder> order_;
  std::size_t in_jobs_ = 0;
  std::vector<TuningCandidate> waiting_;  // for the GPU
  std::size_t measuring_ = 0;             // on the GPUs just now
  std::size_t done_ = 0;
  double worked_seconds_ = 0;  // while it ran
  double last_tick_ = 0;
  double reference_seconds_ = 0;     // of cuBLAS or the copy; 0: not measured
  std::vector<TunedVariant> tried_;  // as they came
  std::vector<TunedVariant> ranked_;
  mutable std::shared_ptr<const TunedRun> found_;  // of `ranked_`; nullptr: to be made
  std::vector<TuningCandidate> to_refine_;
  bool explaining_ = false;
  std::optional<WinnerStory> story_;
};

}  // namespace tilescope
