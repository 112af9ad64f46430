#include "emulator/checks/uninitialised_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>

#include "emulator/common_executors/warp_exchange.h"
#include "emulator/execution/place_name.h"
#include "emulator/execution/register_cells.h"
#include "emulator/region_history.h"

namespace tilescope {
namespace {

constexpr std::uint64_t kGlobalPlaces = std::uint64_t{1} << 63;

// Names a byte of the block's memories, or of global memory.
std::uint64_t place_of(MemorySpace space, std::uint32_t thread, std::uint64_t offset) {
  if (space == MemorySpace::kGlobal) return kGlobalPlaces | offset;
  return space == MemorySpace::kShared ? offset : (std::uint64_t{thread} + 1) << 32 | offset;
}

bool is_shuffle(const StaticInstruction& instruction) {
  return instruction.operation == Operation::kShuffle && instruction.warp_use == WarpUse::kNamed;
}

unsigned first_byte(std::uint64_t bytes) { return static_cast<unsigned>(std::countr_zero(bytes)); }

// Hands bits on: a structure is copied with members that nobody has set.
bool copies_bits(Operation operation) {
  switch (operation) {
    case Operation::kMove:
    case Operation::kPack:
    case Operation::kUnpack:
    case Operation::kSelp:
    case Operation::kStore:
      return true;
    default:
      return false;
  }
}

bool is_declared(const Code& code, std::uint64_t offset, unsigned bytes) {
  return std::any_of(code.local_variables.begin(), code.local_variables.end(),
                     [&](const PlacedVariable& variable) {
                       return offset >= variable.offset &&
                              offset + bytes <= variable.offset + variable.bytes;
                     });
}

// Without the bytes of elements that are written in part: structures have gaps, which are loaded
// with what lies beside them.
std::uint64_t without_parts(std::uint64_t missing, unsigned bytes) {
  const unsigned element = std::min(bytes, 4u);
  for (unsigned at = 0; missing != 0 && at < bytes; at += element) {
    const std::uint64_t mask = ones(element) << at;
    if ((missing & mask) != mask) missing &= ~mask;
  }
  return missing;
}

}  // namespace

UninitialisedCheck::UninitialisedCheck(CheckedBlock& block, CopyReports& copies,
                                       const RaceCheck& races)
    : block_(block), copies_(copies), races_(races) {
  local_written_.resize(block.launch.launch().block.count());
  const std::vector<std::uint32_t>& unset = block_.notes.unset_rows;
  const Code& code = *block_.context.code;
  names_unset_.assign(unset.empty() ? 0 : block_.notes.of.size(), 0);
  for (std::size_t i = 0; !unset.empty() && i < code.ops.size(); ++i) {
    for_each_row(code, code.ops[i], code.uses[i], [&](std::uint32_t row, bool) {
      if (std::ranges::binary_search(unset, row)) names_unset_[code.ops[i].instruction] = 1;
    });
  }
  follows_global_ =
      std::ranges::any_of(block_.context.memory->regions(),
                          [](const MemoryRegion& region) { return region.history != nullptr; });
}

StepEvents UninitialisedCheck::needs(std::uint32_t instruction) const {
  const InstructionNote& note = block_.notes.of[instruction];
  const bool names_unset = !names_unset_.empty() && names_unset_[instruction] != 0;
  return {.before = is_shuffle(block_.instruction(instruction)) || names_unset,
          .after = names_unset,  // a store of such a row
          .accesses = note.may_access(MemorySpace::kShared) ||
                      note.may_access(MemorySpace::kLocal) ||
                      (follows_global_ && note.may_access(MemorySpace::kGlobal))};
}

void UninitialisedCheck::on_block_begin(std::vector<Warp>& warps) {
  const ExecutionContext& context = block_.context;
  WrittenBytes& shared_written = block_.shared_written;
  shared_written.reset(context.shared_bytes);
  // What CUDA keeps there is not the kernel's to write.
  for (std::uint64_t at = context.reserved_shared; at < context.shared_bytes; at += 64)
    shared_written.write(at, 64);
  if (context.local_bytes != 0) {
    for (WrittenBytes& written : local_written_) written.reset(context.local_bytes);
  }
  sources_.clear();
  open_reads_ = false;
  issues_.clear();
  undefined_.start_block(*context.code, static_cast<std::uint32_t>(warps.size()));
  unset_written_.assign(warps.size() * block_.notes.unset_rows.size(), 0);
  follow_as_needed();
}

void UninitialisedCheck::follow_as_needed() {
  block_.block.observers().follow(*this, undefined_.any());
}

UndefinedValues::Step UninitialisedCheck::step_of(const WarpStep& step) const {
  const Code& code = *block_.context.code;
  const RowUse& use = code.uses[static_cast<std::size_t>(&step.op - code.ops.data())];
  return {step.op, use, step.registers, step.warp.index, step.lanes};
}

std::uint32_t* UninitialisedCheck::written_lanes(std::uint32_t warp, std::uint32_t row) {
  const std::vector<std::uint32_t>& rows = block_.notes.unset_rows;
  const auto found = std::ranges::lower_bound(rows, row);
  if (found == rows.end() || *found != row) return nullptr;
  return &unset_written_[warp * rows.size() + static_cast<std::size_t>(found - rows.begin())];
}

// A register that the instruction reads before any write is undefined from here on. A shuffle uses
// only the values that its lanes take.
void UninitialisedCheck::note_unset(const WarpStep& step) {
  const UndefinedValues::Step following = step_of(step);
  const bool shuffles = is_shuffle(block_.instruction(step.op.instruction));
  const RowUse use = used_rows(step.op, following.use, step.registers);
  for_each_row(*block_.context.code, step.op, use, [&](std::uint32_t row, bool writes) {
    std::uint32_t* written = written_lanes(step.warp.index, row);
    if (written == nullptr || (!writes && shuffles && row == step.op.row[2])) return;
    const std::uint32_t unset = step.lanes & ~*written;
    *written |= step.lanes;
    if (writes || unset == 0) return;
    for_lanes(unset, [&](unsigned lane) { read_unset(step, lane); });
    undefined_.leave_unset(step.warp.index, row, unset, step.op.instruction);
  });
}

void UninitialisedCheck::read_unset(const WarpStep& step, unsigned lane) {
  const std::uint32_t thread = step.warp.index * kWarpSize + lane;
  sources_.try_emplace(
      {step.op.instruction, thread},
      UndefinedSource{UnsetRead{step.op.instruction, thread}, UndefinedSource::Verdict::kMistake});
}

void UninitialisedCheck::before(const WarpStep& step) {
  const std::uint32_t instruction = step.op.instruction;
  const bool names_unset = !names_unset_.empty() && names_unset_[instruction] != 0;
  if (is_shuffle(block_.instruction(instruction))) {
    follow_shuffle(step);
    if (names_unset) note_unset(step);
  } else {
    if (names_unset) note_unset(step);
    const UndefinedValues::Step following = step_of(step);
    note_uses(undefined_.follow(following), following);
  }
  follow_as_needed();
}

void UninitialisedCheck::after(const WarpStep& step) {
  if (undefined_.brings()) undefined_.finish_load(step_of(step));
  if (undefined_.stores()) note_uses(undefined_.finish_store(), step_of(step), true);
  follow_as_needed();
}

void UninitialisedCheck::on_skip(const WarpStep& skipped) {
  const UndefinedValues::Step step = step_of(skipped);
  note_uses(undefined_.skip(step), step);
  follow_as_needed();
}

void UninitialisedCheck::on_code_block_end(std::uint32_t block, std::uint32_t lanes,
                                           const Warp& warp) {
  const Code& code = *block_.context.code;
  const CodeBlock& ending = code.blocks[block];
  const bool calls = ending.kind == EndKind::kCall || ending.kind == EndKind::kCallAddress ||
                     ending.kind == EndKind::kReturn;
  const UndefinedValues::Step step{ending.last, code.last_uses[block], warp.registers, warp.index,
                                   lanes};
  note_uses(undefined_.follow_end(step), step);
  // The registers of a function that may call itself are saved and come back.
  if (calls && code.frame_bytes != 0) undefined_.forget_warp(warp.index);
  follow_as_needed();
}

// PTX ISA, "shfl.sync": what a lane takes from one that is not active or not in its mask is
// undefined. A lane that is named and has not come yet is waited for.
void UninitialisedCheck::follow_shuffle(const WarpStep& step) {
  const MicroOp& op = step.op;
  const Warp& warp = step.warp;
  const std::uint32_t lanes = step.lanes;
  const Modifier mode = step_of(step).use.mode;
  const MemberMasks& masks = block_.masks;
  std::uint32_t named = kFullMask;  // by all
  for (const unsigned lane : lanes_in(lanes)) named &= masks[lane];
  const std::uint32_t* written = written_lanes(warp.index, op.row[2]);
  const bool all_written = written == nullptr || (lanes & ~*written) == 0;
  if ((lanes & named) == kFullMask && all_written && !undefined_.any()) [[likely]]
    return;
  const std::uint32_t gone = ~warp.alive | warp.leaving_lanes(block_.context.code->blocks);
  std::array<std::uint32_t, kWarpSize> by;
  std::array<std::uint32_t, kWarpSize> clamp;
  std::memcpy(by.data(), step.registers + op.row[3], sizeof by);
  std::memcpy(clamp.data(), step.registers + op.row[4], sizeof clamp);
  std::array<std::uint32_t, kWarpSize> source{};
  LaneOrigins undefined;
  for_lanes(lanes, [&](unsigned lane) {
    const std::uint32_t from = shuffle_source(mode, lane, by[lane], clamp[lane]).lane & 31u;
    source[lane] = from;
    const bool is_named = ((masks[lane] >> from) & 1u) != 0;
    const bool is_gone = ((gone & ~lanes) >> from & 1u) != 0;
    if (from == lane || (is_named && !is_gone)) {
      if (all_written || (*written >> from & 1u) != 0) return;
      read_unset(step, lane);
      undefined.put(lane, undefined_.origin(op.instruction));
      return;
    }
    const std::uint32_t thread = warp.index * 32 + lane;
    sources_.try_emplace({op.instruction, thread},
                         UndefinedSource{TakenValue{op.instruction, thread, from, masks[lane]}});
    undefined.put(lane, undefined_.origin(op.instruction));
  });
  if (undefined.lanes != 0 || undefined_.any())
    undefined_.shuffle(step_of(step), source, undefined);
}

void UninitialisedCheck::inspect(ObservedAccess& access) {
  const CheckedAccess& checked = *block_.access;
  if (access.access.space == MemorySpace::kShared) check_shared(checked, access.lanes);
  if (access.access.space == MemorySpace::kLocal) check_local(checked, access.lanes);
  if (access.access.space == MemorySpace::kGlobal) check_global(checked, access.lanes);
}

void UninitialisedCheck::check_shared(const CheckedAccess& access, std::uint32_t lanes) {
  const unsigned bytes = access.lanes.bytes_per_lane;
  WrittenBytes& written = block_.shared_written;
  const bool asks =
      access.reads && !access.note.exchanges && !written.all(access.lowest, access.end());
  if (!asks && !access.writes) return;
  for_lanes(lanes, [&](unsigned lane) {
    const std::uint64_t offset = access.lanes.address[lane];
    if (asks) {
      const std::uint64_t missing = written.missing(offset, bytes);
      // Structures are copied with the gaps between their members.
      const bool is_gap =
          access.note.passes_bytes || (access.note.only_stored && missing != ones(bytes));
      if (missing != 0 && !is_gap) {
        read_unwritten(access, lane,
                       {access.stamp, MemorySpace::kShared, static_cast<std::uint32_t>(offset),
                        bytes, missing});
      }
    }
    if (access.writes) {
      written.write(offset, bytes);
      if (undefined_.stores()) keep_undefined(written, access, lane, offset);
    }
  });
}

void UninitialisedCheck::check_local(const CheckedAccess& access, std::uint32_t lanes) {
  const unsigned bytes = access.lanes.bytes_per_lane;
  for_lanes(lanes, [&](unsigned lane) {
    const std::uint64_t offset = access.lanes.address[lane];
    WrittenBytes& written = local_written_[block_.thread(lane)];
    if (access.writes) {
      written.write(offset, bytes);
      if (undefined_.stores()) keep_undefined(written, access, lane, offset);
      return;
    }
    const std::uint64_t missing = written.missing(offset, bytes);
    if (missing == 0) [[likely]]
      return;
    // Parameters of functions, which are not declared, are filled unseen.
    const bool is_gap =
        access.note.passes_bytes || (access.note.only_stored && missing != ones(bytes));
    if (is_gap || !is_declared(*block_.context.code, offset, bytes)) return;
    read_unwritten(
        access, lane,
        {access.stamp, MemorySpace::kLocal, static_cast<std::uint32_t>(offset), bytes, missing});
  });
}

void UninitialisedCheck::check_global(const CheckedAccess& access, std::uint32_t lanes) {
  const unsigned bytes = access.lanes.bytes_per_lane;
  const MemoryRegion* region = nullptr;
  for_lanes(lanes, [&](unsigned lane) {
    const std::uint64_t address = access.lanes.address[lane];
    if (region == nullptr || address - region->begin >= region->bytes)
      region = block_.context.memory->find(address);
    if (region == nullptr || region->history == nullptr || region->history->all_written()) return;
    RegionHistory& history = *region->history;
    const std::uint64_t offset = address - region->begin;
    if (access.reads && !access.note.exchanges) {
      const std::uint64_t missing = without_parts(history.missing(offset, bytes), bytes);
      const bool is_gap =
          access.note.passes_bytes || (access.note.only_stored && missing != ones(bytes));
      if (missing != 0 && !is_gap)
        read_unwritten(access, lane, {access.stamp, MemorySpace::kGlobal, address, bytes, missing});
    }
    if (access.writes) history.write(offset, bytes);
  });
}

void UninitialisedCheck::on_library_store(unsigned lane, MemorySpace space, std::uint64_t offset,
                                          unsigned bytes) {
  if (space == MemorySpace::kLocal) local_written_[block_.thread(lane)].write(offset, bytes);
  if (space == MemorySpace::kShared) block_.shared_written.write(offset, bytes);
}

void UninitialisedCheck::on_transfer(const BulkTransfers::Copy& copy) {
  constexpr std::size_t kUnit = 16;
  const auto unit = static_cast<unsigned>(std::min(copy.data.size(), kUnit));
  for (std::uint64_t at = 0; at < copy.data.size(); at += unit)
    block_.shared_written.write(copy.to + at, unit);
  if (issues_.size() < kMostIssues) issues_.push_back({copy.to, copy.data.size(), copy.issuer});
}

void UninitialisedCheck::on_peer_store(const Finding::Other&, std::uint64_t offset,
                                       unsigned bytes) {
  block_.shared_written.write(offset, bytes);
}

void UninitialisedCheck::on_release(std::uint32_t, bool whole) {
  if (whole) judge_reads();
}

void UninitialisedCheck::note_uses(const std::vector<UndefinedValues::Use>& uses,
                                   const UndefinedValues::Step& step, bool kept) {
  for (const UndefinedValues::Use& use : uses)
    note_use(use.origins, step.warp * 32 + use.lane, step.op.instruction, kept);
}

// The thread may have got the value from another one.
void UninitialisedCheck::note_use(UndefinedValues::Set origins, std::uint32_t thread,
                                  std::uint32_t instruction, bool kept) {
  for (const std::uint32_t by : undefined_.members(origins)) {
    auto source = sources_.find({by, thread});
    if (source == sources_.end()) source = sources_.lower_bound({by, 0});
    if (source == sources_.end() || source->first.first != by) continue;
    if (source->second.use != UndefinedSource::kUnused) continue;
    const bool copied = std::holds_alternative<UnsetRead>(source->second.what) &&
                        copies_bits(block_.instruction(by).operation);
    if (kept && copied) continue;
    source->second.use = instruction;
    report_used(source->second);
  }
}

// A load passes on what it finds; anything else has used it.
void UninitialisedCheck::read_unwritten(const CheckedAccess& access, unsigned lane,
                                        UnwrittenRead read) {
  const std::uint32_t thread = block_.thread(lane);
  read.stamp.thread = thread & 0x3ffu;
  UndefinedValues::Set origins =
      undefined_.kept(place_of(read.space, thread, read.offset) + first_byte(read.missing));
  if (origins == OriginSets::kNone) {
    origins = undefined_.origin(access.instruction);
    UndefinedSource& source = sources_[{access.instruction, thread}];
    const bool pending =
        source.verdict == UndefinedSource::Verdict::kOpen && source.use != UndefinedSource::kUnused;
    if (!pending) {
      const bool shared = read.space == MemorySpace::kShared;
      source = {read,
                shared ? UndefinedSource::Verdict::kOpen : UndefinedSource::Verdict::kMistake};
      open_reads_ |= shared;
    }
  }
  const Operation operation = step_of(block_.step()).use.operation;
  if (operation == Operation::kLoad || operation == Operation::kLoadMatrix) {
    undefined_.bring(lane, read.missing, origins);
    block_.block.observers().follow(*this, true);  // finishes the load
  } else {
    note_use(origins, thread, access.instruction);
  }
}

// `written` of the memory in which the access lies at `offset`.
void UninitialisedCheck::keep_undefined(WrittenBytes& written, const CheckedAccess& access,
                                        unsigned lane, std::uint64_t offset) {
  const UndefinedValues::Stored stored = undefined_.take_stored(lane);
  if (stored.bytes == 0) return;
  written.forget(offset, stored.bytes);
  const std::uint64_t place = place_of(access.lanes.space, block_.thread(lane), offset);
  for (std::uint64_t left = stored.bytes; left != 0; left &= left - 1)
    undefined_.keep(place + first_byte(left), stored.origins);
}

void UninitialisedCheck::report_used(const UndefinedSource& source) {
  if (const auto* taken = std::get_if<TakenValue>(&source.what)) {
    report_taken(*taken, source.use);
  } else if (const auto* unset = std::get_if<UnsetRead>(&source.what)) {
    report_unset(*unset, source.use);
  } else if (source.verdict == UndefinedSource::Verdict::kMistake) {
    report_read(std::get<UnwrittenRead>(source.what), source.use);
  }
}

void UninitialisedCheck::report_taken(const TakenValue& value, std::uint32_t use) {
  if (!block_.reports.is_new(FindingKind::kBarrier, value.instruction)) return;
  const bool named = ((value.members >> value.from) & 1u) != 0;
  const std::string why =
      named ? "has left the kernel" : fmt::format("its mask ({:#x}) does not name", value.members);
  block_.reports.add(
      FindingKind::kBarrier, value.instruction, value.thread,
      fmt::format("takes the value of lane {} of its warp, which {}, and the undefined result is "
                  "used (line {}): let all the lanes that are read take part and name them, those "
                  "past the end of the data with a value that changes nothing",
                  value.from, why, block_.notes.of[use].line));
}

void UninitialisedCheck::report_unset(const UnsetRead& read, std::uint32_t use) {
  if (!block_.reports.is_new(FindingKind::kUninitialised, read.instruction)) return;
  const std::uint32_t line = block_.notes.of[use].line;
  const bool elsewhere = line != 0 && line != block_.notes.of[read.instruction].line;
  block_.reports.add(
      FindingKind::kUninitialised, read.instruction, read.thread,
      fmt::format("computes with a variable that has no value{}: give it one where it is declared, "
                  "or on every path to here",
                  elsewhere ? fmt::format(", and the result is used (line {})", line) : ""));
}

void UninitialisedCheck::report_read(const UnwrittenRead& read, std::uint32_t use) {
  if (!block_.reports.is_new(FindingKind::kUninitialised, read.stamp.instruction)) return;
  const unsigned element = std::min(read.bytes, 4u);
  const unsigned first = first_byte(read.missing) / element * element;
  const bool nothing = (read.missing >> first & ones(element)) == ones(element);
  const std::uint32_t line = block_.notes.of[use].line;
  const bool elsewhere = line != 0 && line != block_.notes.of[read.stamp.instruction].line;
  const std::string used = elsewhere ? fmt::format(" and uses it (line {})", line) : std::string();
  if (read.space == MemorySpace::kLocal) {
    block_.reports.add(
        FindingKind::kUninitialised, read.stamp.instruction, read.stamp.thread,
        fmt::format("reads an element of a local array of which {} has been written{}: give the "
                    "array values before it is read",
                    read.missing == ones(read.bytes) ? "nothing" : "a part only", used));
    return;
  }
  if (read.space == MemorySpace::kGlobal) {
    block_.reports.add(
        FindingKind::kUninitialised, read.stamp.instruction, read.stamp.thread,
        fmt::format("reads {}, {}{}: fill the buffer first (cudaMemcpy, cudaMemset, a kernel)",
                    name_place(block_.context, MemorySpace::kGlobal, read.offset + first, element),
                    nothing ? "which nobody has written since it was allocated"
                            : "of which only a part has been written since it was allocated",
                    used.empty() ? used : "," + used));
    return;
  }
  block_.reports.add(
      FindingKind::kUninitialised, read.stamp.instruction, read.stamp.thread,
      fmt::format("reads {}, {}{}: write it before the block's threads read it, or do not read it",
                  name_place(block_.context, MemorySpace::kShared, read.offset + first, element),
                  nothing ? "which no thread has written" : "of which only a part has been written",
                  used.empty() ? used : "," + used));
}

// When all threads have come to a barrier: what is still unwritten stays so, and what has been
// written since was too late, unless the two raced, which has been said.
void UninitialisedCheck::judge_reads() {
  for (auto& [key, source] : sources_) {
    if (!open_reads_) break;
    const auto* read = std::get_if<UnwrittenRead>(&source.what);
    if (read == nullptr || source.verdict != UndefinedSource::Verdict::kOpen) continue;
    source.verdict = judge(*read);
    if (source.use != UndefinedSource::kUnused) report_used(source);
  }
  open_reads_ = false;
  issues_.clear();
}

UndefinedSource::Verdict UninitialisedCheck::judge(const UnwrittenRead& read) {
  const auto filled = std::find_if(issues_.begin(), issues_.end(), [&](const Issue& issue) {
    return issue.to < read.offset + read.bytes && read.offset < issue.to + issue.bytes;
  });
  if (filled != issues_.end()) {  // it did not wait for a copy that was issued after it
    copies_.report({read.stamp,
                    {},
                    static_cast<std::uint32_t>(read.offset),
                    read.bytes,
                    true,
                    filled->issuer});
    return UndefinedSource::Verdict::kExplained;
  }
  const std::uint64_t missing =
      block_.shared_written.missing(read.offset, read.bytes) & read.missing;
  const bool still =
      missing != 0 && undefined_.kept(read.offset + first_byte(missing)) == OriginSets::kNone;
  const bool raced = races_.has_raced(block_.notes.of[read.stamp.instruction].line);
  return still || !raced ? UndefinedSource::Verdict::kMistake
                         : UndefinedSource::Verdict::kExplained;
}

}  // namespace tilescope
