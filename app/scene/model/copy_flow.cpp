#include "scene/model/copy_flow.h"

#include <algorithm>
#include <array>
#include <bit>
#include <limits>
#include <numeric>
#include <span>
#include <vector>

#include "analysis/time/warp_timing.h"

namespace tilescope {
namespace {

constexpr std::size_t kMostSharedWrites = 1u << 22;  // 64 MiB when kept

using WordRow = std::array<Origin, kWarpSize>;  // one register of a warp

// The registers of one warp while its events go by. A row is only read after it was written.
struct WarpRegisters {
  std::vector<WordRow> rows;
  std::vector<std::uint8_t> followed;  // the row holds a known origin
};

// Bytes behind each register of a load or store.
std::uint32_t bytes_each(const WarpAccess& access, std::size_t registers) {
  return registers == 0 ? 0 : static_cast<std::uint32_t>(access.bytes_per_lane / registers);
}
// Where several share a word of shared memory, none is followed.
bool fills_words(std::uint32_t bytes) { return bytes >= kWordBytes; }

constexpr std::uint32_t kNoRegister = std::numeric_limits<std::uint32_t>::max();

// The registers of an operand, or of a list's elements, by their place in it.
std::vector<std::uint32_t> registers_of(const StaticInstruction& instruction,
                                        const PtxOperand& operand) {
  const bool is_list = operand.kind == OperandKind::kVector;
  std::vector<std::uint32_t> registers;
  for (const PtxOperand& each :
       is_list ? instruction.elements_of(operand) : std::span(&operand, 1)) {
    const bool names = each.kind == OperandKind::kRegister;
    registers.push_back(names ? instruction.first_register + each.index : kNoRegister);
  }
  return registers;
}

// What a memory instruction does to copies; kOther: nothing that is followed.
CopyStep::Kind memory_kind_of(const StaticInstruction& instruction) {
  using Kind = CopyStep::Kind;
  const bool global = instruction.space == MemorySpace::kGlobal;
  const bool followed = global || instruction.space == MemorySpace::kShared;
  switch (instruction.access) {
    case AccessKind::kAsyncCopy:
      return Kind::kAsyncCopy;
    case AccessKind::kStore:
      if (!followed || instruction.operands.size() != 2) return Kind::kOther;
      return global ? Kind::kStoreGlobal : Kind::kStoreShared;
    case AccessKind::kLoad:
      if (!followed) return Kind::kOther;
      return global ? Kind::kLoadGlobal : Kind::kLoadShared;
    case AccessKind::kLdmatrix:
      return instruction.has(Modifier::kM8n8) ? Kind::kLoadMatrix : Kind::kOther;
    default:
      return Kind::kOther;
  }
}

// A conversion that keeps the value: one to a wider type has no rounding.
bool widens(const StaticInstruction& instruction) {
  constexpr std::array kRoundings = {Modifier::kRn,  Modifier::kRz,  Modifier::kRm,
                                     Modifier::kRp,  Modifier::kRna, Modifier::kRni,
                                     Modifier::kRzi, Modifier::kRmi, Modifier::kRpi};
  return instruction.is(Mnemonic::kCvt) && std::ranges::none_of(kRoundings, [&](Modifier rounding) {
           return instruction.has(rounding);
         });
}

CopyStep step_of(const StaticInstruction& instruction) {
  using Kind = CopyStep::Kind;
  const std::span<const PtxOperand> operands = instruction.operands;
  CopyStep step;
  step.kind = memory_kind_of(instruction);
  step.transposed = step.kind == Kind::kLoadMatrix && instruction.has(Modifier::kTrans);
  const auto append = [&](std::size_t i) {
    const std::vector<std::uint32_t> more = registers_of(instruction, operands[i]);
    step.operands.insert(step.operands.end(), more.begin(), more.end());
  };
  if (step.kind == Kind::kStoreGlobal || step.kind == Kind::kStoreShared) {
    append(1);
  } else if (instruction.bulk_move == BulkMove::kIntoShared) {
    step.kind = Kind::kBulkLoad;
  } else if (instruction.bulk_move == BulkMove::kOutOfShared) {
    step.kind = Kind::kBulkStore;
  } else if (instruction.operation == Operation::kMma && operands.size() >= 4) {
    step.kind = Kind::kMatrixProduct;
    append(1);
    step.left = step.operands.size();
    append(2);
  } else if (instruction.operation == Operation::kWarpgroupProduct) {
    step.kind = Kind::kGroupProduct;
  } else if ((instruction.is(Mnemonic::kMov) || widens(instruction)) && operands.size() == 2) {
    append(1);
    step.results = registers_of(instruction, operands[0]);
    if (step.results.size() == step.operands.size()) step.kind = Kind::kMove;
  } else if ((instruction.is(Mnemonic::kFma) || instruction.is(Mnemonic::kMad)) &&
             operands.size() == 4) {
    step.kind = Kind::kMultiplyAdd;
    append(1);
    append(2);
  }
  const bool loads = step.kind == Kind::kLoadGlobal || step.kind == Kind::kLoadShared ||
                     step.kind == Kind::kLoadMatrix;
  if (loads) step.results = registers_of(instruction, operands[0]);
  if (step.results.empty())
    step.results.assign(instruction.writes.begin(), instruction.writes.end());
  return step;
}

// The registers whose contents may get into shared memory, by moves or at once: the others need not
// be followed.
std::vector<bool> stored_registers(const CopyFlow& flow) {
  std::vector<bool> stored(flow.registers, false);
  const auto add = [&](const CopyStep& step) {
    bool more = false;
    for (const std::uint32_t reg : step.operands) {
      if (reg >= flow.registers || stored[reg]) continue;
      stored[reg] = more = true;
    }
    return more;
  };
  for (const CopyStep& step : flow.steps) {
    if (step.kind == CopyStep::Kind::kStoreShared) add(step);
  }
  for (bool more = true; more;) {
    more = false;
    for (const CopyStep& step : flow.steps) {
      const bool matters = step.kind == CopyStep::Kind::kMove &&
                           std::ranges::any_of(step.results, [&](std::uint32_t reg) {
                             return reg < flow.registers && stored[reg];
                           });
      more |= matters && add(step);
    }
  }
  return stored;
}

class FlowBuilder {
 public:
  FlowBuilder(const KernelStudy& study, CopyFlow& flow)
      : trace_(*study.trace),
        flow_(flow),
        stored_(stored_registers(flow)),
        warps_(flow.warp_events.size()) {
    for (const CopyStep& step : flow.steps) matters_.push_back(matters(step));
    if (std::ranges::none_of(stored_, [](bool stored) { return stored; })) return;
    for (WarpRegisters& warp : warps_) {
      warp.rows.resize(flow.registers);
      warp.followed.assign(flow.registers, 0);
    }
  }

  void run() {
    std::uint32_t index = 0;
    for (const TraceEvent& event : trace_.events) {
      if (next_copy_ < trace_.bulk_copies.size()) copy_bulk(index);
      if (matters_[event.instruction]) run(index, event);
      ++index;
    }
    flow_.shared = SharedHistory(now_.size(), writes_);
  }

 private:
  // Whether shared memory or a route may depend on it.
  [[nodiscard]] bool matters(const CopyStep& step) const {
    using Kind = CopyStep::Kind;
    return step.kind == Kind::kLoadGlobal || step.kind == Kind::kStoreShared ||
           step.kind == Kind::kAsyncCopy || gets_stored(step);
  }
  [[nodiscard]] bool gets_stored(const CopyStep& step) const {
    return std::ranges::any_of(step.results, [this](std::uint32_t reg) { return follows(reg); });
  }
  [[nodiscard]] bool follows(std::uint32_t reg) const {
    return reg < flow_.registers && stored_[reg];
  }

  void run(std::uint32_t index, const TraceEvent& event) {
    const CopyStep& step = flow_.steps[event.instruction];
    WarpRegisters& warp = warps_[event.warp];
    using Kind = CopyStep::Kind;
    switch (step.kind) {
      case Kind::kLoadGlobal:
      case Kind::kLoadShared:
        load(event, step, warp);
        break;
      case Kind::kLoadMatrix:
        load_matrix(event, step, warp);
        break;
      case Kind::kStoreShared:
        store_shared(index, event, step, warp);
        break;
      case Kind::kAsyncCopy:
        copy_async(index, event);
        break;
      case Kind::kMove:
        move(event, step, warp);
        break;
      default:
        forget(event, step, warp);
        break;
    }
  }

  void set(WarpRegisters& warp, std::uint32_t reg, std::size_t lane, Origin origin) {
    if (!follows(reg)) return;
    if (origin.known()) warp.followed[reg] = 1;
    if (warp.followed[reg] != 0) warp.rows[reg][lane] = origin;
  }

  void forget(const TraceEvent& event, const CopyStep& step, WarpRegisters& warp) {
    for (const std::uint32_t reg : step.results) {
      if (!follows(reg) || warp.followed[reg] == 0) continue;
      for (std::size_t lane = 0; lane < kWarpSize; ++lane) {
        if ((event.active >> lane & 1U) != 0) warp.rows[reg][lane] = {};
      }
    }
  }

  void load(const TraceEvent& event, const CopyStep& step, WarpRegisters& warp) {
    if (event.access == kNoAccess) return;
    const WarpAccess access = trace_.access(event.access);
    const bool global = step.kind == CopyStep::Kind::kLoadGlobal;
    const std::uint32_t bytes = bytes_each(access, step.results.size());
    if (global) note_route(access, fills_words(bytes));
    if (!global && !fills_words(bytes)) return forget(event, step, warp);
    if (!gets_stored(step)) return;
    for (std::size_t lane = 0; lane < kWarpSize; ++lane) {
      if ((access.active >> lane & 1U) == 0) continue;
      for (std::size_t i = 0; i < step.results.size(); ++i) {
        const std::uint64_t address = access.address[lane] + i * bytes;
        const Origin origin =
            global ? flow_.loaded_from(address, bytes) : shared_now(address / kWordBytes);
        set(warp, step.results[i], lane, origin);
      }
    }
  }

  void load_matrix(const TraceEvent& event, const CopyStep& step, WarpRegisters& warp) {
    if (event.access == kNoAccess || step.transposed) return forget(event, step, warp);
    const WarpAccess access = trace_.access(event.access);
    for (std::size_t i = 0; i < step.results.size(); ++i) {
      for (std::size_t lane = 0; lane < kWarpSize; ++lane) {
        const std::uint64_t byte = matrix_elements(access, false, i, lane).front();
        set(warp, step.results[i], lane, shared_now(byte / kWordBytes));
      }
    }
  }

  void note_route(const WarpAccess& access, bool is_followed) {
    if (access.active == 0) return;
    const auto lane = static_cast<std::size_t>(std::countr_zero(access.active));
    const auto matrix = flow_.matrix_at(access.address[lane]);
    if (!matrix) return;
    CopyFlow::Route& route = flow_.routes[*matrix];
    route.to_registers = true;
    route.lost |= !is_followed;
  }

  void store_shared(std::uint32_t index, const TraceEvent& event, const CopyStep& step,
                    const WarpRegisters& warp) {
    if (event.access == kNoAccess) return;
    const WarpAccess access = trace_.access(event.access);
    const std::uint32_t bytes = bytes_each(access, step.operands.size());
    for (std::size_t lane = 0; lane < kWarpSize; ++lane) {
      if (!fills_words(bytes) || (access.active >> lane & 1U) == 0) continue;
      for (std::size_t i = 0; i < step.operands.size(); ++i) {
        const std::uint32_t reg = step.operands[i];
        const bool followed = follows(reg) && warp.followed[reg] != 0;
        write_shared((access.address[lane] + i * bytes) / kWordBytes, index,
                     followed ? warp.rows[reg][lane] : Origin{});
      }
    }
  }

  void copy_async(std::uint32_t index, const TraceEvent& event) {
    if (event.access == kNoAccess) return;
    const WarpAccess from = trace_.access(event.access);
    const WarpAccess to = trace_.access(event.access + 1);
    for (std::size_t lane = 0; lane < kWarpSize; ++lane) {
      if ((to.active >> lane & 1U) == 0) continue;
      for (std::uint32_t byte = 0; byte < to.bytes_per_lane; byte += kWordBytes) {
        const bool read = (from.active >> lane & 1U) != 0;
        write_shared((to.address[lane] + byte) / kWordBytes, index,
                     read ? flow_.origin_at(from.address[lane] + byte) : Origin{});
      }
    }
  }

  // Also those of other blocks of the cluster, which come between two events of this one.
  void copy_bulk(std::uint32_t index) {
    for (; next_copy_ < trace_.bulk_copies.size(); ++next_copy_) {
      const BulkCopy& copy = trace_.bulk_copies[next_copy_];
      if (copy.event > index) return;
      if (!copy.loads()) continue;
      for (std::uint64_t byte = 0; byte < copy.bytes; byte += kWordBytes) {
        write_shared((copy.shared + byte) / kWordBytes, index, flow_.origin_at(copy.global + byte));
      }
    }
  }

  void move(const TraceEvent& event, const CopyStep& step, WarpRegisters& warp) {
    for (std::size_t i = 0; i < step.results.size(); ++i) {
      const std::uint32_t from = step.operands[i];
      const bool followed = follows(from) && warp.followed[from] != 0;
      for (std::size_t lane = 0; lane < kWarpSize; ++lane) {
        if ((event.active >> lane & 1U) == 0) continue;
        set(warp, step.results[i], lane, followed ? warp.rows[from][lane] : Origin{});
      }
    }
  }

  // Events come in order, so the newest content is the present one.
  [[nodiscard]] Origin shared_now(std::uint64_t word) const {
    return word < now_.size() ? now_[word] : Origin{};
  }

  void write_shared(std::uint64_t word, std::uint32_t index, Origin origin) {
    if (word >= now_.size()) {
      constexpr std::uint64_t kMostWords = 256u * 1024 / kWordBytes;  // more than any GPU has
      if (word >= kMostWords) return;
      now_.resize(word + 1);
    }
    if (now_[word] == origin) return;
    now_[word] = origin;
    if (origin.known()) flow_.routes[origin.matrix()].to_shared = true;
    if (writes_.size() >= kMostSharedWrites) {
      flow_.complete = false;
      return;
    }
    writes_.push_back({static_cast<std::uint32_t>(word), {index, origin}});
  }

  const BlockTrace& trace_;
  CopyFlow& flow_;
  std::vector<bool> stored_;   // stored_registers()
  std::vector<bool> matters_;  // by instruction
  std::vector<WarpRegisters> warps_;
  std::vector<Origin> now_;  // what each word of shared memory holds
  std::vector<SharedHistory::Record> writes_;
  std::size_t next_copy_ = 0;  // in bulk
};

}  // namespace

SharedHistory::SharedHistory(std::size_t words, std::span<const Record> records)
    : begin_(words + 1), writes_(records.size()) {
  for (const Record& record : records) ++begin_[record.word + 1];
  std::partial_sum(begin_.begin(), begin_.end(), begin_.begin());
  std::vector<std::size_t> next(begin_.begin(), begin_.end() - 1);
  for (const Record& record : records) writes_[next[record.word]++] = record.write;
}

Origin CopyFlow::shared_word(std::uint64_t word, std::uint32_t event) const {
  if (word >= shared.size()) return {};
  const std::span<const SharedHistory::Write> history = shared[word];
  const auto after = std::ranges::lower_bound(history, event, {}, &SharedHistory::Write::event);
  return after == history.begin() ? Origin{} : std::prev(after)->origin;
}

Origin CopyFlow::shared_element(std::uint64_t byte, std::uint32_t event) const {
  const Origin word = shared_word(byte / kWordBytes, event);
  if (!word.known()) return {};
  const std::uint64_t size = size_of(matrices[word.matrix()].type);
  return Origin::of(word.matrix(), word.element() + byte % kWordBytes / size);
}

std::array<std::uint64_t, 2> matrix_elements(const WarpAccess& rows, bool transposed,
                                             std::size_t matrix, std::size_t lane) {
  constexpr std::uint64_t kElement = 2;  // bytes
  const std::size_t first = 8 * matrix;  // the lane that names the matrix's first row
  const std::size_t group = lane / 4;
  const std::size_t pair = 2 * (lane % 4);
  if (transposed) {
    const std::uint64_t column = kElement * group;
    return {rows.address[first + pair] + column, rows.address[first + pair + 1] + column};
  }
  const std::uint64_t byte = rows.address[first + group] + kElement * pair;
  return {byte, byte + kElement};
}

std::optional<std::size_t> CopyFlow::matrix_at(std::uint64_t address) const {
  for (std::size_t i = 0; i < matrices.size(); ++i) {
    if (matrices[i].holds(address)) return i;
  }
  return std::nullopt;
}

Origin CopyFlow::origin_at(std::uint64_t address) const {
  const auto matrix = matrix_at(address);
  if (!matrix) return {};
  const MatrixView& view = matrices[*matrix];
  return Origin::of(*matrix, (address - view.address) / size_of(view.type));
}

Origin CopyFlow::loaded_from(std::uint64_t address, std::uint32_t bytes) const {
  const Origin origin = origin_at(address);
  const bool is_part =
      origin.known() && !fills_words(bytes) && bytes < size_of(matrices[origin.matrix()].type);
  return is_part ? Origin{} : origin;
}

BulkBytes bulk_bytes(const BlockTrace& trace) {
  BulkBytes bytes;
  for (const BulkCopy& copy : trace.bulk_copies)
    (copy.loads() ? bytes.loaded : bytes.stored) += copy.bytes;
  return bytes;
}

std::span<const BulkCopy> bulk_copies_of(const BlockTrace& trace, std::uint32_t event) {
  const auto begin = std::ranges::lower_bound(trace.bulk_copies, event, {}, &BulkCopy::event);
  const auto end = std::ranges::upper_bound(trace.bulk_copies, event, {}, &BulkCopy::event);
  return {begin, end};
}

CopyFlow copy_flow_of(const KernelStudy& study) {
  CopyFlow flow;
  flow.matrices = matrix_views(study);
  flow.routes.resize(flow.matrices.size());
  for (const StaticInstruction& instruction : study.program->instructions()) {
    flow.steps.push_back(step_of(instruction));
  }
  flow.registers = study.program->register_count();
  flow.warp_events = events_by_warp(*study.trace);
  FlowBuilder(study, flow).run();
  return flow;
}

namespace {

class LaneFollower {
 public:
  LaneFollower(const KernelStudy& study, const CopyFlow& flow, int lane)
      : trace_(*study.trace),
        flow_(flow),
        lane_(static_cast<std::size_t>(lane)),
        fragments_(flow.registers) {
    result_.registers.resize(flow.registers);
  }

  void run(std::uint32_t e) {
    using Kind = CopyStep::Kind;
    const TraceEvent& event = trace_.events[e];
    if ((event.active >> lane_ & 1U) == 0) return;
    const CopyStep& step = flow_.steps[event.instruction];
    const bool moves = step.kind == Kind::kLoadGlobal || step.kind == Kind::kLoadShared ||
                       step.kind == Kind::kStoreGlobal;
    if (event.access != kNoAccess && moves) return move_memory(e, step);
    if (event.access != kNoAccess && step.kind == Kind::kLoadMatrix) return load_matrix(e, step);
    if (step.kind == Kind::kMove) return move(step);
    multiply(e, step);
    for (const std::uint32_t reg : step.results) set(reg, {}, {});
  }

  LaneFlow take() { return std::move(result_); }

 private:
  [[nodiscard]] Origin known(std::uint32_t reg) const {
    return reg < flow_.registers ? result_.registers[reg] : Origin{};
  }
  [[nodiscard]] Origin fragment(std::uint32_t reg) const {
    return reg < flow_.registers ? fragments_[reg] : Origin{};
  }
  void set(std::uint32_t reg, Origin origin, Origin fragment) {
    if (reg >= flow_.registers) return;
    result_.registers[reg] = origin;
    fragments_[reg] = fragment;
  }

  void move_memory(std::uint32_t e, const CopyStep& step) {
    const WarpAccess access = trace_.access(trace_.events[e].access);
    const std::uint64_t address = access.address[lane_];
    const std::uint32_t bytes =
        bytes_each(access, std::max(step.results.size(), step.operands.size()));
    const bool from_shared = step.kind == CopyStep::Kind::kLoadShared;
    for (std::size_t i = 0; i < step.results.size(); ++i) {
      const std::uint64_t at = address + i * bytes;
      const Origin origin = !from_shared         ? flow_.loaded_from(at, bytes)
                            : fills_words(bytes) ? flow_.shared_word(at / kWordBytes, e)
                                                 : Origin{};
      set(step.results[i], origin, origin);
      if (origin.known()) result_.loads.push_back({e, origin, from_shared});
    }
    for (std::size_t i = 0; i < step.operands.size(); ++i) {
      const Origin moved = known(step.operands[i]);
      const Origin place = flow_.origin_at(address + i * bytes);
      if (place.known()) result_.written.push_back({e, place});
      if (moved.known()) result_.stores.push_back({e, moved, place});
    }
  }

  void load_matrix(std::uint32_t e, const CopyStep& step) {
    const WarpAccess access = trace_.access(trace_.events[e].access);
    for (std::size_t i = 0; i < step.results.size(); ++i) {
      const std::uint64_t byte = matrix_elements(access, step.transposed, i, lane_).front();
      const Origin origin = flow_.shared_element(byte, e);
      set(step.results[i], step.transposed ? Origin{} : origin, origin);
      if (origin.known()) result_.loads.push_back({e, origin, true});
    }
  }

  void move(const CopyStep& step) {
    for (std::size_t i = 0; i < step.results.size(); ++i) {
      set(step.results[i], known(step.operands[i]), fragment(step.operands[i]));
    }
  }

  void multiply(std::uint32_t e, const CopyStep& step) {
    const bool matrices =
        step.kind == CopyStep::Kind::kMatrixProduct && step.left < step.operands.size();
    if (matrices) {
      LaneFlow::MatrixProduct product{e, {}, {}};
      for (std::size_t i = 0; i < step.operands.size(); ++i) {
        (i < step.left ? product.left : product.right).push_back(fragment(step.operands[i]));
      }
      if (product.left.front().known() && product.right.front().known()) {
        result_.matrix_product = std::move(product);
      }
    }
    if (step.kind == CopyStep::Kind::kMultiplyAdd) {
      const Origin left = known(step.operands[0]);
      const Origin right = known(step.operands[1]);
      if (left.known() && right.known()) result_.products.push_back({e, left, right});
    }
  }

  const BlockTrace& trace_;
  const CopyFlow& flow_;
  std::size_t lane_;
  // As the registers, with the first of the two elements that a transposing ldmatrix leaves in one.
  std::vector<Origin> fragments_;
  LaneFlow result_;
};

}  // namespace

LaneFlow follow_lane(const KernelStudy& study, const CopyFlow& flow, std::uint32_t warp, int lane,
                     std::uint32_t from, std::uint32_t to) {
  LaneFollower follower(study, flow, lane);
  if (warp < flow.warp_events.size()) {
    const std::vector<std::uint32_t>& events = flow.warp_events[warp];
    for (auto it = std::ranges::lower_bound(events, from); it != events.end() && *it <= to; ++it) {
      follower.run(*it);
    }
  }
  return follower.take();
}

}  // namespace tilescope
