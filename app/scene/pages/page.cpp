#include "scene/pages/page.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "scene/pages/counters_page.h"
#include "scene/view/empty_view.h"

namespace tilescope {
namespace {

// To add a page: a row here.
struct PageDescription {
  Page page;
  std::string_view name;
  std::string_view title;
  FigureSize least;
  float (*height)(const PageRequest& request);
  void (*draw)(Pen& pen, const Rect& area, const PageRequest& request);
  void (*numbers)(NumberList& list, const PageRequest& request);
};
constexpr std::array kDescriptions{
    PageDescription{Page::kSource,
                    "source",
                    "Source",
                    {480, 120},
                    height_of_source,
                    draw_source_page,
                    add_source_numbers},
    PageDescription{Page::kCounters,
                    "counters",
                    "Counters",
                    {480, 120},
                    height_of_counters,
                    draw_counters_page,
                    add_counter_numbers},
};

const PageDescription& description_of(Page page) {
  return *std::ranges::find(kDescriptions, page, &PageDescription::page);
}

// The line that costs most more than it must, in one unit.
struct Excess {
  std::size_t line = 0;  // 0: none costs more
  std::uint64_t cost = 0;
  std::uint64_t ideal = 0;
};

Excess worst_of(const std::vector<CountedLine>& lines, std::uint64_t CountedLine::*cost,
                std::uint64_t CountedLine::*ideal) {
  Excess worst;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const std::uint64_t own = lines[i].*cost;
    const std::uint64_t least = lines[i].*ideal;
    if (own <= least || own - least <= worst.cost - worst.ideal) continue;
    worst = {i + 1, own, least};
  }
  return worst;
}

}  // namespace

std::span<const Page> all_pages() {
  static constexpr auto kPages = [] {
    std::array<Page, kDescriptions.size()> pages{};
    std::ranges::transform(kDescriptions, pages.begin(), &PageDescription::page);
    return pages;
  }();
  return kPages;
}

std::string_view name_of(Page page) { return description_of(page).name; }
std::string_view title_of(Page page) { return description_of(page).title; }

std::optional<Page> parse_page(std::string_view name) {
  const auto* found = std::ranges::find(kDescriptions, name, &PageDescription::name);
  if (found == kDescriptions.end()) return std::nullopt;
  return found->page;
}

ViewNeeds needs_of(Page page) {
  return {.registers = true, .issued = true, .hardware = page == Page::kCounters};
}

Sentence sentence_of(const PageRequest& request) {
  const auto lines = counted_lines(request, source_lines(*request.context.study).size());
  const Excess global = worst_of(lines, &CountedLine::sectors, &CountedLine::sectors_ideal);
  const Excess shared = worst_of(lines, &CountedLine::wavefronts, &CountedLine::wavefronts_ideal);
  if (global.line == 0 && shared.line == 0) {
    return {{"No line costs more than the minimum for its bytes: ", false},
            {"no extra sectors, no extra wavefronts", true},
            {".", false}};
  }
  Sentence sentence;
  if (global.line != 0) {
    sentence.push_back({fmt::format("Line {} moves ", global.line), false});
    sentence.push_back({format_count(global.cost) + " sectors", true});
    sentence.push_back(
        {fmt::format(" of 32 B; {} would be enough", format_count(global.ideal)), false});
  }
  if (shared.line != 0) {
    sentence.push_back(
        {fmt::format("{} {} takes ", global.line != 0 ? "; line" : "Line", shared.line), false});
    sentence.push_back({format_count(shared.cost) + " wavefronts", true});
    sentence.push_back(
        {fmt::format(" of shared memory; {} would be enough", format_count(shared.ideal)), false});
  }
  sentence.push_back({".", false});
  return sentence;
}

FigureSize least_size(Page page) { return description_of(page).least; }

float height_of(const PageRequest& request) {
  return description_of(request.page).height(request) * request.context.text_scale;
}

void draw_page(Canvas& canvas, const Rect& area, const PageRequest& request) {
  Pen pen(canvas, request.context);
  if (!has_room(pen, area, least_size(request.page))) return;
  description_of(request.page).draw(pen, area, request);
}

std::vector<DrawnNumber> numbers_of(const PageRequest& request) {
  NumberList list;
  description_of(request.page).numbers(list, request);
  return list.take();
}

}  // namespace tilescope
