#pragma once
#include <array>
#include <cstdint>

#include "ptx/modifiers.h"

namespace tilescope {

// A video instruction (PTX ISA 9.7.20) as MicroOp::immediate carries it. Scalar ones work on a
// byte, half or word of each operand; vadd2, vadd4 ... on all halves or bytes.
struct VideoOperation {
  enum class What : std::uint8_t { kAdd, kSub, kAbsdiff, kMin, kMax, kShl, kShr, kMad, kSet };
  // Which part of a register: byte or half number, or the whole word.
  struct Part {
    std::uint8_t bits = 32;
    std::uint8_t index = 0;
  };
  enum class Then : std::uint8_t { kNothing, kAdd, kMin, kMax, kMerge };

  What what = What::kAdd;
  std::uint8_t lanes = 1;  // 2, 4: SIMD; `then` is kNothing or kAdd
  bool signed_result = false;
  bool signed_a = false;
  bool signed_b = false;
  bool saturate = false;
  bool wrap = false;       // shifts
  bool plus_one = false;   // vmad.po
  std::uint8_t scale = 0;  // vmad: 0, 7 or 15
  Then then = Then::kNothing;
  Part a, b, d;
  std::uint8_t comparison = 0;  // vset: eq ne lt le gt ge

  [[nodiscard]] std::int64_t pack() const;
  [[nodiscard]] static VideoOperation unpack(std::int64_t bits);
};

[[nodiscard]] std::uint32_t compute(const VideoOperation& operation, std::uint32_t a,
                                    std::uint32_t b, std::uint32_t c);

}  // namespace tilescope
