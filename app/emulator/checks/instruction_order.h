#pragma once
#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

#include "emulator/code.h"
#include "emulator/program.h"

namespace tilescope {

// Where control goes on from each of Code::blocks. A call goes into the function and, for whoever
// asks what follows it, on.
[[nodiscard]] std::vector<std::vector<std::uint32_t>> edges_of(const Code& code);

// Which of two static instructions comes after the other in the course of the program, by its
// control flow; made when it is asked for. One thread only.
class InstructionOrder {
 public:
  explicit InstructionOrder(const Program& program) : program_(program) {}

  // By the way forward, without going round a loop. Where neither lies ahead of the other (the
  // compiler makes a copy of what follows a branch for either side) their lines' other copies say
  // it, and then the source. None: two sides of a branch in one line.
  [[nodiscard]] std::optional<bool> comes_after(std::uint32_t one, std::uint32_t other);
  // Must who has just left this block (of Code::blocks) go round a loop to come there?
  [[nodiscard]] bool needs_round(std::uint32_t block, std::uint32_t instruction);

 private:
  using Reached = std::vector<bool>;  // by block

  void prepare();
  const Reached& ahead_of(std::uint32_t block);
  [[nodiscard]] bool follows_a_call(std::uint32_t function, std::uint32_t block);
  [[nodiscard]] bool lies_ahead(std::uint32_t from, std::uint32_t instruction);
  [[nodiscard]] bool line_lies_ahead(std::uint32_t from, std::uint32_t instruction);
  [[nodiscard]] std::optional<bool> find_order(std::uint32_t one, std::uint32_t other);

  const Program& program_;
  std::vector<std::vector<std::uint32_t>> forward_;     // edges of Code::blocks but for the loops'
  std::vector<std::uint32_t> function_;                 // by block: the first block of its function
  std::vector<std::uint32_t> calls_;                    // blocks that end in one
  std::unordered_map<std::uint32_t, Reached> reached_;  // by block: the blocks behind it
  std::unordered_map<std::uint64_t, std::optional<bool>> known_;  // by pair
};

}  // namespace tilescope
