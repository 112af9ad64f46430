#pragma once
#include <cstdint>
#include <vector>

namespace tilescope {

// Which bytes of a memory have been written, a bit each.
class WrittenBytes {
 public:
  void reset(std::uint64_t bytes) { words_.assign(bytes / 64 + 1, 0); }
  // [offset, offset + bytes) lies within 64 aligned bytes, as every aligned access does.
  void write(std::uint64_t offset, unsigned bytes) {
    words_[offset / 64] |= ones(bytes) << (offset % 64);
  }
  // Those of bit i: byte offset + i are as if nobody had.
  void forget(std::uint64_t offset, std::uint64_t bytes) {
    words_[offset / 64] &= ~(bytes << (offset % 64));
  }
  // Bit i: byte offset + i has not been written.
  [[nodiscard]] std::uint64_t missing(std::uint64_t offset, unsigned bytes) const {
    return ~(words_[offset / 64] >> (offset % 64)) & ones(bytes);
  }

 private:
  static std::uint64_t ones(unsigned bytes) {
    return bytes >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << bytes) - 1;
  }
  std::vector<std::uint64_t> words_;
};

}  // namespace tilescope
