#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "core/result.h"
#include "export/cairo_types.h"
#include "export/font_library.h"
#include "scene/pages/page.h"
#include "scene/rates/rate_figure.h"
#include "scene/rates/tuned_figure.h"
#include "scene/view/view.h"
#include "scene/view/view_descriptor.h"
#include "scene/views.h"

namespace tilescope {

enum class PictureFormat { kSvg, kPdf, kPng, kCsv, kJson, kGif, kMp4, kHtml };
// By the file name's ending; kUsage for another one.
[[nodiscard]] Result<PictureFormat> picture_format(const std::filesystem::path& file);
// One that is of time, and not of a moment.
[[nodiscard]] constexpr bool is_animation(PictureFormat format) {
  return format == PictureFormat::kGif || format == PictureFormat::kMp4;
}

// px of a view in the window at scale 1.
inline constexpr int kViewWidth = 1176;
inline constexpr int kViewHeight = 620;

// A size as it is printed, kPxPerMm px to a millimetre.
struct PaperSize {
  std::string width;  // "84mm", as SVG takes it; empty: the size is in px
  std::string height;
};
inline constexpr double kPxPerMm = 96 / 25.4;             // as CSS has it
inline constexpr float kPrintedPixelScale = 300.0f / 96;  // of a PNG: 300 pixels to an inch

// The scale of text at which what is 13 px at scale 1 is so large.
[[nodiscard]] constexpr float text_scale_of(double points) {
  return static_cast<float>(points * 96 / 72 / 13);
}

struct PictureRequest {
  View view = View::kTiling;
  ViewContext context;  // of a view: study must be there; of a chart: theme and text scale alone
  std::shared_ptr<const RateFigure> chart;   // drawn in the view's place; nullptr: the view
  std::shared_ptr<const TunedFigure> tuned;  // likewise; its height is the least
  std::optional<Page> page;                  // likewise; of a page the height is the least
  bool as_issued = true;                     // of a page: count what ptxas made, where it is known
  bool side_by_side = false;                 // of the source: its PTX and machine code beside it
  float width = kViewWidth;                  // px; a PDF takes 1 px as 0.75 pt
  float height = kViewHeight;
  PaperSize paper;                 // the same as it was given, where that was not px
  const ViewPart* part = nullptr;  // of a view: this alone, one of its descriptor's; nullptr: all
  bool with_sentence = true;       // above the picture
  bool with_provenance = true;     // below it; inside of the file it always is
  float pixel_scale = 1;           // PNG, GIF, MP4: device pixels in a px
  std::string date;  // as stated_date() says; empty: that of the measurements shown, if any

  // Of a view or a page; else of a figure, which stands in its place.
  [[nodiscard]] bool is_of_study() const { return !chart && !tuned; }
};

// The page, in `context`, which must outlive the answer. Precondition: it is of a page.
[[nodiscard]] PageRequest page_request(const PictureRequest& request, const ViewContext& context);

// "source", "throughput", "tuner": as --view takes it.
[[nodiscard]] std::string name_of(const PictureRequest& request);

// The day that a person or SOURCE_DATE_EPOCH (https://reproducible-builds.org/specs/
// source-date-epoch/) states: "2026-11-30". Empty: nobody does.
[[nodiscard]] std::string stated_date();

// "Coalescing", "Throughput over TILE_K"
[[nodiscard]] std::string title_of(const PictureRequest& request);
[[nodiscard]] Sentence sentence_of(const PictureRequest& request);

// A view or chart as it stands on screen, its sentence above it, and below it what it shows, with
// which parameters, and where the numbers come from: as the bytes of a file. The same request gives
// the same bytes. Not of an animation (export/animation.h).
[[nodiscard]] Result<std::string> picture_bytes(const PictureRequest& request,
                                                PictureFormat format);
[[nodiscard]] std::string svg_of(const PictureRequest& request);

// By the file's ending; replaces what is there.
Status export_view(const PictureRequest& request, const std::filesystem::path& file);

[[nodiscard]] std::string file_size_text(const std::filesystem::path& file);  // "48.2 KiB"

// The picture as pixels, for PNG and animations: RGB24, request.pixel_scale to a px.
[[nodiscard]] CairoSurface drawn_pixels(const PictureRequest& request, const FontLibrary& fonts);

// The least width and height, px, in which all that the picture holds is laid out right: that of
// its figure, and around it the sentence and the lines below, which a narrow picture has more of.
// Of a chart the plot is kLeastPlotShare of the picture's height; for that it gives up its
// sentence.
[[nodiscard]] FigureSize least_size(const PictureRequest& request);
// kUsage with that size, in pixels, where the picture is smaller.
[[nodiscard]] Status check_size(const PictureRequest& request);

// The request with the height that its rows need, where it is of a page or the tuner.
[[nodiscard]] PictureRequest with_room(PictureRequest request);

// Draws all that a picture holds, on any canvas.
void draw_picture(Canvas& canvas, const PictureRequest& request);

}  // namespace tilescope
