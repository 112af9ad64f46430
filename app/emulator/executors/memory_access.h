#pragma once
#include "emulator/execution/execution_context.h"
#include "emulator/executors/lanes.h"
#include "emulator/region_history.h"

#if defined(__SSE2__)
#include <immintrin.h>
#endif

namespace tilescope::TILESCOPE_ISA {

// Where the lanes of one access lie once it passed the checks: data + offset[lane].
struct Target {
  std::byte* data = nullptr;
  std::uint64_t base = 0;         // address of data
  std::uint64_t limit = 0;        // bytes from base that may be touched
  std::uint64_t lane_stride = 0;  // local memory: bytes between the lanes' own copies
  std::uint64_t shown_base = 0;   // added to an offset for WarpAccess
  MemorySpace space = MemorySpace::kGlobal;
};

// Of a cluster, this block's own part alone: the others' is for access_slowly().
TILESCOPE_INLINE Target shared_target(const ExecutionContext& context, std::uint64_t window) {
  return {context.shared,      window + context.shared_origin, context.shared_bytes, 0, 0,
          MemorySpace::kShared};
}
TILESCOPE_INLINE Target local_target(const ExecutionContext& context, std::uint64_t base) {
  return {context.local, base, context.local_bytes, context.local_bytes, 0, MemorySpace::kLocal};
}
TILESCOPE_INLINE Target region_target(const MemoryRegion& region) {
  return {region.data, region.begin, region.bytes, 0, region.begin, MemorySpace::kGlobal};
}

inline __attribute__((noinline)) void note_use(const MicroOp& op, const MemoryRegion& region) {
  const bool writes = op.access == AccessKind::kStore || op.access == AccessKind::kAtomic;
  region.history->note_use(op.access != AccessKind::kStore, writes);
}

// The target that the first active lane's address suggests; data is nullptr where there is none.
TILESCOPE_INLINE Target target_of(const MicroOp& op, std::uint64_t address,
                                  ExecutionContext& context) {
  MemorySpace space = op.space;
  std::uint64_t window = 0;
  if (space == MemorySpace::kGeneric) {
    switch (address >> 32) {
      case kSharedWindow >> 32:
        space = MemorySpace::kShared;
        window = kSharedWindow;
        break;
      case kLocalWindow >> 32:
        space = MemorySpace::kLocal;
        window = kLocalWindow;
        break;
      case kConstantWindow >> 32:
        space = MemorySpace::kConstant;
        window = kConstantWindow;
        break;
      case kParameterWindow >> 32:
        space = MemorySpace::kParameter;
        window = kParameterWindow;
        break;
      default:
        space = MemorySpace::kGlobal;
        break;
    }
  }
  switch (space) {
    case MemorySpace::kShared:
      return shared_target(context, window);
    case MemorySpace::kLocal:
      return local_target(context, window);
    case MemorySpace::kConstant:
      return {context.constants, window, context.constant_bytes, 0, 0, MemorySpace::kConstant};
    case MemorySpace::kParameter:
      return {context.parameters, window, context.parameter_bytes, 0, 0, MemorySpace::kParameter};
    default:
      break;
  }
  const MemoryRegion*& cached = context.site_region[op.site];
  if (cached == nullptr || address - cached->begin >= cached->bytes) {
    const MemoryRegion* found = context.memory->find(address);
    if (found == nullptr) return {};
    if (found->history != nullptr) note_use(op, *found);
    cached = found;
  }
  return region_target(*cached);
}

// Addresses of all lanes: a row and a displacement. Inactive lanes take the first active lane's, so
// that no later step needs the mask.
template <AddressForm Form>
TILESCOPE_INLINE void load_row_addresses(std::byte* registers, std::uint32_t row,
                                         std::uint64_t displacement, std::uint32_t mask,
                                         LaneArray& address) {
  if constexpr (Form == AddressForm::kWide) {
    const Row64* a = row_at<std::uint64_t>(registers, row);
    TILESCOPE_LANES
    for (int l = 0; l < kLanes; ++l) address[static_cast<std::size_t>(l)] = a[l] + displacement;
  } else {
    const Row32* a = row_at<std::uint32_t>(registers, row);
    const auto narrow = static_cast<std::uint32_t>(displacement);
    TILESCOPE_LANES
    for (int l = 0; l < kLanes; ++l) address[static_cast<std::size_t>(l)] = a[l] + narrow;
  }
  if (mask != kFullMask) [[unlikely]] {
    const std::uint64_t first = address[static_cast<std::size_t>(std::countr_zero(mask))];
    TILESCOPE_LANES
    for (int l = 0; l < kLanes; ++l) {
      const auto at = static_cast<std::size_t>(l);
      address[at] = ((mask >> l) & 1u) != 0 ? address[at] : first;
    }
  }
}
template <AddressForm Form>
TILESCOPE_INLINE void load_addresses(const MicroOp& op, std::byte* registers, std::uint32_t mask,
                                     LaneArray& address) {
  load_row_addresses<Form>(registers, op.row[0], static_cast<std::uint64_t>(op.immediate), mask,
                           address);
}

// Turns addresses into offsets from target.data. False: some lane is out of bounds or misaligned.
// `bytes` is a power of two.
TILESCOPE_INLINE bool check_lanes(const Target& target, std::uint64_t bytes, LaneArray& address) {
  std::uint64_t any = 0;
  TILESCOPE_LANES
  for (std::size_t l = 0; l < kLanes; ++l) {
    address[l] -= target.base;
    any |= address[l];
  }
  if ((any & (bytes - 1)) != 0 || target.limit < bytes) return false;
  const std::uint64_t last = target.limit - bytes;
  if (any <= last) return true;  // no offset exceeds the bitwise or of all
  std::uint64_t highest = 0;
  for (std::size_t l = 0; l < kLanes; ++l) highest = address[l] > highest ? address[l] : highest;
  return highest <= last;
}

TILESCOPE_INLINE void spread_local(const Target& target, LaneArray& offset) {
  for (std::size_t l = 0; l < kLanes; ++l) offset[l] += target.lane_stride * l;
}

// Does this access look like the instruction's last one? Remembers it where it does not.
// `offset` of an inactive lane is the first active one's.
TILESCOPE_INLINE bool repeats_last(std::uint32_t site, std::uint32_t mask, MemorySpace space,
                                   const LaneArray& offset, LaneShape shape,
                                   ExecutionContext& context) {
  LastAccess& last = context.last_access[site];
  if (last.has(shape, space)) return true;
  LaneArray distance;
  std::uint64_t different = (last.active ^ mask) | (last.space == space ? 0 : 1);
  TILESCOPE_LANES
  for (std::size_t l = 0; l < kLanes; ++l) {
    distance[l] = offset[l] - offset[0];
    different |= distance[l] ^ last.distance[l];
  }
  if (different == 0) return true;
  if (!context.repeats.empty()) tell_repeats(context.repeats[site], context);
  last = {mask, space, shape, 0, distance};
  return false;
}

// What the instruction's last access was like comes again, from another base. False: nobody has
// taken note of it by that alone.
TILESCOPE_INLINE bool note_repeat(const MicroOp& op, std::uint64_t base,
                                  ExecutionContext& context) {
  if (AccessLog* log = context.access_log; log != nullptr) {
    log->add({base, context.last_access[op.site].logged, op.instruction});
    if (!context.repeats.empty()) context.repeats[op.site].add(op.instruction, base);
    return true;
  }
  if (context.repeats.empty()) return false;
  context.repeats[op.site].add(op.instruction, base);
  return true;
}

inline void describe_access(const MicroOp& op, std::uint32_t mask, MemorySpace space,
                            AccessKind kind, std::uint64_t shown_base, const LaneArray& offset,
                            std::uint32_t site, ExecutionContext& context) {
  WarpAccess& access = context.access;
  TILESCOPE_LANES
  for (std::size_t l = 0; l < kLanes; ++l) access.address[l] = offset[l] + shown_base;
  access.active = mask;
  access.bytes_per_lane = op.bytes;
  access.space = space;
  access.kind = kind;
  context.sink->on_access(context.point, access);
  if (const AccessLog* log = context.access_log; log != nullptr) {
    context.last_access[site].logged = log->last_shape();
  }
}

inline __attribute__((noinline)) void describe_to_sink(const MicroOp& op, std::uint32_t mask,
                                                       MemorySpace space, AccessKind kind,
                                                       std::uint64_t shown_base,
                                                       const LaneArray& offset, LaneShape shape,
                                                       ExecutionContext& context) {
  context.point.instruction = op.instruction;
  const std::uint64_t base = offset[0] + shown_base;
  if (repeats_last(op.site, mask, space, offset, shape, context)) {
    if (note_repeat(op, base, context)) return;
    if (context.sink->on_repeat(context.point, base, 1)) return;
  }
  describe_access(op, mask, space, kind, shown_base, offset, op.site, context);
}

TILESCOPE_INLINE void tell_sink(const MicroOp& op, std::uint32_t mask, MemorySpace space,
                                AccessKind kind, std::uint64_t shown_base, const LaneArray& offset,
                                LaneShape shape, ExecutionContext& context) {
  if (context.last_access[op.site].has(shape, space) &&
      note_repeat(op, offset[0] + shown_base, context)) {
    return;
  }
  describe_to_sink(op, mask, space, kind, shown_base, offset, shape, context);
}

TILESCOPE_INLINE bool is_shown(MemorySpace space) {
  return space == MemorySpace::kGlobal || space == MemorySpace::kShared ||
         space == MemorySpace::kLocal;
}

}  // namespace tilescope::TILESCOPE_ISA
