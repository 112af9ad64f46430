#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "export/font_library.h"
#include "export/page_template.h"
#include "scene/drawing/canvas.h"
#include "scene/drawing/palette.h"
#include "scene/view/drawn_numbers.h"

namespace tilescope {

// A slider of a figure.
struct FigureAxis {
  std::string name;                 // "PAD", "time"
  std::vector<std::string> values;  // "0", "1"; empty words: each frame says its own
  std::size_t at = 0;               // where it stands at first
  bool stays = false;               // also where no picture changes along it
};

// What a figure shows where its sliders stand at one place.
struct FigureFrame {
  std::function<void(Canvas& canvas, Theme theme)> draw;
  std::string sentence;              // HTML, above the picture; may be empty
  std::string alternative;           // of the picture, for those who do not see it
  std::string caption;               // HTML, below it: kernel, size, where numbers come from
  std::string moment;                // where time stands; read at its slider
  std::vector<DrawnNumber> numbers;  // in the table below; empty: no table
};

// A picture of a page, with sliders between pictures made beforehand. Of each frame only those
// elements are kept that no other frame has; light and dark are one picture, whose colours are
// classes. The same frames give the same bytes.
class PageFigure {
 public:
  // `id`: unique on its page. Frames are as large, in px.
  PageFigure(std::string id, std::string title, float width, float height);

  // In the order of the axes, the last of which runs fastest.
  void add(const FigureFrame& frame);
  // As HTML, and the sliders that it has: an axis along which nothing changes is left out.
  // Precondition: as many frames were added as the axes have places.
  struct Made {
    std::string html;
    std::vector<FigureAxis> axes;
  };
  [[nodiscard]] Made make(std::vector<FigureAxis> axes, const PageTemplate& with) const;

 private:
  // Texts, each once, in the order in which they were first needed.
  class Pool {
   public:
    std::size_t index_of(const std::string& text);
    [[nodiscard]] const std::vector<std::string>& texts() const { return texts_; }

   private:
    std::vector<std::string> texts_;
    std::map<std::string, std::size_t, std::less<>> known_;
  };
  // Indices of a frame's parts in the pools.
  struct Frame {
    std::vector<std::size_t> elements;
    std::vector<std::size_t> rows;
    std::size_t sentence = 0;
    std::size_t alternative = 0;
    std::size_t caption = 0;
    friend auto operator<=>(const Frame&, const Frame&) = default;
  };
  // Where the sliders stand at one place.
  struct Place {
    std::size_t frame = 0;   // index into frames_
    std::size_t moment = 0;  // into words_
  };
  [[nodiscard]] bool look_alike(std::size_t a, std::size_t b) const;  // indices into frames_
  void drop_still_axes(std::vector<FigureAxis>* axes, std::vector<Place>* places) const;
  [[nodiscard]] std::string data(const std::vector<FigureAxis>& axes,
                                 const std::vector<Place>& places, std::size_t first) const;

  std::string id_;
  std::string title_;
  float width_;
  float height_;
  FontLibrary fonts_;
  Pool elements_;  // of SVG
  Pool rows_;      // of the table
  Pool words_;
  std::vector<Frame> frames_;  // each once
  std::vector<Place> places_;  // in the order in which they were added
};

// A drawing as elements of SVG, one a line, whose colours are the page's classes. What differs
// between light and dark, as letters on a coloured ground, is there twice.
[[nodiscard]] std::vector<std::string> themed_elements(
    float width, float height, const FontLibrary& fonts, const std::string& ids,
    const std::function<void(Canvas& canvas, Theme theme)>& draw);

// "●&nbsp;measured": a mark with its word for those who do not see it.
[[nodiscard]] std::string mark_html(Source source);

}  // namespace tilescope
