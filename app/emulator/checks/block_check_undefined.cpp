#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "emulator/checks/block_check.h"
#include "emulator/checks/place_name.h"
#include "emulator/code.h"
#include "emulator/common_executors/bulk_transfers.h"

// What becomes of values that nothing has defined: shuffles take them from lanes that give none,
// loads from memory that nobody has written. Who only has them has done nothing wrong yet.
namespace tilescope {
namespace {

// Names a byte of the block's memories.
std::uint64_t place_of(MemorySpace space, std::uint32_t thread, std::uint64_t offset) {
  return space == MemorySpace::kShared ? offset : (std::uint64_t{thread} + 1) << 32 | offset;
}

unsigned first_byte(std::uint64_t bytes) { return static_cast<unsigned>(std::countr_zero(bytes)); }

}  // namespace

const RowUse& BlockCheck::rows_of(const MicroOp& op) const {
  const Code& code = *context_.code;
  return code.uses[static_cast<std::size_t>(&op - code.ops.data())];
}

UndefinedValues::Step BlockCheck::executing() const {
  return {*op_, rows_of(*op_), registers_, context_.warp->index, executing_};
}

void BlockCheck::follow_skip(const MicroOp& op, std::uint32_t lanes, const Warp& warp) {
  const UndefinedValues::Step step{op, rows_of(op), warp.registers, warp.index, lanes};
  note_uses(undefined_.skip(step), step);
}

void BlockCheck::follow_end(std::uint32_t block, std::uint32_t lanes, const Warp& warp) {
  const CodeBlock& ending = context_.code->blocks[block];
  const bool calls = ending.kind == EndKind::kCall || ending.kind == EndKind::kCallAddress ||
                     ending.kind == EndKind::kReturn;
  const UndefinedValues::Step step{ending.last, context_.code->last_uses[block], warp.registers,
                                   warp.index, lanes};
  note_uses(undefined_.follow_end(step), step);
  // The registers of a function that may call itself are saved and come back.
  if (calls && context_.code->frame_bytes != 0) undefined_.forget_warp(warp.index);
}

void BlockCheck::finish_undefined() {
  if (undefined_.brings()) undefined_.finish_load(executing());
  if (undefined_.stores()) note_uses(undefined_.finish_store(), executing());
}

void BlockCheck::note_uses(const std::vector<UndefinedValues::Use>& uses,
                           const UndefinedValues::Step& step) {
  for (const UndefinedValues::Use& use : uses)
    note_use(use.origins, step.warp * 32 + use.lane, step.op.instruction);
}

// The thread may have got the value from another one.
void BlockCheck::note_use(UndefinedValues::Set origins, std::uint32_t thread,
                          std::uint32_t instruction) {
  for (const std::uint32_t by : undefined_.members(origins)) {
    auto source = sources_.find({by, thread});
    if (source == sources_.end()) source = sources_.lower_bound({by, 0});
    if (source == sources_.end() || source->first.first != by) continue;
    if (source->second.use != UndefinedSource::kUnused) continue;
    source->second.use = instruction;
    report_used(source->second);
  }
}

// A load passes on what it finds; anything else has used it.
void BlockCheck::read_unwritten(const Access& access, unsigned lane, UnwrittenRead read) {
  const std::uint32_t thread = context_.point.warp * 32 + lane;
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
  const Operation operation = executing().use.operation;
  if (operation == Operation::kLoad || operation == Operation::kLoadMatrix) {
    undefined_.bring(lane, read.missing, origins);
  } else {
    note_use(origins, thread, access.instruction);
  }
}

// `written` of the memory in which the access lies at `offset`.
void BlockCheck::keep_undefined(WrittenBytes& written, const Access& access, unsigned lane,
                                std::uint64_t offset) {
  const UndefinedValues::Stored stored = undefined_.take_stored(lane);
  if (stored.bytes == 0) return;
  written.forget(offset, stored.bytes);
  const std::uint64_t place = place_of(access.lanes.space, context_.point.warp * 32 + lane, offset);
  for (std::uint64_t left = stored.bytes; left != 0; left &= left - 1)
    undefined_.keep(place + first_byte(left), stored.origins);
}

void BlockCheck::report_used(const UndefinedSource& source) {
  if (const auto* taken = std::get_if<TakenValue>(&source.what)) {
    report_taken(*taken, source.use);
  } else if (source.verdict == UndefinedSource::Verdict::kMistake) {
    report_read(std::get<UnwrittenRead>(source.what), source.use);
  }
}

void BlockCheck::report_taken(const TakenValue& value, std::uint32_t use) {
  if (!is_new(FindingKind::kBarrier, value.instruction)) return;
  const bool named = ((value.members >> value.from) & 1u) != 0;
  const std::string why =
      named ? "has left the kernel" : fmt::format("its mask ({:#x}) does not name", value.members);
  add(FindingKind::kBarrier, value.instruction, value.thread,
      fmt::format("takes the value of lane {} of its warp, which {}, and the undefined result is "
                  "used (line {}): let all the lanes that are read take part and name them, those "
                  "past the end of the data with a value that changes nothing",
                  value.from, why, notes_.of[use].line));
}

void BlockCheck::report_read(const UnwrittenRead& read, std::uint32_t use) {
  if (!is_new(FindingKind::kUninitialised, read.stamp.instruction)) return;
  const auto ones = [](unsigned bytes) {
    return bytes >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << bytes) - 1;
  };
  const unsigned element = std::min(read.bytes, 4u);
  const unsigned first = first_byte(read.missing) / element * element;
  const bool nothing = (read.missing >> first & ones(element)) == ones(element);
  const std::uint32_t line = notes_.of[use].line;
  const bool elsewhere = line != 0 && line != notes_.of[read.stamp.instruction].line;
  const std::string used = elsewhere ? fmt::format(" and uses it (line {})", line) : std::string();
  if (read.space == MemorySpace::kLocal) {
    add(FindingKind::kUninitialised, read.stamp.instruction, read.stamp.thread,
        fmt::format("reads an element of a local array of which {} has been written{}: give the "
                    "array values before it is read",
                    read.missing == ones(read.bytes) ? "nothing" : "a part only", used));
    return;
  }
  add(FindingKind::kUninitialised, read.stamp.instruction, read.stamp.thread,
      fmt::format("reads {}, {}{}: write it before the block's threads read it, or do not read it",
                  name_place(context_, MemorySpace::kShared, read.offset + first, element),
                  nothing ? "which no thread has written" : "of which only a part has been written",
                  used.empty() ? used : "," + used));
}

// When the threads have met: what is still unwritten stays so, and what has been written since was
// too late, unless the two raced, which has been said.
void BlockCheck::judge_reads() {
  const std::vector<BulkTransfers::Issue> issues = context_.transfers->take_issues();
  using Verdict = UndefinedSource::Verdict;
  const auto judge = [&](const UnwrittenRead& read) {
    const auto filled = std::find_if(issues.begin(), issues.end(), [&](const auto& issue) {
      return issue.to < read.offset + read.bytes && read.offset < issue.to + issue.bytes;
    });
    if (filled != issues.end()) {  // it did not wait for a copy that was issued after it
      report_copy({read.stamp, {}, read.offset, read.bytes, true, filled->issuer});
      return Verdict::kExplained;
    }
    const std::uint32_t line = notes_.of[read.stamp.instruction].line;
    const std::uint64_t missing = shared_written_.missing(read.offset, read.bytes) & read.missing;
    const bool still =
        missing != 0 && undefined_.kept(read.offset + first_byte(missing)) == OriginSets::kNone;
    const bool raced =
        std::find(raced_lines_.begin(), raced_lines_.end(), line) != raced_lines_.end();
    return still || !raced ? Verdict::kMistake : Verdict::kExplained;
  };
  for (auto& [key, source] : sources_) {
    if (!open_reads_) break;
    const auto* read = std::get_if<UnwrittenRead>(&source.what);
    if (read == nullptr || source.verdict != Verdict::kOpen) continue;
    source.verdict = judge(*read);
    if (source.use != UndefinedSource::kUnused) report_used(source);
  }
  open_reads_ = false;
  raced_lines_.clear();
}

}  // namespace tilescope
