#include "emulator/checks/proxy_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "emulator/checks/bulk_read_check.h"
#include "emulator/execution/place_name.h"

namespace tilescope {
namespace {

constexpr std::uint64_t kPiece = 16;  // bytes: a row of a core matrix

bool is_product(const StaticInstruction& instruction) {
  return instruction.operation == Operation::kWarpgroupProduct;
}
bool reads_by_proxy(const StaticInstruction& instruction) {
  return is_product(instruction) || reads_in_bulk(instruction);
}
bool is_proxy_fence(const StaticInstruction& instruction) {
  return instruction.is("fence") && instruction.has(Modifier::kProxy);
}

}  // namespace

// What the proxies of machine code are is not known.
ProxyCheck::ProxyCheck(CheckedBlock& block)
    : block_(block),
      any_reader_(!block.launch.program().is_machine_code() &&
                  std::ranges::any_of(block.launch.program().instructions(), reads_by_proxy)) {
  if (any_reader_) written_.resize(block.context.shared_bytes / kPiece + 1);
}

StepEvents ProxyCheck::needs(std::uint32_t instruction) const {
  if (!any_reader_) return {};
  const StaticInstruction& which = block_.instruction(instruction);
  const bool stores = which.access == AccessKind::kStore || which.access == AccessKind::kStmatrix;
  const bool shared = block_.notes.of[instruction].may_access(MemorySpace::kShared);
  return {.before = is_proxy_fence(which), .accesses = is_product(which) || (stores && shared)};
}

void ProxyCheck::on_block_begin(std::vector<Warp>&) {
  std::ranges::fill(written_, Written{});
  fences_ = 1;
  unfenced_.clear();
}

void ProxyCheck::before(const WarpStep&) { ++fences_; }

void ProxyCheck::inspect(ObservedAccess& access) {
  const CheckedAccess& checked = *block_.access;
  if (checked.lanes.space != MemorySpace::kShared) return;
  for (std::uint32_t left = access.lanes; left != 0; left &= left - 1) {
    const auto lane = static_cast<unsigned>(std::countr_zero(left));
    const std::uint64_t address = checked.lanes.address[lane];
    const std::uint64_t end = address + checked.lanes.bytes_per_lane;
    for (std::uint64_t piece = address / kPiece; piece * kPiece < end; ++piece) {
      if (piece >= written_.size()) return;
      Written& written = written_[piece];
      if (checked.writes) {
        written = {fences_, block_.stamp_of(lane)};
      } else if (written.fences == fences_) {
        unfenced_.try_emplace(checked.instruction,
                              Unfenced{piece * kPiece, block_.stamp_of(lane), written.store, true});
      }
    }
  }
}

void ProxyCheck::on_bulk_read(const WarpPoint& where, unsigned lane, std::uint64_t offset,
                              std::uint64_t bytes) {
  if (!any_reader_) return;
  for (std::uint64_t piece = offset / kPiece; piece * kPiece < offset + bytes; ++piece) {
    if (piece >= written_.size()) return;
    const Written& written = written_[piece];
    if (written.fences != fences_) continue;
    const AccessStamp reader = block_.stamp_beside(where.instruction, lane);
    unfenced_.try_emplace(where.instruction,
                          Unfenced{piece * kPiece, reader, written.store, false});
    return;
  }
}

// A missing barrier says more: the races are reported before.
void ProxyCheck::on_block_end() {
  for (const auto& [instruction, found] : unfenced_) {
    if (!block_.reports.is_new(FindingKind::kSharedRace, instruction)) continue;
    const std::uint32_t line = block_.notes.of[found.store.instruction].line;
    block_.reports.add(
        FindingKind::kSharedRace, instruction, found.reader.thread,
        fmt::format("{} {}, which {} writes (line {}) with a plain store and no "
                    "fence.proxy.async after it: {} may not see it; put "
                    "fence.proxy.async.shared::cta between the store and the barrier",
                    found.is_product ? "multiplies" : "copies out",
                    name_place(block_.context, MemorySpace::kShared, found.address, 4),
                    block_.reports.thread_text(found.store.thread), line,
                    found.is_product ? "wgmma" : "the bulk store"),
        &found.store);
  }
}

}  // namespace tilescope
