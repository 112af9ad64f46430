#include "emulator/checks/warp_meeting.h"

namespace tilescope {

void WarpMeeting::come(std::uint32_t warp, std::uint32_t instruction, std::uint32_t lanes,
                       std::uint32_t missing) {
  for (std::size_t i = 0; i < open_.size(); ++i) {
    Missing& meeting = open_[i];
    if (meeting.warp != warp || meeting.instruction != instruction) continue;
    if ((meeting.missing & lanes) != lanes) continue;
    meeting.missing &= ~lanes;
    meeting.came |= lanes;
    if (meeting.missing == 0) open_.erase(open_.begin() + static_cast<std::ptrdiff_t>(i));
    return;
  }
  if (missing != 0 && open_.size() < kMost) open_.push_back({warp, instruction, lanes, missing});
}

}  // namespace tilescope
