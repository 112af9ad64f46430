#include "emulator/executors/memory_access.h"

#include "emulator/execution/async_copies.h"
#include "emulator/executors/families.h"

// ld and st in every space. row[0] is the address, row[1 ..] the data (further rows in Code::rows).
// Element types narrower than their row are extended on loading and cut on storing.
namespace tilescope::TILESCOPE_ISA {
namespace {

// Memory element M in a row of Row words.
template <class M, class Row>
TILESCOPE_INLINE Row widen(M value) {
  if constexpr (std::is_signed_v<M>) {
    return static_cast<Row>(static_cast<std::make_signed_t<Row>>(value));
  } else {
    return static_cast<Row>(value);
  }
}

template <class M>
TILESCOPE_INLINE M fetch(const std::byte* from) {
  M value;
  std::memcpy(&value, from, sizeof value);
  return value;
}

template <std::uint64_t Bytes>
TILESCOPE_INLINE bool lanes_step_by(const LaneArray& offset) {
  std::uint64_t uneven = 0;
  TILESCOPE_LANES
  for (std::size_t l = 0; l < kLanes; ++l) uneven |= offset[l] - offset[0] - Bytes * l;
  return uneven == 0;
}

template <std::uint64_t Bytes>
TILESCOPE_INLINE LaneShape shape_of(std::uint32_t mask, const LaneArray& offset) {
  if (mask != kFullMask) return LaneShape::kAny;
  const std::uint64_t span = offset[kLanes - 1] - offset[0];
  if (span == 0) return lanes_step_by<0>(offset) ? LaneShape::kSame : LaneShape::kAny;
  if (span != Bytes * (kLanes - 1)) return LaneShape::kAny;
  return lanes_step_by<Bytes>(offset) ? LaneShape::kNeighbours : LaneShape::kAny;
}

template <class M, class Row>
TILESCOPE_INLINE void gather_one(Row* d, const std::byte* data, const LaneArray& offset,
                                 LaneShape shape) {
  const std::byte* from = data + offset[0];
  if (shape == LaneShape::kNeighbours) {
    TILESCOPE_LANES
    for (int l = 0; l < kLanes; ++l)
      d[l] = widen<M, Row>(fetch<M>(from + sizeof(M) * static_cast<std::size_t>(l)));
  } else if (shape == LaneShape::kSame) {
    const Row value = widen<M, Row>(fetch<M>(from));
    TILESCOPE_LANES
    for (int l = 0; l < kLanes; ++l) d[l] = value;
  } else {
#pragma GCC unroll 8
    for (std::size_t l = 0; l < kLanes; ++l) d[l] = widen<M, Row>(fetch<M>(data + offset[l]));
  }
}

// Four 32-bit elements of each lane into four rows.
TILESCOPE_INLINE void gather_four(Row32* d0, Row32* d1, Row32* d2, Row32* d3, const std::byte* data,
                                  const LaneArray& offset) {
#if defined(__SSE2__)
#pragma GCC unroll 4
  for (std::size_t l = 0; l < kLanes; l += 4) {
    const auto load = [&](std::size_t lane) {
      return _mm_loadu_ps(reinterpret_cast<const float*>(data + offset[lane]));
    };
    __m128 a = load(l);
    __m128 b = load(l + 1);
    __m128 c = load(l + 2);
    __m128 d = load(l + 3);
    _MM_TRANSPOSE4_PS(a, b, c, d);
    _mm_store_ps(reinterpret_cast<float*>(d0 + l), a);
    _mm_store_ps(reinterpret_cast<float*>(d1 + l), b);
    _mm_store_ps(reinterpret_cast<float*>(d2 + l), c);
    _mm_store_ps(reinterpret_cast<float*>(d3 + l), d);
  }
#else
  for (std::size_t l = 0; l < kLanes; ++l) {
    d0[l] = fetch<std::uint32_t>(data + offset[l]);
    d1[l] = fetch<std::uint32_t>(data + offset[l] + 4);
    d2[l] = fetch<std::uint32_t>(data + offset[l] + 8);
    d3[l] = fetch<std::uint32_t>(data + offset[l] + 12);
  }
#endif
}

// Rows of the data operands.
template <unsigned N>
TILESCOPE_INLINE std::uint32_t data_row(const MicroOp& op, const ExecutionContext& context,
                                        unsigned k) {
  if constexpr (N <= 4) {
    return op.row[k + 1];
  } else {
    return further_row(op, context, k);
  }
}

template <class M, class Row, unsigned N>
TILESCOPE_INLINE void gather(const MicroOp& op, std::byte* registers, std::uint32_t mask,
                             const std::byte* data, const LaneArray& offset, LaneShape shape,
                             const ExecutionContext& context) {
  if (mask == kFullMask) [[likely]] {
    if constexpr (N == 1) {
      gather_one<M, Row>(row_at<Row>(registers, op.row[1]), data, offset, shape);
    } else if constexpr (N == 4 && sizeof(M) == 4 && sizeof(Row) == 4) {
      gather_four(row_at<Row>(registers, op.row[1]), row_at<Row>(registers, op.row[2]),
                  row_at<Row>(registers, op.row[3]), row_at<Row>(registers, op.row[4]), data,
                  offset);
    } else {
      for (unsigned k = 0; k < N; ++k) {
        Row* d = row_at<Row>(registers, data_row<N>(op, context, k));
        for (std::size_t l = 0; l < kLanes; ++l) {
          d[l] = widen<M, Row>(fetch<M>(data + offset[l] + sizeof(M) * k));
        }
      }
    }
    return;
  }
  for (unsigned k = 0; k < N; ++k) {
    alignas(64) Row loaded[kLanes];
    for (std::size_t l = 0; l < kLanes; ++l) {
      loaded[l] = widen<M, Row>(fetch<M>(data + offset[l] + sizeof(M) * k));
    }
    blend_row(row_at<Row>(registers, data_row<N>(op, context, k)), loaded, mask);
  }
}

template <class M, class Row, unsigned N>
TILESCOPE_INLINE void scatter(const MicroOp& op, std::byte* registers, std::uint32_t mask,
                              std::byte* data, const LaneArray& offset, LaneShape shape,
                              const ExecutionContext& context) {
  const Row* source[N];
  for (unsigned k = 0; k < N; ++k) source[k] = row_at<Row>(registers, data_row<N>(op, context, k));
  const auto store = [&](std::size_t l) {
    M values[N];
    for (unsigned k = 0; k < N; ++k) values[k] = static_cast<M>(source[k][l]);
    std::memcpy(data + offset[l], values, sizeof values);
  };
  if (N == 1 && shape == LaneShape::kNeighbours) {
    std::byte* to = data + offset[0];
    TILESCOPE_LANES
    for (std::size_t l = 0; l < kLanes; ++l) {
      const M value = static_cast<M>(source[0][l]);
      std::memcpy(to + sizeof(M) * l, &value, sizeof value);
    }
  } else if (mask == kFullMask) [[likely]] {
    for (std::size_t l = 0; l < kLanes; ++l) store(l);
  } else {
    for (std::uint32_t left = mask; left != 0; left &= left - 1) {
      store(static_cast<std::size_t>(std::countr_zero(left)));
    }
  }
}

// Shared memory that a cp.async has still to fill must not be read. Most reads are settled by the
// range that their lanes span.
TILESCOPE_INLINE void check_async_read(const MicroOp& op, std::uint32_t mask,
                                       ExecutionContext& context, const LaneArray& offset,
                                       std::uint64_t bytes) {
  const PendingWords& pending = context.async->pending();
  if (!pending.any()) return;
  std::uint32_t low = static_cast<std::uint32_t>(offset[0]);
  std::uint32_t high = low;
  for (std::size_t l = 0; l < kLanes; ++l) {
    const auto at = static_cast<std::uint32_t>(offset[l]);
    low = at < low ? at : low;
    high = at > high ? at : high;
  }
  if (pending.may_touch(low, high + bytes - 1)) [[unlikely]] {
    tell_early_read(op, mask, context, offset, bytes);
  }
}

template <class M, class Row, unsigned N, AddressForm Form, bool Store>
void execute_access(const MicroOp& op, std::byte* registers, std::uint32_t mask,
                    ExecutionContext& context) {
  alignas(64) LaneArray offset;
  load_addresses<Form>(op, registers, mask, offset);
  Target target = target_of(op, offset[0], context);
  if (target.data == nullptr || !check_lanes(target, sizeof(M) * N, offset)) [[unlikely]] {
    load_addresses<Form>(op, registers, mask, offset);
    access_slowly(op, registers, mask, context, offset);
    return;
  }
  LaneShape shape = N == 1 ? shape_of<sizeof(M)>(mask, offset) : LaneShape::kAny;
  if (context.sink != nullptr && is_shown(target.space) && (op.flags & kUnshown) == 0) {
    tell_sink(op, mask, target.space, Store ? AccessKind::kStore : AccessKind::kLoad,
              target.shown_base, offset, shape, context);
  }
  if (target.lane_stride != 0) {
    spread_local(target, offset);
    shape = LaneShape::kAny;
  }
  if constexpr (Store) {
    scatter<M, Row, N>(op, registers, mask, target.data, offset, shape, context);
  } else {
    if (context.async != nullptr && target.space == MemorySpace::kShared) {
      check_async_read(op, mask, context, offset, sizeof(M) * N);
    }
    gather<M, Row, N>(op, registers, mask, target.data, offset, shape, context);
  }
}

template <class M, class Row, unsigned N>
Executor of_elements(const OperationKey& key) {
  const bool wide = key.address == AddressForm::kWide;
  if (key.operation == Operation::kStore) {
    if constexpr (std::is_unsigned_v<M>) {
      return wide ? execute_access<M, Row, N, AddressForm::kWide, true>
                  : execute_access<M, Row, N, AddressForm::kNarrow, true>;
    }
    return nullptr;
  }
  return wide ? execute_access<M, Row, N, AddressForm::kWide, false>
              : execute_access<M, Row, N, AddressForm::kNarrow, false>;
}

// Signed elements come alone or sit in vectors of 8 or 16 bits; the others need no extension.
template <class M, class Row>
Executor of_vector(const OperationKey& key) {
  constexpr bool kFull = sizeof(M) == sizeof(Row) || sizeof(Row) == 4;
  switch (key.vector) {
    case 1:
      return of_elements<M, Row, 1>(key);
    case 2:
      if constexpr (kFull) return of_elements<M, Row, 2>(key);
      return nullptr;
    case 4:
      if constexpr (kFull) return of_elements<M, Row, 4>(key);
      return nullptr;
    case 8:
      if constexpr (sizeof(M) == 4 && sizeof(Row) == 4) return of_elements<M, Row, 8>(key);
      return nullptr;
    default:
      return nullptr;
  }
}

template <class Signed, class Unsigned>
Executor of_narrow(const OperationKey& key, bool wide) {
  if (key.operation == Operation::kLoad && is_signed(key.type)) {
    return wide ? of_vector<Signed, Row64>(key) : of_vector<Signed, Row32>(key);
  }
  return wide ? of_vector<Unsigned, Row64>(key) : of_vector<Unsigned, Row32>(key);
}

}  // namespace

Executor find_memory_access(const OperationKey& key) {
  if (key.operation != Operation::kLoad && key.operation != Operation::kStore) return nullptr;
  const bool wide = key.operation == Operation::kLoad ? key.wide_result : key.wide_source;
  switch (bytes_of(key.type)) {
    case 1:
      return of_narrow<std::int8_t, std::uint8_t>(key, wide);
    case 2:
      return of_narrow<std::int16_t, std::uint16_t>(key, wide);
    case 4:
      if (!wide) return of_vector<std::uint32_t, Row32>(key);
      return of_narrow<std::int32_t, std::uint32_t>(key, true);
    case 8:
      return of_vector<std::uint64_t, Row64>(key);
    default:
      return nullptr;
  }
}

}  // namespace tilescope::TILESCOPE_ISA
