#include <gif_lib.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>
#include <optional>
#include <vector>

#include "core/write_file.h"
#include "export/frame_writer.h"
#include "export/palette_of_frame.h"

namespace tilescope {
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

}  // namespace tilescope
