#include "scene/compare/compare_access.h"

#include <algorithm>

namespace tilescope {
namespace {

constexpr std::ptrdiff_t kMostAway = 4096;  // events of the warp

using Event = std::optional<std::uint32_t>;

double excess_of_sectors(const ComparedVariant& variant, const Event& event) {
  if (!event) return -1;
  const BlockTrace& trace = *variant.study->trace;
  const SectorCost cost = sector_cost(trace.access(trace.events[*event].access));
  return static_cast<double>(cost.sectors) / std::max(cost.ideal_sectors, 1);
}

double excess_of_wavefronts(const ComparedVariant& variant, const Event& event) {
  if (!event) return -1;
  const WavefrontCost cost = shared_cost(*variant.study, *event).cost;
  return static_cast<double>(cost.wavefronts) / std::max(cost.ideal_wavefronts, 1);
}

// The execution of `telling`'s instruction at or before now, by the selected warp.
std::uint32_t event_now(const ViewContext& own, std::uint32_t telling, MemorySpace space) {
  const KernelStudy& study = *own.study;
  if (own.selection.warp >= own.prepared->warps.size()) return telling;
  const PreparedStudy::WarpAccesses& warp = own.prepared->warps[own.selection.warp];
  const std::vector<std::uint32_t>& events =
      space == MemorySpace::kShared ? warp.shared : warp.global;
  const std::uint32_t wanted = study.trace->events[telling].instruction;
  const auto same = [&](std::uint32_t event) {
    return study.trace->events[event].instruction == wanted;
  };
  const auto after = std::ranges::upper_bound(events, own.selection.event);
  auto it = after;
  for (std::ptrdiff_t away = 0; it != events.begin() && away < kMostAway; ++away) {
    if (same(*--it)) return *it;
  }
  it = after;
  for (std::ptrdiff_t away = 0; it != events.end() && away < kMostAway; ++away, ++it) {
    if (same(*it)) return *it;
  }
  return telling;
}

// A context that stands at this very event.
ViewContext standing_at(const ViewContext& context, std::size_t variant, std::uint32_t telling,
                        MemorySpace space) {
  ViewContext own = context_of_variant(context, variant);
  own.selection.event = event_now(own, telling, space);
  own.selection.warp = own.study->trace->events[own.selection.event].warp;
  own.selection.line = 0;
  return own;
}

}  // namespace

ComparedKinds compared_kinds(const ComparedSet& set) {
  double load = -1;
  double store = -1;
  double shared_load = -1;
  double shared_store = -1;
  for (const ComparedVariant& variant : set.variants) {
    if (!variant.accesses) continue;
    const TellingAccesses& accesses = *variant.accesses;
    load = std::max(load, excess_of_sectors(variant, accesses.load));
    store = std::max(store, excess_of_sectors(variant, accesses.store));
    shared_load = std::max(shared_load, excess_of_wavefronts(variant, accesses.shared_load));
    shared_store = std::max(shared_store, excess_of_wavefronts(variant, accesses.shared_store));
  }
  return {store > load, shared_store > shared_load};
}

std::optional<GlobalRequest> compared_global(const ViewContext& context, std::size_t variant,
                                             const ComparedKinds& kinds) {
  const TellingAccesses& accesses = *context.compared->variants[variant].accesses;
  const Event& wanted = kinds.store ? accesses.store : accesses.load;
  const Event& event = wanted ? wanted : kinds.store ? accesses.load : accesses.store;
  if (!event) return std::nullopt;
  return global_request(standing_at(context, variant, *event, MemorySpace::kGlobal));
}

std::optional<SharedRequest> compared_shared(const ViewContext& context, std::size_t variant,
                                             const ComparedKinds& kinds) {
  const TellingAccesses& accesses = *context.compared->variants[variant].accesses;
  const Event& wanted = kinds.shared_store ? accesses.shared_store : accesses.shared_load;
  const Event& event = wanted               ? wanted
                       : kinds.shared_store ? accesses.shared_load
                                            : accesses.shared_store;
  if (!event) return std::nullopt;
  return shared_request(standing_at(context, variant, *event, MemorySpace::kShared));
}

}  // namespace tilescope
