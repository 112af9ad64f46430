#pragma once
#include <memory>
#include <optional>
#include <vector>

#include "analysis/counter_check.h"
#include "gpu/worker_link.h"

namespace tilescope {

// The hardware's counters of one variant's launch, as far as they have been read.
struct CounterReading {
  // Some counters change from one reading to the next: only several tell which.
  static constexpr std::size_t kReadings = 3;

  std::shared_ptr<const KernelStudy> study;  // whose machine code is run
  std::vector<CounterValues> values;         // of the readings so far
  std::optional<WorkerLink::Ticket> ticket;  // of the one under way
  std::optional<Error> error;                // of the newest attempt

  [[nodiscard]] bool pending() const { return ticket.has_value(); }
  [[nodiscard]] bool complete() const { return values.size() == kReadings; }
};

}  // namespace tilescope
