#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

#include "emulator/code.h"

namespace tilescope {

// Registers of functions that are under way in a warp and will run again before they come back: one
// copy of the register file for each depth, of which a lane uses its own cells.
class SavedFrames {
 public:
  void reset() { depths_.clear(); }
  void save(const Code& code, const FrameRows& rows, const std::byte* registers,
            std::uint32_t mask);
  // Those that the lanes saved at the depth where they are (the frame row tells).
  void restore(const Code& code, const FrameRows& rows, std::byte* registers,
               std::uint32_t mask) const;

 private:
  std::vector<std::vector<std::byte>> depths_;
};

}  // namespace tilescope
