#pragma once
#include <cstdint>
#include <optional>
#include <vector>

namespace tilescope {

// shfl.sync, vote.sync and their like wait for every lane that their mask names. Lanes that are
// elsewhere may still come to the same instruction: they are waited for until the block's next
// barrier or its end.
class WarpMeeting {
 public:
  struct Missing {
    std::uint32_t warp = 0;
    std::uint32_t instruction = 0;
    std::uint32_t came = 0;     // lanes
    std::uint32_t missing = 0;  // lanes
  };
  // `lanes` execute the instruction, which names `missing` too.
  void come(std::uint32_t warp, std::uint32_t instruction, std::uint32_t lanes,
            std::uint32_t missing);
  // Meetings that lanes of this warp are still missing from.
  [[nodiscard]] const std::vector<Missing>& open() const { return open_; }
  void clear() { open_.clear(); }

 private:
  static constexpr std::size_t kMost = 256;
  std::vector<Missing> open_;
};

}  // namespace tilescope
