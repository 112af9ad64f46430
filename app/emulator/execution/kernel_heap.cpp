#include "emulator/execution/kernel_heap.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cstring>

namespace tilescope {
namespace {

constexpr unsigned kClasses = 40;
constexpr std::uint32_t kLive = 0x6c697665;
constexpr std::uint32_t kFree = 0x66726565;

// At the beginning of the heap.
struct Directory {
  std::uint32_t lock;
  std::uint32_t unused;
  std::uint64_t end;                         // of what was ever handed out; 0: nothing was
  std::array<std::uint64_t, kClasses> free;  // first free block of 2^class bytes; 0: none
};

// Before each block's bytes.
struct Block {
  std::uint32_t state;
  std::uint32_t size_class;
  std::uint64_t next;  // free block of the class
};
static_assert(sizeof(Block) == 16);

constexpr std::uint64_t kBegin = (sizeof(Directory) + 15) / 16 * 16;

class Lock {
 public:
  explicit Lock(Directory& directory) : flag_(directory.lock) {
    while (flag_.exchange(1, std::memory_order_acquire) != 0) {
    }
  }
  ~Lock() { flag_.store(0, std::memory_order_release); }
  Lock(const Lock&) = delete;
  Lock& operator=(const Lock&) = delete;

 private:
  std::atomic_ref<std::uint32_t> flag_;
};

template <class T>
T& at(std::span<std::byte> heap, std::uint64_t offset) {
  return *reinterpret_cast<T*>(heap.data() + offset);
}

}  // namespace

std::uint64_t allocate_in(std::span<std::byte> heap, std::uint64_t bytes) {
  if (bytes > heap.size()) return 0;
  const auto size_class =
      static_cast<unsigned>(std::bit_width(std::max<std::uint64_t>(bytes + sizeof(Block), 32) - 1));
  const std::uint64_t whole = std::uint64_t{1} << size_class;
  auto& directory = at<Directory>(heap, 0);
  const Lock lock(directory);
  // What was freed comes last: another thread that has it in the same launch looks like a race.
  const std::uint64_t end = std::max(directory.end, kBegin);
  std::uint64_t& free = directory.free[size_class];
  std::uint64_t found = 0;
  if (whole <= heap.size() - end) {
    found = end;
    directory.end = end + whole;
  } else if (free != 0) {
    found = free;
    free = at<Block>(heap, found).next;
  } else {
    return 0;
  }
  at<Block>(heap, found) = {kLive, size_class, 0};
  return found + sizeof(Block);
}

bool release_in(std::span<std::byte> heap, std::uint64_t offset) {
  auto& directory = at<Directory>(heap, 0);
  const Lock lock(directory);
  const bool is_place =
      offset >= kBegin + sizeof(Block) && offset < directory.end && offset % 16 == 0;
  if (!is_place) return false;
  auto& block = at<Block>(heap, offset - sizeof(Block));
  if (block.state != kLive || block.size_class >= kClasses) return false;
  std::uint64_t& first = directory.free[block.size_class];
  block = {kFree, block.size_class, first};
  first = offset - sizeof(Block);
  return true;
}

}  // namespace tilescope
