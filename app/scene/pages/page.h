#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "scene/view/drawn_numbers.h"
#include "scene/view/empty_view.h"
#include "scene/view/view.h"
#include "scene/view/view_descriptor.h"

namespace tilescope {

// What stands in panels beside the views, as a picture of its own: the source with what each of its
// lines costs, and the table of counters. Of a whole launch, so time and selection mean nothing to
// it but the line that is marked.
enum class Page : std::uint8_t { kSource, kCounters };
[[nodiscard]] std::span<const Page> all_pages();
[[nodiscard]] std::string_view name_of(Page page);   // "source"
[[nodiscard]] std::string_view title_of(Page page);  // "Source"
[[nodiscard]] std::optional<Page> parse_page(std::string_view name);
[[nodiscard]] ViewNeeds needs_of(Page page);

// A page and what it is drawn from. Precondition: context.study has counters.
struct PageRequest {
  Page page = Page::kSource;
  const ViewContext& context;
  bool as_issued = true;      // the machine code's counts, where they are known; else as written
  bool side_by_side = false;  // of the source: its PTX and machine code beside it
};
[[nodiscard]] Sentence sentence_of(const PageRequest& request);
// px that all its rows take, at the context's text scale.
[[nodiscard]] float height_of(const PageRequest& request);
// What a page needs at the least: some of its rows, with all of their columns.
[[nodiscard]] FigureSize least_size(Page page);
// As many rows as fit; what is left out is counted in words.
void draw_page(Canvas& canvas, const Rect& area, const PageRequest& request);
// Of all rows.
[[nodiscard]] std::vector<DrawnNumber> numbers_of(const PageRequest& request);

}  // namespace tilescope
