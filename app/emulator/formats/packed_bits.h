#pragma once
#include <cstdint>

namespace tilescope {

constexpr unsigned kTypeBits = 6;  // of a DataType

// Small fields side by side in one 64-bit word, lowest first: how an instruction's modifiers travel
// in MicroOp::immediate. Fields are read in the order in which they were written.
class BitWriter {
 public:
  // `value` must fit into `bits`, and all fields into 64.
  BitWriter& put(std::uint64_t value, unsigned bits) {
    word_ |= value << at_;
    at_ += bits;
    return *this;
  }
  [[nodiscard]] std::int64_t word() const { return static_cast<std::int64_t>(word_); }

 private:
  std::uint64_t word_ = 0;
  unsigned at_ = 0;
};

class BitReader {
 public:
  explicit BitReader(std::int64_t word) : word_(static_cast<std::uint64_t>(word)) {}
  template <typename Field = unsigned>  // an unsigned type of `bits` bits or more
  Field take(unsigned bits) {
    const auto value = static_cast<Field>(word_ & ((std::uint64_t{1} << bits) - 1));
    word_ >>= bits;
    return value;
  }

 private:
  std::uint64_t word_;
};

}  // namespace tilescope
