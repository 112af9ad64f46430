#include "export/page_figure.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <zlib.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string_view>
#include <utility>

#include "core/quantity.h"
#include "core/text.h"
#include "export/svg_canvas.h"

namespace tilescope {
namespace {

// "0-340,12,342-600"
std::string runs_of(const std::vector<std::size_t>& indices) {
  std::string text;
  for (std::size_t i = 0; i < indices.size();) {
    std::size_t end = i + 1;
    while (end < indices.size() && indices[end] == indices[end - 1] + 1) ++end;
    if (!text.empty()) text += ',';
    text += std::to_string(indices[i]);
    if (end > i + 1) text += "-" + std::to_string(indices[end - 1]);
    i = end;
  }
  return text;
}

// JSON as a page keeps it: as zlib packs it (RFC 1950), in base 64.
std::string packed(const nlohmann::ordered_json& value) {
  const std::string text =
      value.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
  uLongf size = compressBound(text.size());
  std::string bytes(size, '\0');
  compress2(reinterpret_cast<Bytef*>(bytes.data()), &size,
            reinterpret_cast<const Bytef*>(text.data()), text.size(), Z_BEST_COMPRESSION);
  bytes.resize(size);
  return base64(bytes);
}

std::string value_words(const DrawnNumber& number) {
  constexpr std::array kUnits{Unit::kBytes,          Unit::kSeconds, Unit::kFlopPerSecond,
                              Unit::kBytesPerSecond, Unit::kHertz,   Unit::kPercent,
                              Unit::kCycles};
  for (const Unit unit : kUnits) {
    if (symbol_of(unit) == number.unit) return format(number.value, unit);
  }
  const bool counts =
      number.value >= 0 && number.value < 1e15 && std::floor(number.value) == number.value;
  const std::string value = counts ? format_count(static_cast<std::uint64_t>(number.value))
                                   : format(number.value, Unit::kNone);
  return number.unit.empty() ? value : value + " " + number.unit;
}

std::string row_of(const DrawnNumber& number) {
  const std::string place = number.item.empty() ? number.part : number.part + ", " + number.item;
  return fmt::format("<tr><th>{}</th><td>{}</td><td>{}</td><td>{} {}</td></tr>", html_text(place),
                     html_text(number.name), html_text(value_words(number)),
                     marker_of(number.source), name_of(number.source));
}

// Where the axes stand at first, among the places.
std::size_t first_place(const std::vector<FigureAxis>& axes) {
  std::size_t place = 0;
  for (const FigureAxis& axis : axes) place = place * axis.values.size() + axis.at;
  return place;
}

}  // namespace

std::size_t PageFigure::Pool::index_of(const std::string& text) {
  const auto [found, is_new] = known_.emplace(text, texts_.size());
  if (is_new) texts_.push_back(text);
  return found->second;
}

bool PageFigure::look_alike(std::size_t a, std::size_t b) const {
  return frames_[a].elements == frames_[b].elements && frames_[a].rows == frames_[b].rows &&
         frames_[a].sentence == frames_[b].sentence;
}

// Leaves out axes along which no picture changes.
void PageFigure::drop_still_axes(std::vector<FigureAxis>* axes, std::vector<Place>* places) const {
  for (std::size_t axis = 0; axis < axes->size();) {
    std::size_t inner = 1;
    for (std::size_t i = axis + 1; i < axes->size(); ++i) inner *= (*axes)[i].values.size();
    const std::size_t count = (*axes)[axis].values.size();
    bool still = !(*axes)[axis].stays;
    for (std::size_t i = 0; i < places->size() && still; ++i) {
      still = look_alike((*places)[i].frame, (*places)[i - i / inner % count * inner].frame);
    }
    if (!still) {
      ++axis;
      continue;
    }
    std::vector<Place> kept;
    for (std::size_t i = 0; i < places->size(); ++i) {
      if (i / inner % count == (*axes)[axis].at) kept.push_back((*places)[i]);
    }
    *places = std::move(kept);
    axes->erase(axes->begin() + static_cast<std::ptrdiff_t>(axis));
  }
}

PageFigure::PageFigure(std::string id, std::string title, float width, float height)
    : id_(std::move(id)), title_(std::move(title)), width_(width), height_(height) {}

void PageFigure::add(const FigureFrame& frame) {
  Frame kept;
  for (const std::string& element :
       themed_elements(width_, height_, fonts_, id_ + "c", frame.draw)) {
    kept.elements.push_back(elements_.index_of(element));
  }
  for (const DrawnNumber& number : frame.numbers) {
    kept.rows.push_back(rows_.index_of(row_of(number)));
  }
  kept.sentence = words_.index_of(frame.sentence);
  kept.alternative = words_.index_of(html_text(frame.alternative));
  kept.caption = words_.index_of(frame.caption);
  const auto known = std::ranges::find(frames_, kept);
  places_.push_back({static_cast<std::size_t>(known - frames_.begin()),
                     words_.index_of(html_text(frame.moment))});
  if (known == frames_.end()) frames_.push_back(std::move(kept));
}

// The elements and rows of the frame that stands in the page are not written again: the script
// reads them there, and counts them from 0 in their order.
std::string PageFigure::data(const std::vector<FigureAxis>& axes, const std::vector<Place>& places,
                             std::size_t first) const {
  struct Written {
    const std::vector<std::string>& texts;
    std::vector<std::size_t> numbers;  // by index into texts
    std::size_t next = 0;
    nlohmann::ordered_json added = nlohmann::ordered_json::array();

    explicit Written(const Pool& pool)
        : texts(pool.texts()), numbers(pool.texts().size(), pool.texts().size()) {}
    std::string of(const std::vector<std::size_t>& indices) {
      std::vector<std::size_t> renamed;
      for (const std::size_t index : indices) {
        if (numbers[index] == texts.size()) {
          numbers[index] = next++;
          added.push_back(texts[index]);
        }
        renamed.push_back(numbers[index]);
      }
      return runs_of(renamed);
    }
    // Of those that are in the page each place has a number, also where an element is there twice.
    void begin_with(const std::vector<std::size_t>& indices) {
      for (const std::size_t index : indices) {
        if (numbers[index] == texts.size()) numbers[index] = next;
        ++next;
      }
    }
  };
  Written elements(elements_);
  Written rows(rows_);
  elements.begin_with(frames_[first].elements);
  rows.begin_with(frames_[first].rows);
  std::vector<std::size_t> order;  // of the frames that are shown
  nlohmann::ordered_json written = nlohmann::ordered_json::array();
  nlohmann::ordered_json shown = nlohmann::ordered_json::array();
  for (const auto& [frame, moment] : places) {
    const auto known = std::ranges::find(order, frame);
    shown.push_back({known - order.begin(), moment});
    if (known != order.end()) continue;
    order.push_back(frame);
    const Frame& kept = frames_[frame];
    written.push_back({elements.of(kept.elements), rows.of(kept.rows), kept.sentence,
                       kept.alternative, kept.caption});
  }
  nlohmann::ordered_json sizes = nlohmann::ordered_json::array();
  nlohmann::ordered_json at = nlohmann::ordered_json::array();
  for (const FigureAxis& axis : axes) {
    sizes.push_back(axis.values.size());
    at.push_back(axis.at);
  }
  return packed({{"sizes", std::move(sizes)},
                 {"places", std::move(shown)},
                 {"frames", std::move(written)},
                 {"words", words_.texts()},
                 {"rows", std::move(rows.added)},
                 {"elements", std::move(elements.added)}});
}

PageFigure::Made PageFigure::make(std::vector<FigureAxis> axes, const PageTemplate& with) const {
  std::vector<Place> places = places_;
  drop_still_axes(&axes, &places);
  const Place& first = places[first_place(axes)];
  const Frame& frame = frames_[first.frame];
  const auto joined = [](const std::vector<std::size_t>& indices, const Pool& pool) {
    std::string text;
    for (const std::size_t index : indices) text += pool.texts()[index] + "\n";
    if (!text.empty()) text.pop_back();
    return text;
  };
  const std::string& moment = words_.texts()[first.moment];
  std::string sliders;
  for (std::size_t i = 0; i < axes.size(); ++i) {
    const FigureAxis& axis = axes[i];
    const std::string value =
        axis.values[axis.at].empty() ? moment : html_text(axis.values[axis.at]);
    const std::string names = fmt::format("{}", fmt::join(axis.values, "|"));
    sliders += with.fill("slider", {{"id", id_ + "s" + std::to_string(i)},
                                    {"name", html_text(axis.name)},
                                    {"most", std::to_string(axis.values.size() - 1)},
                                    {"at", std::to_string(axis.at)},
                                    {"values", html_text(names)},
                                    {"value", value}});
  }
  const std::string& sentence = words_.texts()[frame.sentence];
  const std::string rows = joined(frame.rows, rows_);
  std::string parts;
  if (!sentence.empty()) parts += with.fill("sentence", {{"sentence", sentence}});
  parts += with.fill("picture", {{"id", id_},
                                 {"title", html_text(title_)},
                                 {"width", fmt::format("{}", width_)},
                                 {"height", fmt::format("{}", height_)},
                                 {"alternative", words_.texts()[frame.alternative]},
                                 {"elements", joined(frame.elements, elements_)}});
  if (!sliders.empty()) parts += with.fill("sliders", {{"sliders", sliders}});
  const std::string& caption = words_.texts()[frame.caption];
  if (!caption.empty()) parts += with.fill("caption", {{"caption", caption}});
  if (!rows.empty()) parts += with.fill("numbers", {{"rows", rows}});
  if (!axes.empty()) parts += with.fill("data", {{"data", data(axes, places, first.frame)}});
  return {with.fill("figure", {{"id", id_}, {"parts", parts}}), std::move(axes)};
}

std::vector<std::string> themed_elements(
    float width, float height, const FontLibrary& fonts, const std::string& ids,
    const std::function<void(Canvas& canvas, Theme theme)>& draw) {
  const auto drawn = [&](Theme theme, const std::string& own_ids) {
    SvgCanvas canvas(width, height, theme, fonts, SvgColours::kClasses, own_ids);
    draw(canvas, theme);
    return lines_of(canvas.body());
  };
  const std::vector<std::string> light = drawn(Theme::kLight, ids);
  const std::vector<std::string> dark = drawn(Theme::kDark, ids);
  const auto of_theme = [](std::string_view theme, const std::string& elements) {
    return fmt::format("<g class=\"{}\">{}</g>", theme, elements);
  };
  if (light.size() != dark.size()) {  // laid out otherwise: two pictures
    return {of_theme("light", fmt::format("{}", fmt::join(light, ""))),
            of_theme("dark", fmt::format("{}", fmt::join(drawn(Theme::kDark, ids + "d"), "")))};
  }
  std::vector<std::string> elements;
  for (std::size_t i = 0; i < light.size(); ++i) {
    if (light[i] == dark[i]) {
      elements.push_back(light[i]);
    } else {
      elements.push_back(of_theme("light", light[i]) + of_theme("dark", dark[i]));
    }
  }
  return elements;
}

std::string mark_html(Source source) {
  return fmt::format(
      "<span class=\"mark {0}\" title=\"{0}\">{1}<span class=\"unseen\"> {0}</span></span>",
      name_of(source), marker_of(source));
}

}  // namespace tilescope
