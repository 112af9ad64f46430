#include "emulator/execution/kernel_heap.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <mutex>

namespace tilescope {
namespace {

constexpr unsigned kClasses = 40;
constexpr std::uint32_t kLive = 0x6c697665;
constexpr std::uint32_t kFree = 0x66726565;

// At the beginning of the heap; a bit for each kGranule bytes of it follows: an allocation's header
// begins there.
struct Directory {
  std::uint64_t end;                         // of what was ever handed out; 0: nothing was
  std::array<std::uint64_t, kClasses> free;  // first free block of 2^class bytes; 0: none
};

// Before each block's bytes. Blocks are neither split nor joined.
struct Block {
  std::uint32_t state;
  std::uint32_t size_class;
  std::uint64_t bytes;  // that were asked for; of a free block: the next one of its class
};
static_assert(sizeof(Block) == 16);

constexpr std::uint64_t kGranule = 32;
constexpr std::uint64_t kWordBits = 64;

std::uint64_t bitmap_words(std::span<std::byte> heap) {
  return (heap.size() / kGranule + kWordBits - 1) / kWordBits;
}

std::uint64_t first_block(std::span<std::byte> heap) {
  const std::uint64_t used = sizeof(Directory) + bitmap_words(heap) * sizeof(std::uint64_t);
  return (used + kGranule - 1) / kGranule * kGranule;
}

// Not in the heap's bytes: a kernel that writes over them would lock it for ever.
std::mutex& heap_lock() {
  static std::mutex lock;
  return lock;
}

template <class T>
T& at(std::span<std::byte> heap, std::uint64_t offset) {
  return *reinterpret_cast<T*>(heap.data() + offset);
}

std::atomic_ref<std::uint64_t> bitmap_word(std::span<std::byte> heap, std::uint64_t index) {
  return std::atomic_ref(
      at<std::uint64_t>(heap, sizeof(Directory) + index * sizeof(std::uint64_t)));
}

std::uint64_t end_of(std::span<std::byte> heap) {
  return std::clamp<std::uint64_t>(at<Directory>(heap, 0).end / kGranule * kGranule,
                                   first_block(heap), heap.size());
}

// May a block of 2^size_class bytes begin there?
bool is_block(std::span<std::byte> heap, std::uint64_t offset, std::uint32_t size_class,
              std::uint32_t state) {
  if (size_class >= kClasses || offset % kGranule != 0 || offset < first_block(heap)) return false;
  const std::uint64_t end = end_of(heap);
  if (offset >= end || std::uint64_t{1} << size_class > end - offset) return false;
  const Block& block = at<Block>(heap, offset);
  return block.state == state && block.size_class == size_class;
}

}  // namespace

std::uint64_t allocate_in(std::span<std::byte> heap, std::uint64_t bytes) {
  if (bytes > heap.size() || first_block(heap) >= heap.size()) return 0;
  const auto size_class = static_cast<unsigned>(
      std::bit_width(std::max<std::uint64_t>(bytes + sizeof(Block), kGranule) - 1));
  const std::uint64_t whole = std::uint64_t{1} << size_class;
  auto& directory = at<Directory>(heap, 0);
  const std::lock_guard lock(heap_lock());
  // What was freed comes last: another thread that has it in the same launch looks like a race.
  const std::uint64_t end = end_of(heap);
  std::uint64_t& free = directory.free[size_class];
  std::uint64_t found = 0;
  if (whole <= heap.size() - end) {
    found = end;
    directory.end = end + whole;
  } else if (is_block(heap, free, size_class, kFree)) {
    found = free;
    free = at<Block>(heap, found).bytes;
  } else {
    return 0;
  }
  at<Block>(heap, found) = {kLive, size_class, bytes};
  const std::uint64_t granule = found / kGranule;
  bitmap_word(heap, granule / kWordBits)
      .fetch_or(std::uint64_t{1} << granule % kWordBits, std::memory_order_release);
  return found + sizeof(Block);
}

bool release_in(std::span<std::byte> heap, std::uint64_t offset) {
  if (first_block(heap) >= heap.size() || offset < sizeof(Block) || offset > heap.size())
    return false;
  const std::uint64_t begin = offset - sizeof(Block);
  auto& directory = at<Directory>(heap, 0);
  const std::lock_guard lock(heap_lock());
  if (begin % kGranule != 0 || begin >= end_of(heap)) return false;
  auto& block = at<Block>(heap, begin);
  if (!is_block(heap, begin, block.size_class, kLive)) return false;
  std::uint64_t& first = directory.free[block.size_class];
  block = {kFree, block.size_class, first};
  first = begin;
  return true;
}

std::optional<HeapAllocation> allocation_before(std::span<std::byte> heap, std::uint64_t offset) {
  if (offset >= heap.size() || offset < sizeof(Block)) return std::nullopt;
  const std::uint64_t granule = (offset - sizeof(Block)) / kGranule;
  std::uint64_t mask = ~std::uint64_t{0} >> (kWordBits - 1 - granule % kWordBits);
  for (std::uint64_t word = granule / kWordBits + 1; word-- > 0; mask = ~std::uint64_t{0}) {
    const std::uint64_t bits = bitmap_word(heap, word).load(std::memory_order_acquire) & mask;
    if (bits == 0) continue;
    const std::uint64_t begin =
        (word * kWordBits + static_cast<std::uint64_t>(std::bit_width(bits)) - 1) * kGranule;
    if (begin < first_block(heap) || begin + sizeof(Block) > heap.size()) return std::nullopt;
    const Block& block = at<Block>(heap, begin);
    return HeapAllocation{begin + sizeof(Block), block.bytes, block.state == kLive};
  }
  return std::nullopt;
}

}  // namespace tilescope
