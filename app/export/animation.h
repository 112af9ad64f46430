#pragma once
#include <cstdint>
#include <filesystem>
#include <functional>
#include <stop_token>

#include "core/result.h"
#include "export/picture_request.h"

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

}  // namespace tilescope
