#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "emulator/execution/thread_block.h"

namespace tilescope {

// Reports what is wrong with a block's barriers: threads that never come, that wait at different
// ones or for ever, wrong counts and masks. Always at work.
class BarrierCheck final : public BlockObserver {
 public:
  // `program`: of a block whose instructions are watched; else nullptr.
  BarrierCheck(ThreadBlock& block, const Program* program) : block_(block), program_(program) {}

  [[nodiscard]] StepEvents needs(std::uint32_t instruction) const override;
  void on_block_begin(std::vector<Warp>& warps) override;
  void before(const WarpStep& start) override;
  void on_block_end() override;
  void on_arrive(const BarrierArrival& arrival) override;
  void on_release(std::uint32_t barrier, bool whole) override;
  void on_unnamed_lanes(const CodeBlock& block, const Warp& warp, std::uint32_t lanes,
                        std::uint32_t members) override;
  void on_expect(const WarpPoint& where, unsigned lane, std::uint64_t offset) override;
  void on_mbarrier(const WarpPoint& where, unsigned lane, std::uint64_t offset, bool waits,
                   bool parity) override;
  void on_surplus(const ByteSurplus& surplus) override;
  void on_stopped_lanes() override { stopped_lanes_ = true; }
  void on_deadlock() override;
  void on_endless_wait() override;
  void on_left_cluster() override;

 private:
  void report(const LanesAt& at, std::string message, const LanesAt* other = nullptr);
  void report_count(const BarrierArrival& arrival, const LanesAt& at);
  void report_missing(std::uint32_t barrier);
  void note_places(std::uint32_t barrier);
  bool report_places();
  [[nodiscard]] bool follows_from_another() const;
  // Threads that have arrived at an mbarrier once, if none has oftener; else 0.
  [[nodiscard]] std::uint32_t single_arrivals(std::uint64_t offset) const;
  // `others` by mbarrier: what its wait is told with.
  void report_phase(const LanesAt& at, std::string message,
                    const std::map<std::uint64_t, Finding::Other>& others, std::uint64_t offset);
  [[nodiscard]] std::string waiting_text(const Split& stuck) const;
  [[nodiscard]] std::string cluster_text() const;

  ThreadBlock& block_;
  const Program* program_;
  // Of this block: threads have ended early, or something was reported. What follows from it is not
  // reported again.
  bool stopped_lanes_ = false;
  bool reported_ = false;
  // Where threads have waited for each other at different barriers: errors if some thread never
  // comes to a later one, else advice.
  struct Places {
    LanesAt few;
    LanesAt most;
  };
  std::vector<Places> places_;                       // one of each instruction
  std::map<std::uint64_t, Finding::Other> expects_;  // who last told an mbarrier of bytes
  std::map<std::uint64_t, Finding::Other> starts_;   // who has initialised an mbarrier, if watched
  // By mbarrier and thread: how often that has arrived, in all phases.
  std::map<std::pair<std::uint64_t, std::uint32_t>, std::uint32_t> arrivals_;
};

}  // namespace tilescope
