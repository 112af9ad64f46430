#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <utility>
#include <vector>

#include "emulator/block/block_trace.h"

namespace tilescope {

// The phases of a block's mbarriers: which of the trace's events a phase waits for, and which wait
// for it. What other blocks do is taken as done.
class MbarrierPhases {
 public:
  static constexpr std::uint32_t kNone = 0xffffffff;

  explicit MbarrierPhases(const BlockTrace& trace);

  // How many events each phase waits for: arrivals, and bulk copies that it announces.
  [[nodiscard]] const std::vector<std::uint32_t>& awaited() const { return awaited_; }
  // The phase that the event waits for; kNone: none.
  [[nodiscard]] std::uint32_t waited_for_by(std::uint32_t event) const;
  // The phases that wait for the event.
  [[nodiscard]] std::span<const std::uint32_t> waiting_for(std::uint32_t event) const;
  // kNone: nothing is done to it. Offset of the mbarrier, and how many of its phases were over.
  [[nodiscard]] std::uint32_t number_of(std::uint32_t mbarrier, std::uint32_t phase) const;

 private:
  std::uint32_t number(std::uint32_t mbarrier, std::uint32_t phase);

  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> numbers_;
  std::vector<std::uint32_t> awaited_;
  std::map<std::uint32_t, std::uint32_t> waited_for_;            // by event
  std::map<std::uint32_t, std::vector<std::uint32_t>> waiting_;  // by event
};

}  // namespace tilescope
