#pragma once
#include <array>
#include <cstdint>
#include <vector>

#include "emulator/execution_context.h"

namespace tilescope {

// Which bytes of a block's shared memory wait for a cp.async to be waited for. Kept per 4-byte
// word, counted, with a coarse bitmap over it for a quick no.
class PendingWords {
 public:
  void reset(std::uint64_t shared_bytes);
  void mark(std::uint64_t offset, unsigned bytes, int change);  // +1 at issue, -1 at arrival
  [[nodiscard]] bool any() const { return pending_ != 0; }
  [[nodiscard]] bool touches(std::uint64_t offset, std::uint64_t bytes) const;

 private:
  std::vector<std::uint16_t> words_;
  std::uint64_t pending_ = 0;
};

// The cp.async copies of one warp that have not been waited for. The data is read from global
// memory when the copy is issued and arrives in shared memory when its group is waited for, the
// latest moment that the programming model allows: a missing wait shows.
class AsyncCopies {
 public:
  void reset(PendingWords* pending);

  struct Copy {
    std::uint32_t mask = 0;
    std::uint8_t bytes = 0;
    std::array<std::uint32_t, 32> group{};   // per lane: its group's number
    std::array<std::uint32_t, 32> offset{};  // into shared memory
    std::array<std::array<std::byte, 16>, 32> data{};
  };
  Copy& issue(std::uint32_t mask, std::uint8_t bytes);  // groups filled in; the rest by the caller
  void commit(std::uint32_t mask);
  // All but the `newest` last committed groups of each lane arrive.
  void wait(std::uint32_t mask, std::uint32_t newest, std::byte* shared);
  void wait_all(std::uint32_t mask, std::byte* shared);
  [[nodiscard]] bool empty() const { return copies_.empty(); }
  [[nodiscard]] PendingWords& pending() { return *pending_; }

 private:
  template <class Arrives>
  void arrive(std::uint32_t mask, std::byte* shared, Arrives arrives);

  std::vector<Copy> copies_;
  std::array<std::uint32_t, 32> committed_{};  // groups so far, per lane
  PendingWords* pending_ = nullptr;
};

// Reports a read of shared memory that a cp.async has still to fill.
void report_async_read(const MicroOp& op, std::uint32_t mask, ExecutionContext& context,
                       const LaneArray& offset, std::uint64_t bytes);

inline void check_async_read(const MicroOp& op, std::uint32_t mask, ExecutionContext& context,
                             const LaneArray& offset, std::uint64_t bytes) {
  if (context.async->pending().any()) report_async_read(op, mask, context, offset, bytes);
}

// Code::rows[op.extra + index], for executors with more operands than MicroOp::row holds.
[[nodiscard]] std::uint32_t further_row(const MicroOp& op, const ExecutionContext& context,
                                        unsigned index);

}  // namespace tilescope
