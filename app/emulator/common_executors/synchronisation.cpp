#include <cstring>

#include "emulator/code.h"
#include "emulator/common_executors/families.h"
#include "emulator/common_executors/parameter_copy.h"
#include "emulator/execution/async_copies.h"
#include "emulator/execution/warp.h"
#include "emulator/executors/lanes.h"
#include "emulator/lanes_in.h"

// The groups of cp.async, clocks, and what moves between a call's two sides.
namespace tilescope {
namespace {

using portable::Row32;
using portable::Row64;
using portable::row_at;

void execute_nothing(const MicroOp&, std::byte*, std::uint32_t, ExecutionContext&) {}

// A clock is the instructions so far. A loop that waits by it reads it in each round, and a round
// takes some 30 cycles more than it has instructions, since each needs the one before.
constexpr std::uint64_t kCyclesOfARead = 30;

std::uint64_t read_clock(ExecutionContext& context) {
  context.read_clock = true;
  return context.clock += kCyclesOfARead;
}

void execute_clock(const MicroOp& op, std::byte* registers, std::uint32_t mask,
                   ExecutionContext& context) {
  const std::uint64_t clock = read_clock(context);
  const auto value = static_cast<std::uint32_t>(op.flags != 0 ? clock >> 32 : clock);
  Row32* d = row_at<std::uint32_t>(registers, op.row[0]);
  for (const unsigned lane : lanes_in(mask)) d[lane] = value;
}
void execute_clock_64(const MicroOp& op, std::byte* registers, std::uint32_t mask,
                      ExecutionContext& context) {
  const std::uint64_t clock = read_clock(context);
  Row64* d = row_at<std::uint64_t>(registers, op.row[0]);
  for (const unsigned lane : lanes_in(mask)) d[lane] = clock;
}

// immediate: source << 40 | target << 16 | bytes, offsets into the lane's local memory or frame.
void execute_copy_parameter(const MicroOp& op, std::byte* registers, std::uint32_t mask,
                            ExecutionContext& context) {
  const auto packed = static_cast<std::uint64_t>(op.immediate);
  const std::uint64_t source = packed >> 40;
  const std::uint64_t target = (packed >> 16) & 0xffffff;
  const std::uint64_t bytes = packed & 0xffff;
  for (const unsigned lane : lanes_in(mask)) {
    std::byte* own = context.local + lane * context.local_bytes;
    std::uint64_t from = source;
    std::uint64_t to = target;
    if (op.flags != 0) {
      const std::uint64_t frame = row_at<std::uint64_t>(registers, op.row[0])[lane];
      from += (op.flags & kFromFrame) != 0 ? frame : 0;
      to += (op.flags & kToFrame) != 0 ? frame : 0;
      // Past the last frame: the call itself will say so.
      if (from + bytes > context.local_bytes || to + bytes > context.local_bytes) continue;
    }
    std::memmove(own + to, own + from, bytes);
  }
}

void execute_commit(const MicroOp&, std::byte*, std::uint32_t mask, ExecutionContext& context) {
  if (context.async != nullptr) context.async->commit(mask);
}
void execute_wait_group(const MicroOp& op, std::byte*, std::uint32_t mask,
                        ExecutionContext& context) {
  if (context.async != nullptr)
    context.async->wait(mask, static_cast<std::uint32_t>(op.immediate), context.shared);
}
void execute_wait_all(const MicroOp&, std::byte*, std::uint32_t mask, ExecutionContext& context) {
  if (context.async != nullptr) context.async->wait_all(mask, context.shared);
}

// row[0]: the frame's start; immediate: the place of the rows to have back, or -1.
void execute_leave_frame(const MicroOp& op, std::byte* registers, std::uint32_t mask,
                         ExecutionContext& context) {
  const Code& code = *context.code;
  Row64* frame = row_at<std::uint64_t>(registers, op.row[0]);
  for (const unsigned lane : lanes_in(mask)) frame[lane] -= code.frame_bytes;
  if (op.immediate < 0) return;
  context.warp->saved.restore(code, code.frames[static_cast<std::size_t>(op.immediate)], registers,
                              mask);
}

}  // namespace

Executor find_synchronisation(const OperationKey& key) {
  switch (key.operation) {
    case Operation::kNothing:
      return execute_nothing;
    case Operation::kClock:
      return bytes_of(key.type) == 8 ? execute_clock_64 : execute_clock;
    case Operation::kCopyParameter:
      return execute_copy_parameter;
    case Operation::kLeaveFrame:
      return execute_leave_frame;
    case Operation::kCommitGroup:
      return execute_commit;
    case Operation::kWaitGroup:
      return execute_wait_group;
    case Operation::kWaitAll:
      return execute_wait_all;
    default:
      return nullptr;
  }
}

}  // namespace tilescope
