#include "emulator/decode/register_rows.h"

#include <algorithm>
#include <limits>
#include <queue>

#include "emulator/warp_access.h"

namespace tilescope {
namespace {

constexpr std::uint32_t kUpperHalf = 0x80000000;   // no function has so many registers
constexpr std::uint32_t kCarryIndex = 0xfffffffe;  // no PTX register has this index

}  // namespace

RegisterRows::RegisterRows() {
  VirtualRow always;
  always.kind = VirtualRow::Kind::kConstant;
  always.row_class = RowClass::kPredicate;
  always.bits = kFullMask;
  rows_.push_back(always);
}

std::uint32_t RegisterRows::add(VirtualRow row) {
  rows_.push_back(row);
  return static_cast<std::uint32_t>(rows_.size() - 1);
}

std::uint32_t RegisterRows::of_register(std::uint32_t function, std::uint32_t index,
                                        DataType type) {
  const std::uint64_t key = (std::uint64_t{function} << 32) | index;
  const auto [entry, added] = registers_.emplace(key, 0);
  if (added) {
    VirtualRow row;
    row.row_class = type == DataType::kPred ? RowClass::kPredicate
                    : bytes_of(type) == 8   ? RowClass::kWide
                                            : RowClass::kNarrow;
    row.function = function;
    row.name = index;
    entry->second = add(row);
  }
  return entry->second;
}

std::uint32_t RegisterRows::upper_half(std::uint32_t function, std::uint32_t index) {
  return of_register(function, index | kUpperHalf, DataType::kB64);
}

std::uint32_t RegisterRows::carry(std::uint32_t function) {
  return of_register(function, kCarryIndex, DataType::kPred);
}

std::uint32_t RegisterRows::constant(std::uint64_t bits, bool wide) {
  if (!wide) bits &= 0xffffffffu;
  const auto [entry, added] = constants_.emplace(std::pair{bits, wide}, 0);
  if (added) {
    VirtualRow row;
    row.kind = VirtualRow::Kind::kConstant;
    row.row_class = wide ? RowClass::kWide : RowClass::kNarrow;
    row.bits = bits;
    entry->second = add(row);
  }
  return entry->second;
}

std::uint32_t RegisterRows::special(SpecialValue value, bool wide) {
  const auto [entry, added] = specials_.emplace(std::pair{value, wide}, 0);
  if (added) {
    VirtualRow row;
    row.kind = VirtualRow::Kind::kSpecial;
    row.row_class = wide ? RowClass::kWide : RowClass::kNarrow;
    row.special = value;
    entry->second = add(row);
  }
  return entry->second;
}

std::uint32_t RegisterRows::scratch(RowClass row_class) {
  std::uint32_t& place = scratch_[static_cast<std::size_t>(row_class)];
  if (place == kNoIndex) {
    VirtualRow row;
    row.kind = VirtualRow::Kind::kScratch;
    row.row_class = row_class;
    place = add(row);
  }
  return place;
}

namespace {

// Past this (no real kernel comes near) registers do not share rows.
constexpr std::uint64_t kMostLivenessBits = std::uint64_t{1} << 31;

// A register is needed from `begin` to `end`. An operation at position p reads at 2p and writes at
// 2p + 1, so a result may take the place of an operand that ends there.
struct Interval {
  std::uint64_t begin = std::numeric_limits<std::uint64_t>::max();
  std::uint64_t end = 0;
  void include(std::uint64_t position) {
    begin = std::min(begin, position);
    end = std::max(end, position);
  }
};

std::vector<std::uint32_t> successors_of(const Code& code, const CodeBlock& block) {
  std::vector<std::uint32_t> list;
  if (block.next != kNoBlock) list.push_back(block.next);
  if (block.kind == EndKind::kBranch) list.push_back(block.target);
  for (std::uint32_t i = 0; i < block.target_count; ++i) {
    list.push_back(code.targets[block.first_target + i]);
  }
  return list;
}

// Liveness and placement of one function's registers.
class Placer {
 public:
  Placer(Code& code, RegisterRows& rows, const PlacementRequest& request, FunctionBlocks blocks)
      : code_(code), rows_(rows), request_(request), blocks_(blocks) {}

  // Returns the first free offsets behind the function's rows.
  void place(std::array<std::uint32_t, 3>* next) {
    number_registers();
    find_crossing();
    if (std::uint64_t{crossing_count_} * (blocks_.last - blocks_.first) > kMostLivenessBits) {
      for (const std::uint32_t row : registers_) take(row, next);
      return;
    }
    solve();
    measure();
    assign(next);
  }

 private:
  [[nodiscard]] bool is_register(std::uint32_t row) const {
    return rows_.row(row).kind == VirtualRow::Kind::kRegister;
  }

  template <class F>
  void for_each_op(F f) const {  // f(op, use, position, block)
    for (std::uint32_t b = blocks_.first; b < blocks_.last; ++b) {
      const CodeBlock& block = code_.blocks[b];
      for (std::uint32_t i = block.begin; i < block.end; ++i)
        f(code_.ops[i], request_.uses[i], position_of(b, i), b);
      f(block.last, request_.last_uses[b], position_of(b, block.end), b);
    }
  }
  // Ops and block ends share one numbering: a block's end takes a place of its own.
  [[nodiscard]] std::uint64_t position_of(std::uint32_t block, std::uint32_t op) const {
    return 2 * (std::uint64_t{op} + block + 1);
  }

  void number_registers() {
    local_.assign(rows_.size(), kNoIndex);
    for_each_op([&](const MicroOp& op, const RowUse& use, std::uint64_t, std::uint32_t) {
      for_each_row(code_, op, use, [&](std::uint32_t row, bool) {
        if (!is_register(row) || local_[row] != kNoIndex) return;
        local_[row] = static_cast<std::uint32_t>(registers_.size());
        registers_.push_back(row);
      });
    });
  }

  // Registers that are read in a block before it writes them; only these can be live between
  // blocks.
  void find_crossing() {
    crossing_.assign(registers_.size(), kNoIndex);
    std::vector<std::uint32_t> written_in(registers_.size(), kNoIndex);
    for_each_op([&](const MicroOp& op, const RowUse& use, std::uint64_t, std::uint32_t block) {
      for_each_row(code_, op, use, [&](std::uint32_t row, bool writes) {
        if (!is_register(row)) return;
        const std::uint32_t r = local_[row];
        if (writes && op.guard == 0) {
          written_in[r] = block;
        } else if (written_in[r] != block && crossing_[r] == kNoIndex) {
          crossing_[r] = crossing_count_++;
        }
      });
    });
  }

  void solve() {
    const std::size_t count = blocks_.last - blocks_.first;
    words_ = (crossing_count_ + 63) / 64;
    live_in_.assign(count * words_, 0);
    live_out_.assign(count * words_, 0);
    std::vector<std::uint64_t> kills(count * words_, 0);
    for_each_op([&](const MicroOp& op, const RowUse& use, std::uint64_t, std::uint32_t block) {
      std::uint64_t* kill = kills.data() + (block - blocks_.first) * words_;
      std::uint64_t* in = live_in_.data() + (block - blocks_.first) * words_;
      for_each_row(code_, op, use, [&](std::uint32_t row, bool writes) {
        if (!is_register(row)) return;
        const std::uint32_t c = crossing_[local_[row]];
        if (c == kNoIndex) return;
        const std::uint64_t bit = std::uint64_t{1} << (c % 64);
        if (writes && op.guard == 0) {
          kill[c / 64] |= bit;
        } else if ((kill[c / 64] & bit) == 0) {
          in[c / 64] |= bit;
        }
      });
    });
    bool changed = true;
    while (changed) {
      changed = false;
      for (std::size_t b = count; b-- > 0;) {
        const CodeBlock& block = code_.blocks[blocks_.first + b];
        for (const std::uint32_t to : successors_of(code_, block)) {
          for (std::size_t w = 0; w < words_; ++w) {
            const std::uint64_t out =
                live_out_[b * words_ + w] | live_in_[(to - blocks_.first) * words_ + w];
            live_out_[b * words_ + w] = out;
            const std::uint64_t in = live_in_[b * words_ + w] | (out & ~kills[b * words_ + w]);
            changed |= in != live_in_[b * words_ + w];
            live_in_[b * words_ + w] = in;
          }
        }
      }
    }
  }

  void measure() {
    intervals_.assign(registers_.size(), {});
    for_each_op([&](const MicroOp& op, const RowUse& use, std::uint64_t position, std::uint32_t) {
      for_each_row(code_, op, use, [&](std::uint32_t row, bool writes) {
        if (is_register(row)) intervals_[local_[row]].include(position + (writes ? 1 : 0));
      });
    });
    for (std::uint32_t r = 0; r < registers_.size(); ++r) {
      const std::uint32_t c = crossing_[r];
      if (c == kNoIndex) continue;
      for (std::uint32_t b = blocks_.first; b < blocks_.last; ++b) {
        const std::size_t at = (b - blocks_.first) * words_ + c / 64;
        const CodeBlock& block = code_.blocks[b];
        if (((live_in_[at] >> (c % 64)) & 1u) != 0)
          intervals_[r].include(position_of(b, block.begin));
        if (((live_out_[at] >> (c % 64)) & 1u) != 0)
          intervals_[r].include(position_of(b, block.end) + 1);
      }
    }
  }

  void take(std::uint32_t row, std::array<std::uint32_t, 3>* next) {
    VirtualRow& place = rows_.mutable_row(row);
    place.offset = (*next)[static_cast<std::size_t>(place.row_class)]++;
  }

  // Linear scan; a row that was freed last is taken first, for it is still in the cache.
  void assign(std::array<std::uint32_t, 3>* next) {
    std::vector<std::uint32_t> order(registers_.size());
    for (std::uint32_t i = 0; i < order.size(); ++i) order[i] = i;
    std::sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
      return std::pair{intervals_[a].begin, a} < std::pair{intervals_[b].begin, b};
    });
    using Ending = std::pair<std::uint64_t, std::uint32_t>;  // end, register
    std::priority_queue<Ending, std::vector<Ending>, std::greater<>> active;
    std::array<std::vector<std::uint32_t>, 3> free;
    for (const std::uint32_t r : order) {
      while (!active.empty() && active.top().first < intervals_[r].begin) {
        const VirtualRow& ended = rows_.row(registers_[active.top().second]);
        free[static_cast<std::size_t>(ended.row_class)].push_back(ended.offset);
        active.pop();
      }
      VirtualRow& row = rows_.mutable_row(registers_[r]);
      std::vector<std::uint32_t>& pool = free[static_cast<std::size_t>(row.row_class)];
      if (pool.empty()) {
        take(registers_[r], next);
      } else {
        row.offset = pool.back();
        pool.pop_back();
      }
      active.emplace(intervals_[r].end, r);
    }
  }

  Code& code_;
  RegisterRows& rows_;
  const PlacementRequest& request_;
  FunctionBlocks blocks_;
  std::vector<std::uint32_t> local_;      // row -> register of this function
  std::vector<std::uint32_t> registers_;  // and back
  std::vector<std::uint32_t> crossing_;   // register -> bit of the sets below
  std::uint32_t crossing_count_ = 0;
  std::size_t words_ = 0;
  std::vector<std::uint64_t> live_in_;
  std::vector<std::uint64_t> live_out_;
  std::vector<Interval> intervals_;
};

constexpr std::uint32_t kNarrowBytes = 4 * kWarpSize;
constexpr std::uint32_t kWideBytes = 8 * kWarpSize;

// From counts per class to byte offsets: predicates, then 64-bit rows, then 32-bit ones.
void lay_out(Code& code, RegisterRows& rows, std::array<std::uint32_t, 3> counts) {
  for (std::uint32_t i = 1; i < rows.size(); ++i) {
    VirtualRow& row = rows.mutable_row(i);
    if (row.kind != VirtualRow::Kind::kRegister)
      row.offset = counts[static_cast<std::size_t>(row.row_class)]++;
  }
  const std::uint32_t wide_begin = (counts[0] * 4 + 63) / 64 * 64;
  const std::uint32_t narrow_begin = wide_begin + counts[2] * kWideBytes;
  code.register_bytes = narrow_begin + counts[1] * kNarrowBytes;
  for (FrameRows& frame : code.frames) {
    frame.predicates *= 4;
    frame.predicates_end *= 4;
    for (std::uint32_t* at : {&frame.wide, &frame.wide_end}) *at = wide_begin + *at * kWideBytes;
    for (std::uint32_t* at : {&frame.narrow, &frame.narrow_end})
      *at = narrow_begin + *at * kNarrowBytes;
  }
  for (std::uint32_t i = 0; i < rows.size(); ++i) {
    VirtualRow& row = rows.mutable_row(i);
    switch (row.row_class) {
      case RowClass::kPredicate:
        row.offset *= 4;
        break;
      case RowClass::kWide:
        row.offset = wide_begin + row.offset * kWideBytes;
        break;
      case RowClass::kNarrow:
        row.offset = narrow_begin + row.offset * kNarrowBytes;
        break;
    }
    const bool wide = row.row_class == RowClass::kWide;
    if (row.kind == VirtualRow::Kind::kConstant && row.row_class != RowClass::kPredicate) {
      code.constants.push_back({row.bits, row.offset, wide});
    }
    if (row.kind == VirtualRow::Kind::kSpecial)
      code.specials.push_back({row.special, row.offset, wide});
  }
}

void rewrite(MicroOp& op, const RegisterRows& rows) {
  op.guard = rows.row(op.guard).offset;
  for (std::uint32_t& row : op.row) row = rows.row(row).offset;
}

}  // namespace

void place_rows(Code& code, RegisterRows& rows, const PlacementRequest& request) {
  std::array<std::uint32_t, 3> counts{1, 0, 0};  // predicate 0 always holds
  code.frames.clear();
  for (const FunctionBlocks& function : request.functions) {
    FrameRows frame;
    frame.predicates = counts[0];
    frame.narrow = counts[1];
    frame.wide = counts[2];
    Placer(code, rows, request, function).place(&counts);
    frame.predicates_end = counts[0];
    frame.narrow_end = counts[1];
    frame.wide_end = counts[2];
    code.frames.push_back(frame);
  }
  lay_out(code, rows, counts);
  if (code.frame_bytes != 0) code.frame_row = rows.row(code.frame_row).offset;
  for (MicroOp& op : code.ops) rewrite(op, rows);
  for (CodeBlock& block : code.blocks) rewrite(block.last, rows);
  for (std::uint32_t& row : code.rows) row = rows.row(row).offset;
}

}  // namespace tilescope
