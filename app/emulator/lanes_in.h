#pragma once
#include <bit>
#include <cstdint>

namespace tilescope {

// The lanes of a mask, lowest first: for (const unsigned lane : lanes_in(mask)).
class LanesIn {
 public:
  class Iterator {
   public:
    explicit constexpr Iterator(std::uint32_t left) : left_(left) {}
    constexpr unsigned operator*() const { return static_cast<unsigned>(std::countr_zero(left_)); }
    constexpr Iterator& operator++() {
      left_ &= left_ - 1;
      return *this;
    }
    constexpr bool operator==(const Iterator&) const = default;

   private:
    std::uint32_t left_;
  };

  explicit constexpr LanesIn(std::uint32_t mask) : mask_(mask) {}
  [[nodiscard]] constexpr Iterator begin() const { return Iterator(mask_); }
  [[nodiscard]] constexpr Iterator end() const { return Iterator(0); }

 private:
  std::uint32_t mask_;
};
[[nodiscard]] constexpr LanesIn lanes_in(std::uint32_t mask) { return LanesIn(mask); }

}  // namespace tilescope
