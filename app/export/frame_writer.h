#pragma once
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>

#include "core/result.h"

namespace tilescope {

// Takes the frames of an animation one after the other.
class FrameWriter {
 public:
  virtual ~FrameWriter() = default;
  // Rows from the top, a pixel 0x00RRGGBB; `centiseconds`: how long it stands.
  virtual Status add(std::span<const std::uint32_t> pixels, int centiseconds) = 0;
  virtual Status finish() = 0;
};

struct FrameFormat {
  int width = 0;
  int height = 0;
  double frames_per_second = 10;
  std::string title;
  std::string comment;  // caption and provenance
};
// Writes the file as it goes.
[[nodiscard]] Result<std::unique_ptr<FrameWriter>> open_gif(const std::filesystem::path& file,
                                                            const FrameFormat& format);
// Through ffmpeg, which is looked for on the PATH.
[[nodiscard]] Result<std::unique_ptr<FrameWriter>> open_mp4(const std::filesystem::path& file,
                                                            const FrameFormat& format);

}  // namespace tilescope
