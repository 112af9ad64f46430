#pragma once
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "emulator/executors/instruction_set.h"

// Lane loops. Rows either coincide or do not overlap at all, so a vector of lanes may be stored
// before the next one is read. FEW_LANES: loops of eight or so, which GCC would unroll before it
// could make vectors of them.
#if defined(__clang__)
#define TILESCOPE_LANES _Pragma("clang loop vectorize(assume_safety)")
#define TILESCOPE_FEW_LANES TILESCOPE_LANES
#else
#define TILESCOPE_LANES _Pragma("GCC ivdep")
#define TILESCOPE_FEW_LANES TILESCOPE_LANES _Pragma("GCC unroll 1")
#endif
#define TILESCOPE_INLINE inline __attribute__((always_inline))

namespace tilescope::TILESCOPE_ISA {

inline constexpr int kLanes = 32;

// A row is only ever accessed as words of its own width.
using Row32 = std::uint32_t;
using Row64 = std::uint64_t;

// 16-bit floats as registers hold them; arithmetic on them goes through float or double.
struct Half {
  std::uint16_t bits;
};
struct Bfloat {
  std::uint16_t bits;
};

template <class T>
using RowOf = std::conditional_t<sizeof(T) == 8, Row64, Row32>;

template <class T>
TILESCOPE_INLINE RowOf<T>* row_at(std::byte* registers, std::uint32_t offset) {
  return reinterpret_cast<RowOf<T>*>(registers + offset);
}

template <class T>
TILESCOPE_INLINE T from_row(RowOf<T> raw) {
  if constexpr (sizeof(T) == sizeof(raw)) {
    return std::bit_cast<T>(raw);
  } else if constexpr (sizeof(T) == 2) {
    return std::bit_cast<T>(static_cast<std::uint16_t>(raw));
  } else {
    return std::bit_cast<T>(static_cast<std::uint8_t>(raw));
  }
}

template <class T>
TILESCOPE_INLINE RowOf<T> to_row(T value) {
  if constexpr (sizeof(T) == sizeof(RowOf<T>)) {
    return std::bit_cast<RowOf<T>>(value);
  } else if constexpr (sizeof(T) == 2) {
    return std::bit_cast<std::uint16_t>(value);
  } else {
    return std::bit_cast<std::uint8_t>(value);
  }
}

template <class R>
TILESCOPE_INLINE void blend_row(R* to, const R* from, std::uint32_t mask) {
  TILESCOPE_LANES
  for (int l = 0; l < kLanes; ++l) to[l] = ((mask >> l) & 1u) != 0 ? from[l] : to[l];
}

TILESCOPE_INLINE std::uint32_t predicate_at(const std::byte* registers, std::uint32_t offset) {
  std::uint32_t mask;
  std::memcpy(&mask, registers + offset, sizeof mask);
  return mask;
}

TILESCOPE_INLINE void set_predicate(std::byte* registers, std::uint32_t offset, std::uint32_t lanes,
                                    std::uint32_t mask) {
  const std::uint32_t merged = (predicate_at(registers, offset) & ~mask) | (lanes & mask);
  std::memcpy(registers + offset, &merged, sizeof merged);
}

// A functor that needs the instruction's immediate is made from it.
template <class F>
TILESCOPE_INLINE F functor_for(const MicroOp& op) {
  if constexpr (std::is_constructible_v<F, const MicroOp&>) {
    return F(op);
  } else {
    return F{};
  }
}

// d = f(a), d = f(a, b), d = f(a, b, c), lane by lane.
template <class F, class D, class A>
void execute_unary(const MicroOp& op, std::byte* registers, std::uint32_t mask, ExecutionContext&) {
  RowOf<D>* d = row_at<D>(registers, op.row[0]);
  const RowOf<A>* a = row_at<A>(registers, op.row[1]);
  const F f = functor_for<F>(op);
  if (mask == kFullMask) [[likely]] {
    TILESCOPE_LANES
    for (int l = 0; l < kLanes; ++l) d[l] = to_row<D>(f(from_row<A>(a[l])));
    return;
  }
  alignas(64) RowOf<D> result[kLanes];
  TILESCOPE_LANES
  for (int l = 0; l < kLanes; ++l) result[l] = to_row<D>(f(from_row<A>(a[l])));
  blend_row(d, result, mask);
}

template <class F, class D, class A, class B>
void execute_binary(const MicroOp& op, std::byte* registers, std::uint32_t mask,
                    ExecutionContext&) {
  RowOf<D>* d = row_at<D>(registers, op.row[0]);
  const RowOf<A>* a = row_at<A>(registers, op.row[1]);
  const RowOf<B>* b = row_at<B>(registers, op.row[2]);
  const F f = functor_for<F>(op);
  if (mask == kFullMask) [[likely]] {
    TILESCOPE_LANES
    for (int l = 0; l < kLanes; ++l) d[l] = to_row<D>(f(from_row<A>(a[l]), from_row<B>(b[l])));
    return;
  }
  alignas(64) RowOf<D> result[kLanes];
  TILESCOPE_LANES
  for (int l = 0; l < kLanes; ++l) result[l] = to_row<D>(f(from_row<A>(a[l]), from_row<B>(b[l])));
  blend_row(d, result, mask);
}

template <class F, class D, class A, class B, class C>
void execute_ternary(const MicroOp& op, std::byte* registers, std::uint32_t mask,
                     ExecutionContext&) {
  RowOf<D>* d = row_at<D>(registers, op.row[0]);
  const RowOf<A>* a = row_at<A>(registers, op.row[1]);
  const RowOf<B>* b = row_at<B>(registers, op.row[2]);
  const RowOf<C>* c = row_at<C>(registers, op.row[3]);
  const F f = functor_for<F>(op);
  if (mask == kFullMask) [[likely]] {
    TILESCOPE_LANES
    for (int l = 0; l < kLanes; ++l) {
      d[l] = to_row<D>(f(from_row<A>(a[l]), from_row<B>(b[l]), from_row<C>(c[l])));
    }
    return;
  }
  alignas(64) RowOf<D> result[kLanes];
  TILESCOPE_LANES
  for (int l = 0; l < kLanes; ++l) {
    result[l] = to_row<D>(f(from_row<A>(a[l]), from_row<B>(b[l]), from_row<C>(c[l])));
  }
  blend_row(d, result, mask);
}

// The lanes for which f holds, as a mask.
template <class F>
TILESCOPE_INLINE std::uint32_t collect_lanes(F f) {
  std::uint32_t lanes = 0;
  for (int l = 0; l < kLanes; ++l) lanes |= f(l) ? std::uint32_t{1} << l : std::uint32_t{0};
  return lanes;
}

}  // namespace tilescope::TILESCOPE_ISA
