#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "core/result.h"
#include "export/export_view.h"
#include "export/page_figure.h"
#include "export/page_template.h"

namespace tilescope {

// A picture with what it points into.
struct KeptPicture {
  PictureRequest request;
  std::shared_ptr<const void> kept;
};

// px of a picture in a page: its text is then as large as beside it.
inline constexpr int kPageWidth = 960;
inline constexpr int kPageHeight = 520;
inline constexpr std::size_t kMostPageMoments = 12;
inline constexpr std::size_t kMostPageValues = 12;

// What a figure of a page is made of: the picture for each value of a parameter, each at several
// moments of the block's time, where its view shows time.
struct PictureFrames {
  std::string parameter = {};              // "PAD"; empty: there is one picture
  std::vector<std::string> values = {""};  // of the parameter
  std::size_t at = 0;                      // the value that is shown first
  std::size_t moments = kMostPageMoments;
  std::function<Result<KeptPicture>(std::size_t value)> picture;
};

// Words of pictures that a page says beside them.
enum class FigureWords : std::uint8_t {
  kAll,      // sentence, caption, numbers
  kCaption,  // the page has a text of its own
};

// The figure, with what its first picture is called and says. The first error of `picture`; kUsage:
// it is too small (check_size()).
struct PictureFigure {
  PageFigure::Made made;
  std::string title;
  std::string sentence;
};
[[nodiscard]] Result<PictureFigure> figure_of(const std::string& id, const PictureFrames& frames,
                                              FigureWords words, const PageTemplate& with);

// A whole page with that figure: the bytes of an .html file.
[[nodiscard]] Result<std::string> page_of(const PictureFrames& frames);
// Of one picture, which `request` points into, with its moments.
[[nodiscard]] Result<std::string> page_of(const PictureRequest& request);

}  // namespace tilescope
