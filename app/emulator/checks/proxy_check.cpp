#include "emulator/checks/proxy_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "emulator/checks/cluster_race_check.h"
#include "emulator/execution/cluster.h"
#include "emulator/execution/place_name.h"
#include "emulator/lanes_in.h"

namespace tilescope {
namespace {

constexpr std::uint64_t kPiece = 16;  // bytes: a row of a core matrix

bool is_product(const StaticInstruction& instruction) {
  return instruction.operation == Operation::kWarpgroupProduct;
}
bool uses_proxy(const StaticInstruction& instruction) {
  return is_product(instruction) || instruction.reads_in_bulk() || instruction.fills_in_bulk();
}
bool is_proxy_fence(const StaticInstruction& instruction) {
  return instruction.is(Mnemonic::kFence) && instruction.has(Modifier::kProxy) &&
         instruction.has(Modifier::kAsync);
}
bool fences_shared(const StaticInstruction& fence) { return !fence.has(Modifier::kGlobal); }
bool fences_global(const StaticInstruction& fence) {
  return !fence.has(Modifier::kSharedCta) && !fence.has(Modifier::kSharedCluster);
}
bool stores_global(const StaticInstruction& instruction) {
  return instruction.access == AccessKind::kStore &&
         (instruction.space == MemorySpace::kGlobal || instruction.space == MemorySpace::kGeneric);
}

}  // namespace

// What the proxies of machine code are is not known.
ProxyCheck::ProxyCheck(CheckedBlock& block, RaceCheck& races)
    : block_(block),
      races_(races),
      any_user_(!block.launch.program().is_machine_code() &&
                std::ranges::any_of(block.launch.program().instructions(), uses_proxy)),
      stores_global_(std::ranges::any_of(block.launch.program().instructions(), stores_global)) {
  if (any_user_) written_.resize(block.context.shared_bytes / kPiece + 1);
}

StepEvents ProxyCheck::needs(std::uint32_t instruction) const {
  if (!any_user_) return {};
  const StaticInstruction& which = block_.instruction(instruction);
  const bool stores = which.access == AccessKind::kStore || which.access == AccessKind::kStmatrix ||
                      which.access == AccessKind::kAtomic || which.access == AccessKind::kAsyncCopy;
  const bool shared = block_.notes.of[instruction].may_access(MemorySpace::kShared);
  return {.before = is_proxy_fence(which), .accesses = is_product(which) || (stores && shared)};
}

void ProxyCheck::on_block_begin(std::vector<Warp>&) {
  std::ranges::fill(written_, Written{});
  open_.clear();
  unfenced_.clear();
  peer_stores_.clear();
  if (block_.context.peer_races != nullptr) block_.context.peer_races->proxy_fences = 0;
  fenced_global_ = false;
}

std::optional<std::uint32_t> ProxyCheck::knowing_lane(const AccessStamp& store,
                                                      const WarpStep& fence) const {
  const std::uint32_t warp = fence.warp.index;
  if (store.warp() == warp && ((fence.lanes >> store.lane()) & 1u) != 0) return store.lane();
  if (block_.order.knows(warp, store))
    return static_cast<std::uint32_t>(std::countr_zero(fence.lanes));
  if (!block_.order.is_fine()) return std::nullopt;
  for (const unsigned lane : lanes_in(fence.lanes)) {
    if (block_.order.ordered(store, warp * kWarpSize + lane)) return lane;
  }
  return std::nullopt;
}

void ProxyCheck::before(const WarpStep& fence) {
  const StaticInstruction& which = block_.instruction(fence.op.instruction);
  fenced_global_ |= fences_global(which);
  if (!fences_shared(which)) return;
  if (block_.context.peer_races != nullptr) ++block_.context.peer_races->proxy_fences;
  if (open_.empty() || fence.op.instruction >= AccessStamp::kMostInstructions) return;
  AccessStamp now = block_.stamp_beside(fence.op.instruction, 0);
  std::erase_if(open_, [&](std::uint32_t piece) {
    Written& written = written_[piece];
    const AccessStamp& first = written.fences[0];
    if (first.tick != 0 && !block_.order.since_barrier(first)) {
      written.is_open = false;
      return true;
    }
    if (const auto lane = knowing_lane(written.store, fence)) {
      now.thread = (fence.warp.index * kWarpSize + *lane) & 0x3ffu;
      written.fences[first.tick == 0 ? 0 : 1] = now;
    }
    return false;
  });
}

// A store without any order to the use is a race.
bool ProxyCheck::lacks_fence(const Written& written, const AccessStamp& user) const {
  if (written.store.tick == 0 || !block_.order.ordered(written.store, user.thread)) return false;
  return std::ranges::none_of(written.fences, [&](const AccessStamp& fence) {
    return fence.tick != 0 && block_.order.ordered(fence, user.thread);
  });
}

std::uint64_t ProxyCheck::fences_of_cluster() const {
  std::uint64_t fences = 0;
  for (const Cluster::Member& member : block_.context.cluster->members) {
    const ClusterRaces* const races = member.context->peer_races;
    if (races != nullptr) fences += races->proxy_fences;
  }
  return fences;
}

void ProxyCheck::on_peer_store(const Finding::Other& by, std::uint64_t offset, unsigned bytes) {
  if (!any_user_) return;
  const std::uint64_t fences = fences_of_cluster();
  for (std::uint64_t piece = offset / kPiece; piece * kPiece < offset + bytes; ++piece)
    peer_stores_[piece] = {by, fences};
}

const ProxyCheck::PeerStore* ProxyCheck::unfenced_peer(std::uint64_t piece) const {
  const auto found = peer_stores_.find(piece);
  const bool lacks = found != peer_stores_.end() && found->second.fences == fences_of_cluster();
  return lacks ? &found->second : nullptr;
}

void ProxyCheck::inspect(ObservedAccess& access) {
  const CheckedAccess& checked = *block_.access;
  if (checked.lanes.space != MemorySpace::kShared) return;
  for (const unsigned lane : lanes_in(access.lanes)) {
    const std::uint64_t address = checked.lanes.address[lane];
    const std::uint64_t end = address + checked.lanes.bytes_per_lane;
    for (std::uint64_t piece = address / kPiece; piece * kPiece < end; ++piece) {
      if (piece >= written_.size()) return;
      Written& written = written_[piece];
      const AccessStamp now = block_.stamp_of(lane);
      if (checked.lanes.kind == AccessKind::kAsyncCopy) {
        // cp.async uses the generic proxy, as plain stores do. But GPUs multiply what it brought
        // without a fence, and compilers (Triton's) rely on that.
        written.store = {};
      } else if (checked.writes) {
        if (!written.is_open) open_.push_back(static_cast<std::uint32_t>(piece));
        written = {now, {}, true};
      } else if (const PeerStore* const peer = unfenced_peer(piece)) {
        unfenced_.try_emplace(checked.instruction,
                              Unfenced{piece * kPiece, now, {}, Use::kMultiplied, peer->by});
      } else if (lacks_fence(written, now)) {
        unfenced_.try_emplace(checked.instruction,
                              Unfenced{piece * kPiece, now, written.store, Use::kMultiplied, {}});
      }
    }
  }
}

void ProxyCheck::check_copy(const WarpPoint& where, unsigned lane, std::uint64_t offset,
                            std::uint64_t bytes, Use use) {
  if (!any_user_ || lane >= kWarpSize || where.instruction >= AccessStamp::kMostInstructions)
    return;
  const AccessStamp user = block_.stamp_beside(where.instruction, lane);
  for (std::uint64_t piece = offset / kPiece; piece * kPiece < offset + bytes; ++piece) {
    if (piece >= written_.size()) return;
    Written& written = written_[piece];
    if (const PeerStore* const peer = unfenced_peer(piece)) {
      unfenced_.try_emplace(where.instruction, Unfenced{piece * kPiece, user, {}, use, peer->by});
      return;
    }
    if (!lacks_fence(written, user)) {
      if (use == Use::kCopiedOver) written.store = {};
    } else {
      unfenced_.try_emplace(where.instruction,
                            Unfenced{piece * kPiece, user, written.store, use, {}});
      return;
    }
  }
}

void ProxyCheck::on_bulk_read(const WarpPoint& where, unsigned lane, const BulkRead& read) {
  check_copy(where, lane, read.offset, read.bytes, Use::kCopiedOut);
}

void ProxyCheck::on_bulk_copy(const WarpPoint& where, unsigned lane,
                              const BulkTransfers::Copy& copy, std::span<const BulkPiece> pieces) {
  // Of a copy that leaves its array, what it then comes over says nothing more.
  if (!block_.reports.was_reported(FindingKind::kOutOfBounds, where.instruction))
    check_copy(where, lane, copy.to, copy.data.size(), Use::kCopiedOver);
  check_source(where, lane, pieces);
}

void ProxyCheck::check_source(const WarpPoint& where, unsigned lane,
                              std::span<const BulkPiece> pieces) {
  if (!any_user_ || !stores_global_ || fenced_global_ || lane >= kWarpSize ||
      where.instruction >= AccessStamp::kMostInstructions)
    return;
  const AccessStamp user = block_.stamp_beside(where.instruction, lane);
  const std::uint32_t size = block_.notes.global_cell_bytes;
  for (const BulkPiece& piece : pieces) {
    for (std::uint64_t at = 0; at < piece.bytes; at += size) {
      const AccessStamp* const store = races_.last_global_write(piece.global + at);
      if (store == nullptr || block_.instruction(store->instruction).access != AccessKind::kStore ||
          !block_.order.ordered(*store, user.thread))
        continue;
      unfenced_.try_emplace(where.instruction,
                            Unfenced{piece.global + at, user, *store, Use::kCopiedIn, {}});
      return;
    }
  }
}

Finding ProxyCheck::describe(std::uint32_t instruction, const Unfenced& found) const {
  const bool global = found.use == Use::kCopiedIn;
  const char* const verb = found.use == Use::kMultiplied   ? "multiplies"
                           : found.use == Use::kCopiedOver ? "copies over"
                           : global                        ? "copies in"
                                                           : "copies out";
  const char* const harm = found.use == Use::kMultiplied   ? "wgmma may not see it"
                           : found.use == Use::kCopiedOver ? "it may come after the copy"
                                                           : "the bulk copy may not see it";
  const MemorySpace space = global ? MemorySpace::kGlobal : MemorySpace::kShared;
  const std::uint32_t store = found.peer ? found.peer->instruction : found.store.instruction;
  Finding finding = block_.reports.finding_of(
      global ? FindingKind::kGlobalRace : FindingKind::kSharedRace, instruction, found.user.thread,
      fmt::format("{} {}, which {} writes (line {}) with a plain store, and no {} lies between the "
                  "two: {}; put {} after the store, before the barrier",
                  verb, name_place(block_.context, space, found.address, 4),
                  found.peer ? fmt::format("block ({},{},{})", found.peer->block.x,
                                           found.peer->block.y, found.peer->block.z)
                             : block_.reports.thread_text(found.store.thread),
                  block_.notes.of[store].line,
                  global ? "fence.proxy.async of global memory" : "fence.proxy.async", harm,
                  global       ? "fence.proxy.async (without .shared::cta)"
                  : found.peer ? "fence.proxy.async"
                               : "fence.proxy.async.shared::cta"),
      &found.store);
  if (found.peer) finding.other = found.peer;
  return finding;
}

// A missing barrier says more: the races are reported before.
void ProxyCheck::on_block_end() {
  for (const auto& [instruction, found] : unfenced_) {
    Finding finding = describe(instruction, found);
    if (block_.reports.is_new(finding.kind, instruction)) block_.reports.add(std::move(finding));
  }
}

}  // namespace tilescope
