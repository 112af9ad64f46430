#pragma once
#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "core/device_table.h"
#include "exec/arena.h"
#include "exec/device_heap.h"
#include "exec/host_problems.h"
#include "exec/launcher.h"
#include "exec/message.h"
#include "runtime/protocol.h"

namespace tilescope {

// Where an allocation comes from, for findings that name it by its number.
struct AllocationOrigin {
  std::uint32_t number = 0;
  std::uint64_t bytes = 0;
  std::uint64_t caller = 0;  // address in the program
};

// Answers a program's calls that have to do with memory, and knows what its host code may touch.
class MemoryCalls {
 public:
  MemoryCalls(const Arena& arena, DeviceHeap& heap, Launcher& launcher, const DeviceModel& device,
              HostProblems& problems)
      : arena_(arena), heap_(heap), launcher_(launcher), device_(device), problems_(problems) {}

  Answer allocate(const runtime::AllocateRequest& request);
  Answer release(const runtime::FreeRequest& request);
  Answer adopt(const runtime::Range& range);
  Answer lend(const runtime::Range& range);
  Answer copy(const runtime::CopyRequest& request);
  Answer set(const runtime::SetRequest& request);
  // What kernels ask for. False: that is not all in one allocation.
  bool copy_inside(std::uint64_t to, std::uint64_t from, std::uint64_t bytes);
  bool set_inside(std::uint64_t to, std::uint8_t value, std::uint64_t bytes);
  Answer synchronise(const runtime::SynchroniseRequest& request);
  Answer pointer(std::uint64_t address);
  Answer fault(const runtime::FaultRequest& request);
  Answer texture(const runtime::TextureRequest& request);

  // The host may not touch these pages before it has waited for the stream; `reason` says why.
  void close(const runtime::Range& range, std::uint64_t stream, std::string reason) {
    pending_.push_back({range, range, {stream}, std::move(reason)});
  }

  // Notes what was never freed.
  void note_leaks();
  // Of the first kMostOrigins.
  [[nodiscard]] std::vector<AllocationOrigin> take_origins() { return std::move(origins_); }

 private:
  // Pages that the program may not touch before it has waited, and for what.
  struct Pending {
    runtime::Range range;             // whole pages
    runtime::Range used;              // of them
    std::set<std::uint64_t> streams;  // who waits for one of them waits for this
    std::string reason;               // "launch 3 (scale)"
  };
  enum class Side : std::uint8_t { kTarget, kSource };
  // The allocation of one side of a copy; nullptr: the program's own memory. False: it cannot be.
  bool find_side(const runtime::CopyRequest& request, Side side, Allocation** found);
  // Ranges that may be touched again; of all streams, or of one.
  std::vector<runtime::Range> release_pending(std::uint64_t stream, bool all);

  const Arena& arena_;
  DeviceHeap& heap_;
  Launcher& launcher_;
  const DeviceModel& device_;
  HostProblems& problems_;
  std::vector<Pending> pending_;
  static constexpr std::size_t kMostOrigins = 100000;
  std::vector<AllocationOrigin> origins_;
};

}  // namespace tilescope
