#pragma once
#include <cstddef>
#include <cstdint>

#include "emulator/block/access_list.h"

namespace tilescope {

// Writes accesses into a trace that nothing else adds to. Executors do so directly where an access
// is like the instruction's last one; all else comes through the trace's sink.
class AccessLog {
 public:
  explicit AccessLog(AccessList& list) : list_(list) {}
  AccessLog(const AccessLog&) = delete;
  AccessLog& operator=(const AccessLog&) = delete;

  // Of the next access, in the list.
  [[nodiscard]] std::uint32_t next_index() const {
    return static_cast<std::uint32_t>(full_ - static_cast<std::size_t>(end_ - next_));
  }
  [[gnu::always_inline]] void add(const AccessRecord& record) {
    if (next_ == end_) [[unlikely]]
      go_on();
    *next_++ = record;
  }
  [[nodiscard]] std::uint32_t last_shape() const { return next_[-1].shape; }
  void finish() { list_.set_size(next_index()); }

 private:
  void go_on();

  AccessList& list_;
  AccessRecord* next_ = nullptr;
  AccessRecord* end_ = nullptr;
  std::size_t full_ = 0;  // accesses at end_
};

}  // namespace tilescope
