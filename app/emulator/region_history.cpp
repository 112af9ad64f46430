#include "emulator/region_history.h"

#include <algorithm>
#include <new>

namespace tilescope {
namespace {

// Bits [first, first + count) of a word; count is 1 to 64.
std::uint64_t bits(unsigned first, unsigned count) {
  return (count >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << count) - 1) << first;
}

// Calls f(word, its bits) for the words of [offset, offset + bytes).
template <class F>
void for_words(std::uint64_t offset, std::uint64_t bytes, F f) {
  for (std::uint64_t at = offset; at < offset + bytes;) {
    const auto first = static_cast<unsigned>(at % 64);
    const auto count =
        static_cast<unsigned>(std::min<std::uint64_t>(64 - first, offset + bytes - at));
    f(at / 64, bits(first, count));
    at += count;
  }
}

}  // namespace

RegionHistory::RegionHistory(std::uint64_t bytes)
    : bytes_(bytes),
      words_(static_cast<Word*>(std::calloc(static_cast<std::size_t>(bytes / 64 + 1), 8))) {
  static_assert(sizeof(Word) == 8);
  if (words_ == nullptr) throw std::bad_alloc();
}

void RegionHistory::write(std::uint64_t offset, std::uint64_t bytes) {
  if (all_written()) return;
  if (offset == 0 && bytes == bytes_) return write_all();
  for_words(offset, bytes, [&](std::uint64_t word, std::uint64_t mask) {
    if ((words_[word].load(std::memory_order_relaxed) & mask) != mask)
      words_[word].fetch_or(mask, std::memory_order_relaxed);
  });
}

void RegionHistory::forget(std::uint64_t offset, std::uint64_t bytes) {
  if (all_written()) {
    for_words(0, bytes_, [&](std::uint64_t word, std::uint64_t mask) { words_[word] |= mask; });
    all_written_ = false;
  }
  for_words(offset, bytes,
            [&](std::uint64_t word, std::uint64_t mask) { words_[word].fetch_and(~mask); });
}

std::uint64_t RegionHistory::missing(std::uint64_t offset, unsigned bytes) const {
  if (all_written()) return 0;
  std::uint64_t found = 0;
  unsigned done = 0;
  for_words(offset, bytes, [&](std::uint64_t word, std::uint64_t mask) {
    const auto first = static_cast<unsigned>((offset + done) % 64);
    const std::uint64_t open = ~words_[word].load(std::memory_order_relaxed) & mask;
    found |= (open >> first) << done;
    done += 64 - first;
  });
  return found;
}

void RegionHistory::forget_use() {
  read_ = false;
  written_ = false;
}

}  // namespace tilescope
