#include "export/animation.h"

#include <cairo.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <gif_lib.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <optional>
#include <system_error>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/file.h"
#include "core/search_path.h"
#include "export/export_view.h"
#include "export/provenance.h"
#include "scene/compare/compared.h"

extern char** environ;

namespace tilescope {
namespace {

Error usage(std::string message, std::string remedy) {
  return {ErrorCode::kUsage, std::move(message), std::move(remedy), {}};
}

Status check(const AnimationRequest& request) {
  if (!request.picture.is_of_study() || request.picture.context.study == nullptr ||
      !request.picture.context.study->traced()) {
    return usage("only views of a traced block can be animated",
                 "For a chart use a file name ending in .svg, .pdf, .png, .csv or .json");
  }
  const std::size_t events = request.picture.context.study->trace->events.size();
  if (request.from > request.to || request.to >= events) {
    return usage(
        fmt::format("moments {} to {} are not a part of the trace", request.from, request.to),
        fmt::format("The block has {} instructions, counted from 0", events));
  }
  if (!(request.frames_per_second >= kLeastFramesPerSecond &&
        request.frames_per_second <= kMostFramesPerSecond)) {
    return usage(
        fmt::format("{:g} frames per second cannot be written", request.frames_per_second),
        fmt::format("Choose from {:g} to {:g}", kLeastFramesPerSecond, kMostFramesPerSecond));
  }
  if (!(request.seconds > 0) ||
      request.seconds * request.frames_per_second > static_cast<double>(kMostFrames)) {
    return usage(fmt::format("an animation of {:g} seconds is not possible", request.seconds),
                 fmt::format("At this frame rate choose at most {:g}",
                             static_cast<double>(kMostFrames) / request.frames_per_second));
  }
  const PictureRequest& picture = request.picture;
  const double pixels = static_cast<double>(picture.width) * static_cast<double>(picture.height) *
                        static_cast<double>(picture.pixel_scale * picture.pixel_scale);
  if (pixels > kMostAnimatedPixels) {
    return usage("an animation with so many pixels would be too large to play",
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
    return usage(fmt::format("'{}' is not a .gif or .mp4 file", file.string()),
                 "Use a file name ending in .gif or .mp4");
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
          ErrorCode::kMachine, "the picture does not fit into memory", "Use fewer pixels", {}};
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

namespace {

constexpr int kMostSide = 65535;
constexpr std::size_t kPaletteSize = 256;

// The part of the picture that differs from the frame before.
struct Changed {
  int left = 0;
  int top = 0;
  int width = 0;
  int height = 0;
};

// https://www.w3.org/Graphics/GIF/spec-gif89a.txt. Each frame brings its own colours and only what
// has changed; frames that look the same become one that stands longer.
class GifWriter final : public FrameWriter {
 public:
  GifWriter(std::filesystem::path file, const FrameFormat& format)
      : file_(std::move(file)), format_(format) {}
  ~GifWriter() override {
    if (gif_ != nullptr) EGifCloseFile(gif_, nullptr);
    if (out_ != nullptr) std::fclose(out_);
  }
  GifWriter(const GifWriter&) = delete;
  GifWriter& operator=(const GifWriter&) = delete;

  Status open() {
    out_ = std::fopen(file_.c_str(), "wbe");
    if (out_ == nullptr) return cannot_write(file_, errno);
    gif_ = EGifOpen(
        this,
        [](GifFileType* gif, const GifByteType* bytes, int count) {
          return static_cast<GifWriter*>(gif->UserData)->write(bytes, count);
        },
        nullptr);
    if (gif_ == nullptr) return failure();
    EGifSetGifVersion(gif_, true);
    if (EGifPutScreenDesc(gif_, format_.width, format_.height, 8, 0, nullptr) == GIF_ERROR ||
        !put_loop() || EGifPutComment(gif_, format_.comment.c_str()) == GIF_ERROR) {
      return failure();
    }
    return ok_status();
  }

  Status add(std::span<const std::uint32_t> pixels, int centiseconds) override {
    const std::optional<Changed> changed = changed_part(pixels);
    if (!changed && pending_) {
      pending_->centiseconds += centiseconds;
      return ok_status();
    }
    if (!put_pending()) return failure();
    Frame frame;
    frame.part = changed.value_or(Changed{0, 0, 1, 1});
    frame.centiseconds = centiseconds;
    frame.pixels = index_pixels(cut(pixels, frame.part), kPaletteSize);
    pending_ = std::move(frame);
    before_.assign(pixels.begin(), pixels.end());
    return ok_status();
  }

  Status finish() override {
    const bool put = put_pending();
    const bool closed = EGifCloseFile(gif_, nullptr) != GIF_ERROR;
    gif_ = nullptr;
    if (std::fflush(out_) != 0 && error_ == 0) error_ = errno;
    std::fclose(out_);
    out_ = nullptr;
    return put && closed && error_ == 0 ? ok_status() : failure();
  }

 private:
  struct Frame {
    Changed part;
    int centiseconds = 0;
    IndexedPixels pixels;
  };

  int write(const GifByteType* bytes, int count) {
    const auto wanted = static_cast<std::size_t>(count);
    if (std::fwrite(bytes, 1, wanted, out_) != wanted && error_ == 0) error_ = errno;
    return count;  // giflib is told at the end: it asks errno, which is lost by then
  }

  Status failure() { return cannot_write(file_, error_ != 0 ? error_ : ENOMEM); }

  // Netscape's extension, that all programs know: without an end.
  bool put_loop() {
    constexpr std::array<unsigned char, 3> kForever = {1, 0, 0};
    return EGifPutExtensionLeader(gif_, APPLICATION_EXT_FUNC_CODE) != GIF_ERROR &&
           EGifPutExtensionBlock(gif_, 11, "NETSCAPE2.0") != GIF_ERROR &&
           EGifPutExtensionBlock(gif_, kForever.size(), kForever.data()) != GIF_ERROR &&
           EGifPutExtensionTrailer(gif_) != GIF_ERROR;
  }

  std::optional<Changed> changed_part(std::span<const std::uint32_t> pixels) const {
    if (before_.empty()) return Changed{0, 0, format_.width, format_.height};
    Changed part{format_.width, format_.height, 0, 0};
    int right = 0;
    int bottom = 0;
    const auto width = static_cast<std::size_t>(format_.width);
    for (int y = 0; y < format_.height; ++y) {
      const std::size_t row = static_cast<std::size_t>(y) * width;
      if (std::memcmp(&pixels[row], &before_[row], width * sizeof(std::uint32_t)) == 0) continue;
      part.top = std::min(part.top, y);
      bottom = y + 1;
      int x = 0;
      while (pixels[row + static_cast<std::size_t>(x)] ==
             before_[row + static_cast<std::size_t>(x)])
        ++x;
      part.left = std::min(part.left, x);
      int end = format_.width;
      while (pixels[row + static_cast<std::size_t>(end) - 1] ==
             before_[row + static_cast<std::size_t>(end) - 1]) {
        --end;
      }
      right = std::max(right, end);
    }
    if (bottom == 0) return std::nullopt;
    part.width = right - part.left;
    part.height = bottom - part.top;
    return part;
  }

  [[nodiscard]] std::vector<std::uint32_t> cut(std::span<const std::uint32_t> pixels,
                                               const Changed& part) const {
    std::vector<std::uint32_t> inside;
    for (int y = part.top; y < part.top + part.height; ++y) {
      const auto row =
          pixels.subspan(static_cast<std::size_t>(y) * static_cast<std::size_t>(format_.width) +
                             static_cast<std::size_t>(part.left),
                         static_cast<std::size_t>(part.width));
      inside.insert(inside.end(), row.begin(), row.end());
    }
    return inside;
  }

  bool put_pending() {
    if (!pending_) return true;
    const std::optional<Frame> frame = std::exchange(pending_, std::nullopt);
    const GraphicsControlBlock control{DISPOSE_DO_NOT, false, frame->centiseconds,
                                       NO_TRANSPARENT_COLOR};
    std::array<GifByteType, 4> bytes{};
    EGifGCBToExtension(&control, bytes.data());
    std::array<GifColorType, kPaletteSize> colours{};
    for (std::size_t i = 0; i < frame->pixels.palette.size(); ++i) {
      const std::uint32_t colour = frame->pixels.palette[i];
      colours.at(i) = {static_cast<GifByteType>(colour >> 16 & 0xffU),
                       static_cast<GifByteType>(colour >> 8 & 0xffU),
                       static_cast<GifByteType>(colour & 0xffU)};
    }
    const std::unique_ptr<ColorMapObject, decltype(&GifFreeMapObject)> map(
        GifMakeMapObject(kPaletteSize, colours.data()), &GifFreeMapObject);
    const Changed& part = frame->part;
    if (map == nullptr ||
        EGifPutExtension(gif_, GRAPHICS_EXT_FUNC_CODE, bytes.size(), bytes.data()) == GIF_ERROR ||
        EGifPutImageDesc(gif_, part.left, part.top, part.width, part.height, false, map.get()) ==
            GIF_ERROR) {
      return false;
    }
    std::vector<GifByteType> indices(frame->pixels.indices);
    for (std::size_t at = 0; at < indices.size(); at += static_cast<std::size_t>(part.width)) {
      if (EGifPutLine(gif_, &indices[at], part.width) == GIF_ERROR) return false;
    }
    return error_ == 0;
  }

  std::filesystem::path file_;
  FrameFormat format_;
  std::FILE* out_ = nullptr;
  GifFileType* gif_ = nullptr;
  int error_ = 0;  // errno of the first write that failed
  std::vector<std::uint32_t> before_;
  std::optional<Frame> pending_;  // not yet written: it may have to stand longer
};

}  // namespace

Result<std::unique_ptr<FrameWriter>> open_gif(const std::filesystem::path& file,
                                              const FrameFormat& format) {
  if (format.width > kMostSide || format.height > kMostSide) {
    return Error{ErrorCode::kUsage, "a GIF has at most 65535 pixels a side", "Ask for fewer", {}};
  }
  auto writer = std::make_unique<GifWriter>(file, format);
  if (Status opened = writer->open(); !opened) return opened.error();
  return std::unique_ptr<FrameWriter>(std::move(writer));
}

namespace {

// ffmpeg's arguments. What it is given is the same for the same pictures, and so is what x264 makes
// of it: no version, no date, one thread.
std::vector<std::string> command(const std::filesystem::path& file, const FrameFormat& format) {
  return {"ffmpeg", "-hide_banner", "-loglevel", "error", "-nostdin", "-y", "-f", "rawvideo",
          "-pix_fmt", "bgr0", "-s", fmt::format("{}x{}", format.width, format.height), "-r",
          fmt::format("{:g}", format.frames_per_second), "-i", "pipe:0",
          // H.264 with halved colours, as browsers and slides play it, wants even sides.
          "-vf", "pad=ceil(iw/2)*2:ceil(ih/2)*2:color=white,format=yuv420p", "-c:v", "libx264",
          "-crf", "18", "-preset", "medium", "-tune", "animation", "-threads", "1", "-fflags",
          "+bitexact", "-flags:v", "+bitexact", "-movflags", "+faststart", "-metadata",
          "title=" + format.title, "-metadata", "comment=" + format.comment, "-f", "mp4",
          "file:" + std::filesystem::absolute(file).string()};
}

class Descriptor {
 public:
  explicit Descriptor(int fd = -1) : fd_(fd) {}
  ~Descriptor() { reset(); }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  void reset(int fd = -1) {
    if (fd_ >= 0) ::close(fd_);
    fd_ = fd;
  }
  [[nodiscard]] int get() const { return fd_; }

 private:
  int fd_;
};

class Mp4Writer final : public FrameWriter {
 public:
  Mp4Writer(std::filesystem::path file, const FrameFormat& format)
      : file_(std::move(file)), format_(format) {}
  ~Mp4Writer() override {
    frames_.reset();
    if (child_ > 0) ::waitpid(child_, nullptr, 0);
  }

  Status open() {
    if (Status writable = write_file(file_, ""); !writable) return writable;
    int ends[2];
    // A socket and no pipe: writing to one whose reader has ended is an error and no signal.
    if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
      return failed_to_start(errno);
    frames_.reset(ends[0]);
    const Descriptor input(ends[1]);
    if (::pipe2(ends, O_CLOEXEC) != 0) return failed_to_start(errno);
    words_.reset(ends[0]);
    const Descriptor words(ends[1]);
    std::vector<std::string> arguments = command(file_, format_);
    std::vector<char*> pointers;
    for (std::string& argument : arguments) pointers.push_back(argument.data());
    pointers.push_back(nullptr);
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, input.get(), STDIN_FILENO);
    posix_spawn_file_actions_adddup2(&actions, words.get(), STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&actions, words.get(), STDERR_FILENO);
    const int failure =
        ::posix_spawnp(&child_, "ffmpeg", &actions, nullptr, pointers.data(), environ);
    posix_spawn_file_actions_destroy(&actions);
    if (failure == 0) return ok_status();
    child_ = -1;
    return failed_to_start(failure);
  }

  Status add(std::span<const std::uint32_t> pixels, int /*centiseconds*/) override {
    const char* at = reinterpret_cast<const char*>(pixels.data());
    std::size_t left = pixels.size_bytes();
    while (left > 0) {
      const ssize_t sent = ::send(frames_.get(), at, left, MSG_NOSIGNAL);
      if (sent < 0 && errno == EINTR) continue;
      if (sent <= 0) return finish();  // it has ended: it says why
      at += sent;
      left -= static_cast<std::size_t>(sent);
    }
    return ok_status();
  }

  Status finish() override {
    frames_.reset();
    std::string said;
    char buffer[4096];
    for (ssize_t count = 0; (count = ::read(words_.get(), buffer, sizeof(buffer))) > 0;) {
      if (said.size() < sizeof(buffer)) said.append(buffer, static_cast<std::size_t>(count));
    }
    int status = 0;
    ::waitpid(child_, &status, 0);
    child_ = -1;
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return ok_status();
    while (!said.empty() && said.back() == '\n') said.pop_back();
    return Error{ErrorCode::kMachine,
                 fmt::format("ffmpeg did not write '{}': {}", file_.string(),
                             said.substr(said.rfind('\n') + 1)),
                 "Use a .gif file, which needs no ffmpeg",
                 {}};
  }

 private:
  Status failed_to_start(int error_number) {
    std::error_code ignored;
    std::filesystem::remove(file_, ignored);
    if (error_number == ENOENT) {
      return Error{ErrorCode::kMachine,
                   "an MP4 needs ffmpeg, which is not on the PATH",
                   "Install it (apt install ffmpeg), or use a .gif file",
                   {}};
    }
    return Error{ErrorCode::kMachine,
                 "ffmpeg cannot be started: " + std::generic_category().message(error_number),
                 "Use a .gif file, which needs no ffmpeg",
                 {}};
  }

  std::filesystem::path file_;
  FrameFormat format_;
  Descriptor frames_;  // to ffmpeg
  Descriptor words_;   // from it
  pid_t child_ = -1;
};

}  // namespace

std::filesystem::path find_ffmpeg() { return find_on_path("ffmpeg"); }

Result<std::unique_ptr<FrameWriter>> open_mp4(const std::filesystem::path& file,
                                              const FrameFormat& format) {
  auto writer = std::make_unique<Mp4Writer>(file, format);
  if (Status opened = writer->open(); !opened) return opened.error();
  return std::unique_ptr<FrameWriter>(std::move(writer));
}

namespace {

// The most that two colours differ in a channel.
int distance(std::uint32_t a, std::uint32_t b) {
  int most = 0;
  for (const unsigned shift : {0U, 8U, 16U}) {
    const int difference =
        static_cast<int>(a >> shift & 0xffU) - static_cast<int>(b >> shift & 0xffU);
    most = std::max(most, std::abs(difference));
  }
  return most;
}

// Most frequent first; equally frequent ones by their value.
std::vector<std::uint32_t> colours_by_area(std::span<const std::uint32_t> pixels) {
  std::unordered_map<std::uint32_t, std::size_t> counts;
  for (const std::uint32_t pixel : pixels) ++counts[pixel];
  std::vector<std::pair<std::size_t, std::uint32_t>> order;
  for (const auto& [colour, count] : counts) order.emplace_back(count, colour);
  std::ranges::sort(order, [](const auto& a, const auto& b) {
    return a.first != b.first ? a.first > b.first : a.second < b.second;
  });
  std::vector<std::uint32_t> colours;
  for (const auto& [count, colour] : order) colours.push_back(colour);
  return colours;
}

// Colours such that each one has one within `radius`; empty: that takes more than `most`.
std::vector<std::uint32_t> covering(const std::vector<std::uint32_t>& colours, int radius,
                                    std::size_t most) {
  std::vector<std::uint32_t> chosen;
  for (const std::uint32_t colour : colours) {
    const bool covered = std::ranges::any_of(
        chosen, [&](std::uint32_t other) { return distance(colour, other) <= radius; });
    if (covered) continue;
    if (chosen.size() == most) return {};
    chosen.push_back(colour);
  }
  return chosen;
}

}  // namespace

IndexedPixels index_pixels(std::span<const std::uint32_t> pixels, std::size_t most) {
  IndexedPixels result;
  const std::vector<std::uint32_t> colours = colours_by_area(pixels);
  constexpr std::array kRadii = {0, 2, 4, 6, 8, 11, 15, 20, 27, 36, 48, 64, 85, 113, 150, 255};
  for (const int radius : kRadii) {
    if (radius == 0 && colours.size() > most) continue;
    result.distance = radius;
    result.palette = covering(colours, radius, most);
    if (!result.palette.empty()) break;
  }
  std::unordered_map<std::uint32_t, std::uint8_t> index;
  for (const std::uint32_t colour : colours) {
    const auto nearest = std::ranges::min_element(
        result.palette, {}, [&](std::uint32_t each) { return distance(colour, each); });
    index[colour] = static_cast<std::uint8_t>(nearest - result.palette.begin());
  }
  result.indices.reserve(pixels.size());
  for (const std::uint32_t pixel : pixels) result.indices.push_back(index[pixel]);
  return result;
}

}  // namespace tilescope
