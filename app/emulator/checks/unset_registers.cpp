#include "emulator/checks/unset_registers.h"

#include <algorithm>
#include <bit>
#include <unordered_map>
#include <utility>

#include "emulator/program_implementation.h"

namespace tilescope {
namespace {

using Rows = std::vector<std::uint64_t>;  // a bit each

bool has(const Rows& rows, std::uint32_t number) { return (rows[number / 64] >> number % 64) & 1u; }
void put(Rows& rows, std::uint32_t number) { rows[number / 64] |= std::uint64_t{1} << number % 64; }

class UnsetRegisters {
 public:
  explicit UnsetRegisters(const Code& code)
      : code_(code), of_(code.blocks.size()), written_in_(code.register_bytes / 4, 0) {}

  std::vector<std::uint32_t> find() {
    find_blocks();
    for (const std::uint32_t block : order_) note_reads(block);
    // What every path writes is known once the rows that matter have numbers.
    for (const std::uint32_t block : order_) note_writes(block);
    spread();
    std::vector<std::uint32_t> unset;
    for (const auto& [row, number] : numbers_) {
      const bool is_unset = std::ranges::any_of(order_, [&](std::uint32_t block) {
        return std::ranges::find(of_[block].reads, number) != of_[block].reads.end() &&
               has(of_[block].unset, number);
      });
      if (is_unset) unset.push_back(row);
    }
    std::ranges::sort(unset);
    return unset;
  }

 private:
  struct Block {
    bool reached = false;
    std::vector<std::uint32_t> reads;  // numbers of rows that it reads before it writes them
    Rows writes;
    Rows unset;  // where it begins
  };

  template <class F>
  void for_next(const CodeBlock& block, F f) const {
    const bool calls = block.kind == EndKind::kCall || block.kind == EndKind::kCallAddress;
    if (block.kind == EndKind::kExit || block.kind == EndKind::kReturn) {
      if (block.last.guard != 0 && block.next != kNoBlock) f(block.next);
      return;
    }
    if (block.next != kNoBlock) f(block.next);
    if (block.target != kNoBlock && !calls) f(block.target);
    for (std::uint32_t i = 0; i < block.target_count; ++i) f(code_.targets[block.first_target + i]);
  }

  void find_blocks() {
    order_ = {0};
    of_[0].reached = true;
    for (std::size_t done = 0; done < order_.size(); ++done) {
      for_next(code_.blocks[order_[done]], [&](std::uint32_t next) {
        if (!std::exchange(of_[next].reached, true)) order_.push_back(next);
      });
    }
  }

  // f(row, writes, always): `always`: in every lane that comes to it.
  template <class F>
  void for_rows(std::uint32_t block, F f) const {
    const CodeBlock& at = code_.blocks[block];
    for (std::uint32_t i = at.begin; i < at.end; ++i) {
      const MicroOp& op = code_.ops[i];
      for_each_row(code_, op, code_.uses[i],
                   [&](std::uint32_t row, bool writes) { f(row, writes, op.guard == 0); });
    }
  }

  void note_reads(std::uint32_t block) {
    for_rows(block, [&](std::uint32_t row, bool writes, bool always) {
      if (writes) {
        if (always) written_in_[row / 4] = block + 1;
        return;
      }
      if (written_in_[row / 4] == block + 1 || is_given(row)) return;
      const auto [entry, is_new] =
          numbers_.emplace(row, static_cast<std::uint32_t>(numbers_.size()));
      std::vector<std::uint32_t>& reads = of_[block].reads;
      if (std::ranges::find(reads, entry->second) == reads.end()) reads.push_back(entry->second);
    });
  }

  void note_writes(std::uint32_t block) {
    of_[block].writes.assign(words(), 0);
    of_[block].unset.assign(words(), 0);
    for_rows(block, [&](std::uint32_t row, bool writes, bool always) {
      if (!writes || !always) return;
      const auto found = numbers_.find(row);
      if (found != numbers_.end()) put(of_[block].writes, found->second);
    });
  }

  // Along all paths from the kernel's beginning, where nothing is written.
  void spread() {
    if (numbers_.empty()) return;
    std::ranges::fill(of_[0].unset, ~std::uint64_t{0});
    std::vector<std::uint32_t> open = {0};
    while (!open.empty()) {
      const std::uint32_t block = open.back();
      open.pop_back();
      for_next(code_.blocks[block], [&](std::uint32_t next) {
        bool changed = false;
        for (std::size_t i = 0; i < words(); ++i) {
          const std::uint64_t unset = of_[block].unset[i] & ~of_[block].writes[i];
          changed |= (unset & ~of_[next].unset[i]) != 0;
          of_[next].unset[i] |= unset;
        }
        if (changed) open.push_back(next);
      });
    }
  }

  // By the block's start: special registers, constants, the predicate that always holds.
  [[nodiscard]] bool is_given(std::uint32_t row) {
    if (given_.empty()) {
      given_.push_back(0);
      for (const SpecialRow& each : code_.specials) given_.push_back(each.row);
      for (const ConstantRow& each : code_.constants) given_.push_back(each.row);
      std::ranges::sort(given_);
    }
    return std::ranges::binary_search(given_, row);
  }
  [[nodiscard]] std::size_t words() const { return (numbers_.size() + 63) / 64; }

  const Code& code_;
  std::vector<Block> of_;             // by block
  std::vector<std::uint32_t> order_;  // blocks that the kernel's own control flow reaches
  std::vector<std::uint32_t> given_;
  std::vector<std::uint32_t> written_in_;  // by row: 1 + the block that note_reads() saw write it
  std::unordered_map<std::uint32_t, std::uint32_t> numbers_;  // by row
};

}  // namespace

std::vector<std::uint32_t> find_unset_registers(const Program& program) {
  const Code& code = program.implementation().code();
  // Functions that may call themselves save their registers and get them back.
  if (code.converges_at_barriers || code.blocks.empty() || code.frame_bytes != 0) return {};
  return UnsetRegisters(code).find();
}

}  // namespace tilescope
