#include "emulator/checks/warpgroup_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <span>

#include "core/quantity.h"
#include "emulator/checks/product_read_check.h"
#include "emulator/execution/barriers.h"

namespace tilescope {
namespace {

constexpr std::uint32_t kRegisterFile = 1 << 16;  // of a multiprocessor
constexpr std::uint32_t kMostRegisters = 256;     // of a thread
constexpr std::uint32_t kRegisterStep = 8;        // threads have a multiple of it

bool sets_registers(const StaticInstruction& instruction) {
  return instruction.is(Mnemonic::kSetmaxnreg);
}

}  // namespace

WarpgroupCheck::WarpgroupCheck(CheckedBlock& block) : block_(block) {
  const auto& instructions = block.launch.program().instructions();
  for (std::uint32_t i = 0; i < instructions.size(); ++i) {
    if (!multiplies(instructions[i]) && !sets_registers(instructions[i])) continue;
    slots_.resize(instructions.size(), kNone);
    slots_[i] = static_cast<std::uint32_t>(shared_.size());
    shared_.push_back(i);
  }
}

StepEvents WarpgroupCheck::needs(std::uint32_t instruction) const {
  return {.before = !slots_.empty() && slots_[instruction] != kNone};
}

// The registers of a thread at the launch are not known here: as many as the file has for so many
// threads, and no kernel gets more.
void WarpgroupCheck::on_block_begin(std::vector<Warp>& warps) {
  if (shared_.empty()) return;
  const auto count = static_cast<std::uint32_t>(warps.size());
  counts_.assign(shared_.size() * count, 0);
  const std::uint32_t most = kRegisterFile / (count * kWarpSize);
  warps_.assign(count, {std::min(most - most % kRegisterStep, kMostRegisters), {}});
  free_ = 0;
}

void WarpgroupCheck::before(const WarpStep& step) {
  const std::uint32_t instruction = step.op.instruction;
  ++counts_[slots_[instruction] * warps_.size() + step.warp.index];
  const StaticInstruction& which = block_.instruction(instruction);
  if (!sets_registers(which) || which.operands.empty()) return;
  const auto lane = static_cast<unsigned>(std::countr_zero(step.lanes));
  if (instruction >= AccessStamp::kMostInstructions || follows_waiting(block_.thread(lane))) return;
  warps_[step.warp.index].open.push_back({instruction,
                                          static_cast<std::uint32_t>(which.operands.front().bits),
                                          block_.stamp_beside(instruction, lane)});
  serve();
}

bool WarpgroupCheck::follows_waiting(std::uint32_t thread) const {
  return std::ranges::any_of(warps_, [&](const WarpRegisters& warp) {
    return !warp.open.empty() && warp.open.front().stamp.warp() != thread / kWarpSize &&
           block_.order.ordered(warp.open.front().stamp, thread);
  });
}

void WarpgroupCheck::serve() {
  for (bool again = true; again;) {
    again = false;
    for (WarpRegisters& warp : warps_) {
      while (!warp.open.empty() && warp.open.front().registers <= warp.held + free_) {
        free_ = free_ + warp.held - warp.open.front().registers;
        warp.held = warp.open.front().registers;
        warp.open.pop_front();
        again = true;
      }
    }
  }
}

// A block that has not come to its end has another fault.
void WarpgroupCheck::on_block_end() {
  if (shared_.empty()) return;
  const std::vector<Warp>& warps = block_.block.warps();
  if (std::ranges::any_of(warps, [](const Warp& warp) { return warp.alive != 0; })) return;
  bool any = false;
  for (std::uint32_t slot = 0; slot < shared_.size(); ++slot) {
    for (std::size_t group = 0; (group + 1) * Barriers::kWarpsOfGroup <= warps.size(); ++group)
      any |= report_part(slot, group);
  }
  if (!any) report_waiting();
}

// True: part of the group does.
bool WarpgroupCheck::report_part(std::uint32_t slot, std::size_t group) {
  const std::size_t first = group * Barriers::kWarpsOfGroup;
  const std::span counts(counts_.data() + slot * warps_.size() + first, Barriers::kWarpsOfGroup);
  const auto [least, most] = std::ranges::minmax_element(counts);
  if (*least == *most) return false;
  const std::uint32_t instruction = shared_[slot];
  if (!block_.reports.is_new(FindingKind::kBarrier, instruction)) return true;
  const auto thread_of = [&](auto warp) {
    return static_cast<std::uint32_t>(first + static_cast<std::size_t>(warp - counts.begin())) *
           kWarpSize;
  };
  block_.reports.add(
      FindingKind::kBarrier, instruction, thread_of(most),
      fmt::format("{} of the 4 warps of this warp group execute this, which the whole warp group "
                  "must; the warp of {} {}: let all four warps reach it equally often",
                  std::ranges::count_if(counts, [&](std::uint32_t one) { return one == *most; }),
                  block_.reports.thread_text(thread_of(least)),
                  *least == 0 ? "never does" : "does so less often"));
  return true;
}

void WarpgroupCheck::report_waiting() {
  const auto waits =
      std::ranges::find_if(warps_, [](const WarpRegisters& warp) { return !warp.open.empty(); });
  if (waits == warps_.end()) return;
  const Request& asked = waits->open.front();
  if (!block_.reports.is_new(FindingKind::kBarrier, asked.instruction)) return;
  std::uint32_t held = free_;
  for (const WarpRegisters& warp : warps_) held += warp.held;
  std::uint32_t wanted = 0;
  for (const WarpRegisters& warp : warps_)
    wanted += warp.open.empty() ? warp.held : warp.open.front().registers;
  const auto thread = static_cast<std::uint32_t>(waits - warps_.begin()) * kWarpSize;
  block_.reports.add(
      FindingKind::kBarrier, asked.instruction, thread,
      fmt::format("waits for ever for {} registers a thread: the block's threads would have {} "
                  "together, and have {} at most; ask for fewer, or let the other warp groups give "
                  "more back (setmaxnreg.dec)",
                  asked.registers, format_count(std::uint64_t{wanted} * kWarpSize),
                  format_count(std::uint64_t{held} * kWarpSize)));
}

}  // namespace tilescope
