#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

#include "core/result.h"
#include "export/export_view.h"

namespace tilescope {

// A view while time runs through the traced block, as a GIF or, where ffmpeg is, an MP4.
struct AnimationRequest {
  PictureRequest picture;  // of a view; its selected moment is set frame by frame
  std::uint32_t from = 0;  // moments of the block's trace, both shown
  std::uint32_t to = 0;
  double frames_per_second = 10;
  double seconds = 8;
};

inline constexpr double kLeastFramesPerSecond = 1;
inline constexpr double kMostFramesPerSecond = 50;  // a GIF counts in hundredths of a second
inline constexpr std::size_t kMostFrames = 6000;
inline constexpr double kMostAnimatedPixels = 3840.0 * 2160;  // of a frame

[[nodiscard]] std::size_t frame_count(const AnimationRequest& request);
// What frame `index` is drawn from: evenly spaced moments, and where several frames show one, how
// far its data has come.
[[nodiscard]] PictureRequest frame_of(const AnimationRequest& request, std::size_t index);

// Where ffmpeg is on the PATH; empty: nowhere, and .mp4 cannot be written.
[[nodiscard]] std::filesystem::path find_ffmpeg();

// Called before each frame: those that are done, and all.
using AnimationProgress = std::function<void(std::size_t done, std::size_t all)>;
// Frames are drawn one by one as they are written: the memory is that of a few frames, however many
// there are. The same request gives the same GIF; of an MP4 that is ffmpeg's affair, which is asked
// for it. Removes the file when it stops or fails. kMachine without ffmpeg, kUsage for what cannot
// be animated.
Status export_animation(const AnimationRequest& request, const std::filesystem::path& file,
                        const std::stop_token& stop, const AnimationProgress& progress);

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

// At most `most` colours for these pixels (0x00RRGGBB), made for flat pictures: colours that cover
// much keep exactly, and every pixel has one of the palette's within the same least distance, which
// is 0 where there are few enough. Dithers nothing. The same pixels give the same palette.
struct IndexedPixels {
  std::vector<std::uint32_t> palette;
  std::vector<std::uint8_t> indices;  // parallel to the pixels
  int distance = 0;                   // the most that a channel is off, 0..255
};
[[nodiscard]] IndexedPixels index_pixels(std::span<const std::uint32_t> pixels, std::size_t most);

}  // namespace tilescope
