#pragma once
#include <filesystem>
#include <string>

#include "core/result.h"
#include "export/cairo_types.h"
#include "export/font_library.h"
#include "export/picture_request.h"

namespace tilescope {

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

// Draws all that a picture holds, on any canvas.
void draw_picture(Canvas& canvas, const PictureRequest& request);

}  // namespace tilescope
