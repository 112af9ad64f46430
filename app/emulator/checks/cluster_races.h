#pragma once
#include <array>
#include <cstdint>
#include <vector>

namespace tilescope {

// Who of a cluster touched which piece of one block's shared memory since the cluster last met.
class ClusterRaces {
 public:
  struct Touch {
    std::uint32_t phase = kNever;  // how often the cluster had met
    std::uint32_t instruction = 0;
    std::uint16_t thread = 0;  // in its block
    std::uint8_t rank = 0;
    bool strong = false;  // no race with others that are
  };
  void start_block(std::uint64_t shared_bytes, std::uint32_t cell_bytes);

  // Notes a touch of the piece at `offset` and returns the one of another block that it races with,
  // as long as nothing else orders the two; nullptr: none. `writes`: the touch does.
  struct Race {
    Touch past;
    bool past_writes = false;
  };
  [[nodiscard]] const Race* touch(std::uint64_t offset, const Touch& now, bool writes);

 private:
  static constexpr std::uint32_t kNever = 0xffffffff;
  struct Cell {
    Touch write;
    std::array<Touch, 2> read;  // the owner's or a lower rank's last, and a higher one's
  };
  [[nodiscard]] static bool conflicts(const Touch& past, const Touch& now) {
    return past.phase == now.phase && past.rank != now.rank && !(past.strong && now.strong);
  }
  std::vector<Cell> cells_;
  std::uint32_t cell_bytes_ = 4;
  Race found_;
};

}  // namespace tilescope
