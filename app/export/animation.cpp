#include "export/animation.h"

#include <cairo.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <system_error>
#include <vector>

#include "export/export_view.h"
#include "export/frame_writer.h"
#include "export/provenance.h"
#include "scene/compare/compared.h"

namespace tilescope {
namespace {

Error usage(std::string message, std::string remedy) {
  return {ErrorCode::kUsage, std::move(message), std::move(remedy), {}};
}

Status check(const AnimationRequest& request) {
  if (!request.picture.is_of_study() || request.picture.context.study == nullptr ||
      !request.picture.context.study->traced()) {
    return usage("only a view of a traced block runs in time",
                 "End a chart's file in .svg, .pdf, .png, .csv or .json");
  }
  const std::size_t events = request.picture.context.study->trace->events.size();
  if (request.from > request.to || request.to >= events) {
    return usage(
        fmt::format("moments {} to {} are no stretch of the trace", request.from, request.to),
        fmt::format("The block has {} instructions, counted from 0", events));
  }
  if (!(request.frames_per_second >= kLeastFramesPerSecond &&
        request.frames_per_second <= kMostFramesPerSecond)) {
    return usage(
        fmt::format("{:g} frames a second cannot be written", request.frames_per_second),
        fmt::format("Choose from {:g} to {:g}", kLeastFramesPerSecond, kMostFramesPerSecond));
  }
  if (!(request.seconds > 0) ||
      request.seconds * request.frames_per_second > static_cast<double>(kMostFrames)) {
    return usage(fmt::format("{:g} seconds are no length for an animation", request.seconds),
                 fmt::format("At this rate choose at most {:g}",
                             static_cast<double>(kMostFrames) / request.frames_per_second));
  }
  const PictureRequest& picture = request.picture;
  const double pixels = static_cast<double>(picture.width) * static_cast<double>(picture.height) *
                        static_cast<double>(picture.pixel_scale * picture.pixel_scale);
  if (pixels > kMostAnimatedPixels) {
    return usage("an animation of so many pixels would be larger than anyone can play",
                 "Choose at most 3840x2160");
  }
  return ok_status();
}

// The surface's pixels without what pads its rows.
std::vector<std::uint32_t> pixels_of(cairo_surface_t* surface) {
  const auto width = static_cast<std::size_t>(cairo_image_surface_get_width(surface));
  const auto height = static_cast<std::size_t>(cairo_image_surface_get_height(surface));
  const auto stride = static_cast<std::size_t>(cairo_image_surface_get_stride(surface));
  const unsigned char* data = cairo_image_surface_get_data(surface);
  std::vector<std::uint32_t> pixels(width * height);
  for (std::size_t y = 0; y < height; ++y) {
    std::memcpy(&pixels[y * width], data + y * stride, width * sizeof(std::uint32_t));
  }
  for (std::uint32_t& pixel : pixels) pixel &= 0xffffffU;
  return pixels;
}

Result<std::unique_ptr<FrameWriter>> open(const AnimationRequest& request,
                                          const std::filesystem::path& file) {
  const auto format = picture_format(file);
  if (!format) return format.error();
  if (!is_animation(*format)) {
    return usage(fmt::format("'{}' names no animation", file.string()),
                 "End the file's name in .gif or .mp4");
  }
  const PictureRequest& picture = request.picture;
  const auto pixels = [&](float px) { return static_cast<int>(px * picture.pixel_scale + 0.5f); };
  const FrameFormat frames{
      pixels(picture.width), pixels(picture.height), request.frames_per_second,
      title_of(picture) + ": " + provenance_of(picture).kernel,
      fmt::format("{}. {}", title_of(picture), provenance_of(picture).keywords())};
  return *format == PictureFormat::kGif ? open_gif(file, frames) : open_mp4(file, frames);
}

int centiseconds(const AnimationRequest& request, std::size_t frame) {
  const auto until = [&](std::size_t frames) {
    return std::lround(100 * static_cast<double>(frames) / request.frames_per_second);
  };
  return static_cast<int>(until(frame + 1) - until(frame));
}

Status write_frames(const AnimationRequest& request, FrameWriter& writer,
                    const std::stop_token& stop, const AnimationProgress& progress) {
  const FontLibrary fonts;
  const std::size_t count = frame_count(request);
  for (std::size_t i = 0; i < count; ++i) {
    if (stop.stop_requested()) return Error{ErrorCode::kCancelled, "stopped", {}, {}};
    if (progress) progress(i, count);
    const CairoSurface surface = drawn_pixels(frame_of(request, i), fonts);
    if (cairo_surface_status(surface.get()) != CAIRO_STATUS_SUCCESS) {
      return Error{
          ErrorCode::kMachine, "the picture does not fit into memory", "Ask for fewer pixels", {}};
    }
    if (Status added = writer.add(pixels_of(surface.get()), centiseconds(request, i)); !added) {
      return added;
    }
  }
  if (progress) progress(count, count);
  return writer.finish();
}

}  // namespace

std::size_t frame_count(const AnimationRequest& request) {
  return std::max<std::size_t>(
      1, static_cast<std::size_t>(std::llround(request.seconds * request.frames_per_second)));
}

PictureRequest frame_of(const AnimationRequest& request, std::size_t index) {
  const auto count = static_cast<double>(frame_count(request));
  const auto at = static_cast<double>(index);
  const double moments = static_cast<double>(request.to) - request.from + 1;
  PictureRequest frame = request.picture;
  if (moments >= count) {  // from the first to the last, in equal strides
    const double moment = count > 1 ? at * (moments - 1) / (count - 1) : moments - 1;
    frame.context.selection.event = request.from + static_cast<std::uint32_t>(std::lround(moment));
    if (frame.context.compared) stand_together(frame.context);
    return frame;
  }
  // Each moment stands for an equal part of the time, in which its data comes.
  const double each = moments / count;
  const double moment = std::min(std::floor(at * each + 1e-9), moments - 1);
  frame.context.selection.event = request.from + static_cast<std::uint32_t>(moment);
  if (frame.context.compared) stand_together(frame.context);
  frame.context.motion = static_cast<float>(std::clamp((at + 1) * each - moment, 0.0, 1.0));
  return frame;
}

Status export_animation(const AnimationRequest& request, const std::filesystem::path& file,
                        const std::stop_token& stop, const AnimationProgress& progress) {
  if (Status sound = check(request); !sound) return sound;
  if (Status sound = check_size(request.picture); !sound) return sound;
  auto writer = open(request, file);
  if (!writer) return writer.error();
  Status written = write_frames(request, **writer, stop, progress);
  writer->reset();
  if (!written) {
    std::error_code ignored;
    if (std::filesystem::is_regular_file(file, ignored)) std::filesystem::remove(file, ignored);
  }
  return written;
}

}  // namespace tilescope
