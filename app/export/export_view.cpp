#include "export/export_view.h"

#include <cairo-pdf.h>
#include <cairo.h>
#include <fmt/format.h>

#include <fstream>
#include <memory>

#include "export/cairo_canvas.h"
#include "export/svg_canvas.h"
#include "scene/pen.h"

namespace tilescope {
namespace {

struct SurfaceDeleter {
  void operator()(cairo_surface_t* surface) const { cairo_surface_destroy(surface); }
};
struct CairoDeleter {
  void operator()(cairo_t* cairo) const { cairo_destroy(cairo); }
};
using Surface = std::unique_ptr<cairo_surface_t, SurfaceDeleter>;
using Context = std::unique_ptr<cairo_t, CairoDeleter>;

constexpr double kPointsPerPx = 0.75;

Error cannot_write(const std::filesystem::path& file, std::string_view why) {
  return {ErrorCode::kMachine,
          fmt::format("{} cannot be written: {}", file.string(), why),
          "Choose a folder that exists and that you may write to",
          {}};
}

std::string values(const ParameterSet& set) {
  std::string text;
  for (const auto& [name, value] : set) {
    if (!text.empty()) text += ", ";
    text += fmt::format("{} {}", name, value);
  }
  return text;
}

// Words of all runs, broken into lines of at most `width`. Returns the height taken.
float draw_sentence(Pen& pen, const Rect& area, const Sentence& sentence) {
  const float line_height = pen.px(21);
  float x = area.x;
  float y = area.y + line_height / 2;
  for (const SentenceRun& run : sentence) {
    const TextStyle style = pen.style(15, run.strong ? ColourRole::kStrong : ColourRole::kText,
                                      run.strong ? Weight::kSemibold : Weight::kRegular);
    std::string_view rest = run.text;
    while (!rest.empty()) {
      // As many words as fit on this line, written in one piece.
      std::size_t taken = 0;
      while (taken < rest.size()) {
        const std::size_t space = rest.find(' ', taken + 1);
        const std::size_t end = std::min(space, rest.size());
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
      pen.text(x, y, rest.substr(0, taken), style);
      x += pen.width(rest.substr(0, taken), style);
      rest.remove_prefix(taken);
    }
  }
  return y + line_height / 2 - area.y;
}

Status write_png(const PictureRequest& request, const FontLibrary& fonts,
                 const std::filesystem::path& file) {
  const auto pixels = [&](float px) { return static_cast<int>(px * request.pixel_scale + 0.5f); };
  const Surface surface(cairo_image_surface_create(CAIRO_FORMAT_RGB24, pixels(request.width),
                                                   pixels(request.height)));
  const Context cairo(cairo_create(surface.get()));
  cairo_scale(cairo.get(), static_cast<double>(request.pixel_scale),
              static_cast<double>(request.pixel_scale));
  CairoCanvas canvas(cairo.get(), request.context.theme, fonts);
  draw_picture(canvas, request);
  const cairo_status_t status = cairo_surface_write_to_png(surface.get(), file.c_str());
  if (status != CAIRO_STATUS_SUCCESS) return cannot_write(file, cairo_status_to_string(status));
  return ok_status();
}

Status write_pdf(const PictureRequest& request, const FontLibrary& fonts,
                 const std::filesystem::path& file) {
  const Surface surface(
      cairo_pdf_surface_create(file.c_str(), static_cast<double>(request.width) * kPointsPerPx,
                               static_cast<double>(request.height) * kPointsPerPx));
  cairo_pdf_surface_set_metadata(surface.get(), CAIRO_PDF_METADATA_TITLE,
                                 provenance(*request.context.study).c_str());
  const Context cairo(cairo_create(surface.get()));
  cairo_scale(cairo.get(), kPointsPerPx, kPointsPerPx);
  {
    CairoCanvas canvas(cairo.get(), request.context.theme, fonts);
    draw_picture(canvas, request);
  }
  cairo_surface_finish(surface.get());
  const cairo_status_t status = cairo_surface_status(surface.get());
  if (status != CAIRO_STATUS_SUCCESS) return cannot_write(file, cairo_status_to_string(status));
  return ok_status();
}

}  // namespace

Result<PictureFormat> picture_format(const std::filesystem::path& file) {
  const std::string ending = file.extension().string();
  if (ending == ".svg") return PictureFormat::kSvg;
  if (ending == ".pdf") return PictureFormat::kPdf;
  if (ending == ".png") return PictureFormat::kPng;
  return Error{ErrorCode::kUsage,
               fmt::format("'{}' names no picture format", file.string()),
               "End the file's name in .svg, .pdf or .png",
               {}};
}

std::string provenance(const KernelStudy& study) {
  std::string text = study.instance.id;
  if (!study.instance.parameters.empty()) text += " · " + values(study.instance.parameters);
  if (!study.instance.extents.empty()) text += " · " + values(study.instance.extents);
  text += " · emulated";
  if (study.compiled && !study.compiled->architecture.empty())
    text += ", " + study.compiled->architecture;
  if (study.compiled && !study.compiled->compiler.empty()) text += ", " + study.compiled->compiler;
  return text;
}

void draw_picture(Canvas& canvas, const PictureRequest& request) {
  Pen pen(canvas, request.context);
  const Rect page{0, 0, request.width, request.height};
  canvas.fill_rect(page, ColourRole::kBackground, 0);
  const float margin = std::min(24.0f, request.width * 0.02f + 4.0f);
  const Rect inside{margin, pen.px(14), request.width - 2 * margin, request.height};
  const float sentence = draw_sentence(pen, inside, sentence_of(request.view, request.context));
  const float footer = pen.px(26);
  const float top = inside.y + sentence + pen.px(8);
  draw_view(request.view, canvas, {0, top, request.width, request.height - top - footer},
            request.context);
  const float y = request.height - footer / 2;
  pen.source_mark({margin + pen.px(4), y}, Source::kEmulated, ColourRole::kDim);
  const TextStyle style = pen.style(11, ColourRole::kDim);
  const float x = margin + pen.px(14);
  pen.text(x, y, pen.fitted(provenance(*request.context.study), style, request.width - margin - x),
           style);
}

std::string svg_of(const PictureRequest& request) {
  const FontLibrary fonts;
  SvgCanvas canvas(request.width, request.height, request.context.theme, fonts);
  draw_picture(canvas, request);
  return canvas.document(provenance(*request.context.study));
}

Status export_view(const PictureRequest& request, const std::filesystem::path& file) {
  const auto format = picture_format(file);
  if (!format) return format.error();
  const FontLibrary fonts;
  if (*format == PictureFormat::kPng) return write_png(request, fonts, file);
  if (*format == PictureFormat::kPdf) return write_pdf(request, fonts, file);
  std::ofstream out(file, std::ios::binary);
  out << svg_of(request);
  out.flush();
  if (!out) return cannot_write(file, "the file could not be opened or filled");
  return ok_status();
}

}  // namespace tilescope
