#pragma once
#include <algorithm>
#include <cstdint>
#include <vector>

#include "emulator/checks/access_stamp.h"

namespace tilescope {

// Reads of shared memory that nobody had written. Whether that is a mistake of its own or a race
// with a write that comes too late is known only when the threads have met at a barrier.
class UnwrittenReads {
 public:
  struct Read {
    AccessStamp stamp;
    std::uint32_t offset = 0;
    std::uint32_t bytes = 0;    // of the access
    std::uint64_t missing = 0;  // bit i: byte offset + i
  };
  void add(const Read& read) {
    if (reads_.size() < kMost) reads_.push_back(read);
  }
  // An access of this source line was found in a race.
  void note_race(std::uint32_t line) {
    if (!raced(line)) raced_.push_back(line);
  }
  [[nodiscard]] bool raced(std::uint32_t line) const {
    return std::find(raced_.begin(), raced_.end(), line) != raced_.end();
  }
  [[nodiscard]] const std::vector<Read>& reads() const { return reads_; }
  void clear() {
    reads_.clear();
    raced_.clear();
  }

 private:
  static constexpr std::size_t kMost = 4096;
  std::vector<Read> reads_;
  std::vector<std::uint32_t> raced_;
};

}  // namespace tilescope
