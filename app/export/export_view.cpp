#include "export/export_view.h"

#include <cairo-pdf.h>
#include <cairo.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <string_view>
#include <system_error>

#include "core/file.h"
#include "core/quantity.h"
#include "export/cairo_canvas.h"
#include "export/cairo_types.h"
#include "export/numbers_file.h"
#include "export/picture_page.h"
#include "export/png_file.h"
#include "export/provenance.h"
#include "export/svg_canvas.h"
#include "scene/drawing/pen.h"
#include "scene/views.h"

namespace tilescope {
namespace {

constexpr double kPointsPerPx = 0.75;

Error no_memory() {
  return {ErrorCode::kMachine, "the picture does not fit into memory", "Use fewer pixels", {}};
}

enum class Ink : std::uint8_t { kNone, kDrawn };

// Words of all runs, broken into lines of at most the area's width; drawn or only measured. Returns
// the height taken.
float draw_sentence(Pen& pen, const Rect& area, const Sentence& sentence, Ink ink) {
  const float line_height = pen.px(21);
  float x = area.x;
  float y = area.y + line_height / 2;
  for (const SentenceRun& run : sentence) {
    TextStyle style = pen.style(15, run.strong ? ColourRole::kStrong : ColourRole::kText,
                                run.strong ? Weight::kSemibold : Weight::kRegular);
    style.keeps_width = true;
    std::string_view rest = run.text;
    while (!rest.empty()) {
      // As many words as fit on this line, written in one piece.
      std::size_t taken = 0;
      while (taken < rest.size()) {
        const std::size_t end = unbroken_end(rest, taken + 1);
        if (x + pen.width(rest.substr(0, end), style) > area.right()) break;
        taken = end;
      }
      if (taken == 0 && x > area.x) {
        x = area.x;
        y += line_height;
        while (!rest.empty() && rest.front() == ' ') rest.remove_prefix(1);
        continue;
      }
      if (taken == 0) taken = rest.size();  // a single word wider than the picture
      if (ink == Ink::kDrawn) pen.text(x, y, rest.substr(0, taken), style);
      x += pen.width(rest.substr(0, taken), style);
      rest.remove_prefix(taken);
    }
  }
  return y + line_height / 2 - area.y;
}

// Dublin Core (https://www.dublincore.org/specifications/dublin-core/dcmi-terms/), as drawing
// programs read it, and the caption for those that read aloud.
std::string svg_metadata(const PictureRequest& request) {
  const Provenance provenance = provenance_of(request);
  const auto element = [](std::string_view name, const std::string& text) {
    return text.empty() ? std::string()
                        : fmt::format("<dc:{0}>{1}</dc:{0}>\n", name, xml_text(text));
  };
  const std::string caption = caption_of(request);
  return fmt::format("<desc>{}</desc>\n", xml_text(caption)) +
         "<metadata><rdf:RDF xmlns:rdf=\"http://www.w3.org/1999/02/22-rdf-syntax-ns#\" "
         "xmlns:dc=\"http://purl.org/dc/elements/1.1/\"><rdf:Description rdf:about=\"\">\n" +
         element("title", title_of(request)) + element("description", caption) +
         element("creator", provenance.program) + element("date", provenance.date) +
         element("subject", provenance.keywords()) + "</rdf:Description></rdf:RDF></metadata>\n";
}

// px of the rows of a page or of the tuner; 0: a picture that fits any height.
float rows_height(const PictureRequest& request) {
  if (request.tuned) return height_of(*request.tuned) * request.context.text_scale;
  if (!request.page) return 0;
  return height_of(page_request(request, request.context));
}

Result<std::string> png_of(const PictureRequest& request) {
  const FontLibrary fonts;
  const CairoSurface surface = drawn_pixels(request, fonts);
  const std::string png = png_bytes(surface.get());
  if (png.empty()) return no_memory();
  const Provenance provenance = provenance_of(request);
  // Keywords of the specification; the facts one by one besides.
  std::vector<std::pair<std::string, std::string>> texts = {{"Title", title_of(request)},
                                                            {"Description", caption_of(request)},
                                                            {"Software", provenance.program}};
  for (const auto& [name, text] : provenance.facts()) texts.emplace_back(name, text);
  return with_texts(png, texts);
}

Result<std::string> pdf_of(const PictureRequest& request) {
  std::string bytes;
  const auto append = [](void* to, const unsigned char* data, unsigned length) {
    static_cast<std::string*>(to)->append(reinterpret_cast<const char*>(data), length);
    return CAIRO_STATUS_SUCCESS;
  };
  const CairoSurface surface(cairo_pdf_surface_create_for_stream(
      append, &bytes, static_cast<double>(request.width) * kPointsPerPx,
      static_cast<double>(request.height) * kPointsPerPx));
  const Provenance provenance = provenance_of(request);
  const auto set = [&](cairo_pdf_metadata_t what, const std::string& text) {
    cairo_pdf_surface_set_metadata(surface.get(), what, text.c_str());
  };
  set(CAIRO_PDF_METADATA_TITLE, title_of(request) + ": " + provenance.kernel);
  set(CAIRO_PDF_METADATA_AUTHOR, provenance.program);
  set(CAIRO_PDF_METADATA_CREATOR, provenance.program);
  set(CAIRO_PDF_METADATA_SUBJECT, caption_of(request));
  set(CAIRO_PDF_METADATA_KEYWORDS, provenance.keywords());
  // Without one Cairo writes the time of day; of an empty one it writes nothing.
  set(CAIRO_PDF_METADATA_CREATE_DATE,
      provenance.date.empty() ? "" : provenance.date + "T00:00:00Z");
  {
    const FontLibrary fonts;
    const CairoContext cairo(cairo_create(surface.get()));
    cairo_scale(cairo.get(), kPointsPerPx, kPointsPerPx);
    CairoCanvas canvas(cairo.get(), request.context.theme, fonts);
    draw_picture(canvas, request);
  }
  cairo_surface_finish(surface.get());
  if (cairo_surface_status(surface.get()) != CAIRO_STATUS_SUCCESS) return no_memory();
  return bytes;
}

// The sources that a picture's line below names first.
Source first_source(const PictureRequest& request) {
  if (request.tuned) {
    return request.tuned->empty() ? Source::kRecorded : request.tuned->rows.front().source;
  }
  if (!request.chart) return Source::kEmulated;
  return request.chart->is_of_this_run() ? Source::kMeasured : Source::kRecorded;
}

constexpr float kLine = 15;  // px of a line of provenance

// Where a picture comes from, on one line or, where it has no room there, on two.
std::vector<std::string> provenance_lines(const Pen& pen, const std::string& words,
                                          const TextStyle& style, float room) {
  constexpr std::string_view kBetween = " · ";
  if (pen.width(words, style) <= room) return {words};
  std::size_t end = words.rfind(kBetween);
  while (end != std::string::npos && end > 0 && pen.width(words.substr(0, end), style) > room) {
    end = words.rfind(kBetween, end - 1);
  }
  if (end == std::string::npos || end == 0) return {pen.fitted(words, style, room)};
  return {words.substr(0, end), pen.fitted(words.substr(end + kBetween.size()), style, room)};
}

// Where the parts of a picture stand.
struct Frame {
  Rect sentence;
  bool has_sentence = true;
  Rect picture;  // of a view, with its margins
  Rect body;     // of a chart, a table or a page
  std::vector<std::string> lines;
  float footer = 0;  // px that they take at the bottom
};

float margin_of(float width) { return std::min(24.0f, width * 0.02f + 4.0f); }

// What of the words a picture has room for.
enum class Words : std::uint8_t { kAll, kProvenance, kOneLine };

Frame frame_with(Pen& pen, const PictureRequest& request, Words words) {
  Frame frame;
  frame.has_sentence = request.with_sentence && words == Words::kAll;
  const float margin = margin_of(request.width);
  const float x = margin + pen.px(14);
  float top = pen.px(6);
  float padding = pen.px(8);
  frame.footer = pen.px(4);
  if (request.with_provenance) {
    frame.lines = provenance_lines(pen, provenance_of(request).line(),
                                   pen.style(11, ColourRole::kDim), request.width - margin - x);
    frame.footer = pen.px(26) + pen.px(kLine) * static_cast<float>(frame.lines.size() - 1);
  }
  frame.sentence = {margin, pen.px(14), request.width - 2 * margin, request.height};
  if (frame.has_sentence) {
    top = frame.sentence.y + draw_sentence(pen, frame.sentence, sentence_of(request), Ink::kNone) +
          pen.px(8);
  } else {
    padding = 0;
  }
  if (words == Words::kOneLine &&
      request.with_provenance) {  // what it leaves out is in the file's own words
    frame.lines = {pen.fitted(provenance_of(request).line(), pen.style(11, ColourRole::kDim),
                              request.width - margin - x)};
    frame.footer = pen.px(22);
  }
  frame.picture = {0, top, request.width, request.height - top - frame.footer};
  frame.body = {margin, frame.picture.y + padding, frame.sentence.w, frame.picture.h - 2 * padding};
  return frame;
}

bool has_plot(Pen& pen, const PictureRequest& request, const Frame& frame) {
  return plot_height(frame.body.h, pen.px(1)) >= kLeastPlotShare * request.height;
}

// A chart gives up its sentence, then part of where it comes from, so that its plot has its share
// of the picture.
Frame frame_of(Pen& pen, const PictureRequest& request) {
  const bool is_chart = request.chart && !request.page && !request.tuned;
  for (const Words words : {Words::kAll, Words::kProvenance}) {
    Frame frame = frame_with(pen, request, words);
    if (!is_chart || has_plot(pen, request, frame)) return frame;
  }
  return frame_with(pen, request, Words::kOneLine);
}

FigureSize least_figure(const PictureRequest& request, const ViewContext& context) {
  if (request.page) return least_size(page_request(request, context).page);
  if (request.tuned) return least_size(*request.tuned);
  if (request.chart) return kLeastRateFigure;
  return request.part != nullptr ? request.part->least : least_size(request.view);
}

bool is_whole_view(const PictureRequest& request) {
  return request.is_of_study() && !request.page && request.part == nullptr;
}

// The picture's width for a figure of this one.
float width_around(float figure, const PictureRequest& request) {
  if (is_whole_view(request)) return figure;  // it has margins of its own
  float width = figure;
  while (width - 2 * margin_of(width) < figure) width += 1;
  return width;
}

bool fits(Pen& pen, const PictureRequest& request, const Frame& frame, FigureSize figure) {
  const float height = is_whole_view(request) ? frame.picture.h : frame.body.h;
  if (height < std::ceil(pen.px(figure.height))) return false;
  return !request.chart || request.page || request.tuned || has_plot(pen, request, frame);
}

}  // namespace

Result<PictureFormat> picture_format(const std::filesystem::path& file) {
  constexpr std::array<std::pair<std::string_view, PictureFormat>, 8> kEndings{
      {{".svg", PictureFormat::kSvg},
       {".pdf", PictureFormat::kPdf},
       {".png", PictureFormat::kPng},
       {".csv", PictureFormat::kCsv},
       {".json", PictureFormat::kJson},
       {".gif", PictureFormat::kGif},
       {".mp4", PictureFormat::kMp4},
       {".html", PictureFormat::kHtml}}};
  for (const auto& [ending, format] : kEndings) {
    if (file.extension() == ending) return format;
  }
  return Error{ErrorCode::kUsage,
               fmt::format("'{}' has no known export format", file.string()),
               "Use a file name ending in .svg, .pdf, .png, .html, .csv, .json, .gif or .mp4",
               {}};
}

PictureRequest with_room(PictureRequest request) {
  const float rows = rows_height(request);
  if (rows == 0) return request;
  constexpr float kLetter = 8;  // px of a sentence's, widely
  const auto letters = static_cast<float>(plain(sentence_of(request)).size());
  const float scale = request.context.text_scale;
  const float lines =
      1 + std::floor(letters * kLetter * scale / std::max(request.width - 48, 1.0f));
  const float needed = rows + (14 + 8 + 16 + 26 + 21 * lines) * scale;
  const float most = static_cast<float>(kMostPixelSide) / request.pixel_scale;
  request.height = std::min(std::max(request.height, std::ceil(needed)), most);
  return request;
}

CairoSurface drawn_pixels(const PictureRequest& request, const FontLibrary& fonts) {
  const auto pixels = [&](float px) { return static_cast<int>(px * request.pixel_scale + 0.5f); };
  CairoSurface surface(cairo_image_surface_create(CAIRO_FORMAT_RGB24, pixels(request.width),
                                                  pixels(request.height)));
  const CairoContext cairo(cairo_create(surface.get()));
  cairo_scale(cairo.get(), static_cast<double>(request.pixel_scale),
              static_cast<double>(request.pixel_scale));
  CairoCanvas canvas(cairo.get(), request.context.theme, fonts);
  draw_picture(canvas, request);
  cairo_surface_flush(surface.get());
  return surface;
}

void draw_picture(Canvas& canvas, const PictureRequest& request) {
  ViewContext context = request.context;
  context.on_paper = true;
  Pen pen(canvas, context);
  canvas.fill_rect({0, 0, request.width, request.height}, ColourRole::kBackground, 0);
  const Frame frame = frame_of(pen, request);
  if (frame.has_sentence) draw_sentence(pen, frame.sentence, sentence_of(request), Ink::kDrawn);
  if (request.page) {
    draw_page(canvas, frame.body, page_request(request, context));
  } else if (request.tuned) {
    draw_tuned_figure(canvas, frame.body, context, *request.tuned);
  } else if (request.chart) {
    draw_rate_figure(canvas, frame.body, context, *request.chart);
  } else if (request.part != nullptr) {
    draw_part(*request.part, canvas, frame.body, context);
  } else {
    draw_view(request.view, canvas, frame.picture, context);
  }
  if (frame.lines.empty()) return;
  float y = request.height - frame.footer + pen.px(13);
  pen.source_mark({frame.body.x + pen.px(4), y}, first_source(request), ColourRole::kDim);
  for (const std::string& line : frame.lines) {
    pen.text(frame.body.x + pen.px(14), y, line, pen.style(11, ColourRole::kDim));
    y += pen.px(kLine);
  }
}

FigureSize least_size(const PictureRequest& request) {
  const FontLibrary fonts;
  SvgCanvas canvas(request.width, request.height, request.context.theme, fonts);
  ViewContext context = request.context;
  context.on_paper = true;
  Pen pen(canvas, context);
  const FigureSize figure = least_figure(request, context);
  PictureRequest least = request;
  least.width = std::max(request.width, width_around(std::ceil(pen.px(figure.width)), request));
  // A few px at a time, for with a sentence its lines decide, without it the plot's share.
  for (least.height = std::ceil(pen.px(figure.height)); least.height < kMostPixelSide;
       least.height += 1) {
    const Frame frame = frame_of(pen, least);
    if (fits(pen, least, frame, figure)) break;
  }
  return {least.width, least.height};
}

Status check_size(const PictureRequest& request) {
  const FigureSize least = least_size(request);
  constexpr float kRounding = 0.5f;
  if (request.width + kRounding >= least.width && request.height + kRounding >= least.height) {
    return ok_status();
  }
  if (!request.paper.width.empty()) {
    const auto mm = [](float px) {
      return static_cast<int>(std::ceil(static_cast<double>(px) / kPxPerMm - 0.01));
    };
    return Error{
        ErrorCode::kUsage,
        fmt::format("{} needs at least {} x {} mm here, not {} x {}", title_of(request),
                    mm(least.width), mm(least.height), request.paper.width, request.paper.height),
        "Ask for that, for smaller text or for one part of it",
        {}};
  }
  const auto pixels = [&](float px) {
    return static_cast<int>(std::ceil(px * request.pixel_scale - 0.01f));
  };
  return Error{ErrorCode::kUsage,
               fmt::format("{} needs at least {} x {} pixels, not {} x {}", title_of(request),
                           pixels(least.width), pixels(least.height), pixels(request.width),
                           pixels(request.height)),
               fmt::format("Ask for {}x{} or more", pixels(least.width), pixels(least.height)),
               {}};
}

std::string svg_of(const PictureRequest& given) {
  const PictureRequest request = with_room(given);
  const FontLibrary fonts;
  SvgCanvas canvas(request.width, request.height, request.context.theme, fonts);
  draw_picture(canvas, request);
  const PaperSize& paper = request.paper;
  return canvas.document(
      title_of(request) + ": " + provenance_of(request).kernel, svg_metadata(request),
      paper.width.empty() ? std::string()
                          : fmt::format(R"(width="{}" height="{}")", paper.width, paper.height));
}

Result<std::string> picture_bytes(const PictureRequest& given, PictureFormat format) {
  const PictureRequest request = with_room(given);
  const bool is_drawn = format != PictureFormat::kCsv && format != PictureFormat::kJson;
  if (Status sound = is_drawn ? check_size(request) : ok_status(); !sound) return sound.error();
  switch (format) {
    case PictureFormat::kSvg:
      return svg_of(request);
    case PictureFormat::kPdf:
      return pdf_of(request);
    case PictureFormat::kPng:
      return png_of(request);
    case PictureFormat::kCsv:
      return csv_of(request);
    case PictureFormat::kJson:
      return json_of(request);
    case PictureFormat::kHtml:
      return page_of(request);
    case PictureFormat::kGif:
    case PictureFormat::kMp4:
      break;
  }
  return Error{ErrorCode::kUsage,
               "an animation is not a picture of one moment",
               "Use a file name ending in .svg, .pdf, .png, .csv or .json",
               {}};
}

Status export_view(const PictureRequest& request, const std::filesystem::path& file) {
  const auto format = picture_format(file);
  if (!format) return format.error();
  const auto bytes = picture_bytes(request, *format);
  if (!bytes) return bytes.error();
  return write_file(file, *bytes);
}

std::string file_size_text(const std::filesystem::path& file) {
  std::error_code failure;
  const std::uintmax_t size = std::filesystem::file_size(file, failure);
  return failure ? std::string("–") : format(static_cast<double>(size), Unit::kBytes);
}

}  // namespace tilescope
