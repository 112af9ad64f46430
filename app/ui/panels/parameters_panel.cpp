#include "ui/panels/parameters_panel.h"

#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <string>
#include <vector>

#include "analysis/occupancy_limits.h"
#include "kernel/entry_words.h"
#include "kernel/gemm_factors.h"
#include "ui/desk/view_context.h"
#include "ui/drawing/sheet.h"
#include "ui/panels/launch_form.h"
#include "ui/panels/panel.h"
#include "ui/panels/parameter_slider.h"
#include "ui/panels/size_fields.h"

namespace tilescope {
namespace {

constexpr float kWatchLine = 16;

std::string difference(const ParameterSet& wanted, const ParameterSet& now) {
  std::string text;
  for (const auto& [name, value] : wanted) {
    const auto old = now.find(name);
    if (old != now.end() && old->second == value) continue;
    text += (text.empty() ? "" : ", ") + name + " " + std::to_string(value);
  }
  return text;
}

// A broken rule: its words, what would be legal, and the way back as a button.
float draw_violation(Sheet& sheet, float y, const RuleViolation& violation) {
  Workbench& bench = sheet.desk().bench;
  sheet.canvas().fill_rect({-8, y - 8, 2, 16}, ColourRole::kExcess, 0);
  y = sheet.paragraph(0, y, sheet.width(), violation.message,
                      styled(12, ColourRole::kExcess, Weight::kMedium));
  for (const auto& [name, values] : violation.legal_values) {
    std::string list;
    for (const std::int64_t value : values)
      list += (list.empty() ? "" : ", ") + std::to_string(value);
    y = sheet.paragraph(
        0, y, sheet.width(),
        name + (list.empty() ? ": no value is legal here" : ": " + list + " would be legal"),
        styled(12, ColourRole::kDim));
  }
  if (!violation.nearest_legal.empty()) {
    const std::string change = difference(violation.nearest_legal, bench.active().parameters);
    y += 4;
    const Rect button{0, y - 8, sheet.width(), 26};
    const bool pressed = sheet.push("nearest legal", button, "Use " + change);
    sheet.explain(button, "The nearest values that keep every rule.");
    if (pressed) bench.apply(violation.nearest_legal);
    y += 30;
  }
  return y + 4;
}

// What the kernel is worth looking at for: a click opens the view, with the values to try there.
// The words stand below where the window is large, else in the hover.
float draw_watch(Sheet& sheet, float y, const CatalogueEntry& entry, const Watch& watch) {
  Desk& desk = sheet.desk();
  const auto view = parse_view(watch.view);
  if (!view) return y;
  const TextStyle body = styled(12, ColourRole::kDim);
  std::vector<std::string> words;
  if (!desk.compact) {
    // As wide as beside a scroll bar in any case: whether there is one depends on the lines.
    const float bar = ImGui::GetScrollMaxY() > 0 ? 0 : ImGui::GetStyle().ScrollbarSize;
    words = sheet.lines_of(watch.words, sheet.width() - bar / sheet.scale(), body);
  }
  const Rect rect{-8, y - 9, sheet.width() + 16,
                  2 + kWatchLine * static_cast<float>(1 + words.size())};
  const Touch touch = sheet.control("watch", rect);
  if (touch.hovered) sheet.canvas().fill_rect(rect, ColourRole::kHover, 4);
  sheet.fitted(0, sheet.width(), y, "Watch " + place_of(watch),
               styled(12, touch.hovered ? ColourRole::kStrong : ColourRole::kFirst));
  y += kWatchLine;
  for (const std::string& line : words) {
    sheet.text(0, y, line, body);
    y += kWatchLine;
  }
  sheet.explain(rect, words.empty() ? watch.words + " A click shows it." : "A click shows it.");
  if (touch.clicked) {
    desk.raise = *view;
    const auto values = complete_parameters(entry, watch.parameters);
    if (values && !watch.parameters.empty()) desk.bench.apply(*values);
  }
  return y + 6;
}

constexpr float kLectureFoot = 88;
constexpr float kLeastSlider = 34;   // units
constexpr float kExtentsBelow = 56;  // height of the extents below their name, with what is above

// The height of a slider in a small window: eight take little more room than seven, for the panel
// has no more.
float compact_height(std::size_t sliders) {
  constexpr float kOwn = 37;
  constexpr float kRoom = 276;  // beside the sizes, the factors and what to watch
  return sliders == 0 ? kOwn : std::clamp(kRoom / static_cast<float>(sliders), kLeastSlider, kOwn);
}

// The height of a slider, less where a lecture's foot would be pushed out of the panel.
float slider_height(const Sheet& sheet, float y, std::size_t sliders) {
  const Desk& desk = sheet.desk();
  const float own = desk.compact ? compact_height(sliders) : kSliderHeight;
  if (!desk.lecture || sliders == 0) return own;
  const CatalogueEntry& entry = *desk.bench.active().entry;
  const float factors = factor_names(entry).empty() ? 0 : kFactorsHeight;
  const float room = sheet.height() - y - kExtentsBelow - factors - 8 - kLectureFoot;
  return std::clamp(room / static_cast<float>(sliders), kLeastSlider, own);
}

// What a lecture has here and the other arrangements elsewhere: the selection and the marks of
// where numbers come from, at the foot of the panel or below its contents. Returns the y below.
float draw_lecture_foot(Sheet& sheet, float y) {
  const Variant& variant = sheet.desk().bench.active();
  const float top = std::max(y + 8, sheet.height() - kLectureFoot);
  sheet.rule(0, sheet.width(), top);
  if (variant.study != nullptr) {
    sheet.paragraph(0, top + 16, sheet.width(), selection_words(variant),
                    styled(12.5F, ColourRole::kText, Weight::kMedium));
  }
  sheet.source_legend(top + kLectureFoot - 10, 13);
  return top + kLectureFoot;
}

// As many of them as the room holds, the first in any case.
std::string first_words(const Sheet& sheet, std::string words, const TextStyle& style, float room) {
  for (std::size_t end = words.rfind(' ');
       end != std::string::npos && sheet.canvas().text_width(words, style) > room;
       end = words.rfind(' ')) {
    words.resize(end);
  }
  return words;
}

}  // namespace

void draw_parameters_panel(Desk& desk) {
  Sheet sheet(desk, desk.lecture ? 1.3F : 1.0F);
  Workbench& bench = desk.bench;
  float y = 8;
  if (bench.active().own) {
    sheet.text(0, y, "LAUNCH", heading_style());
    y = draw_launch_form(sheet, y + 28);
    sheet.finish(y);
    desk.panel_used["Parameters"] = y + 24;
    return;
  }
  sheet.text(0, y, "PARAMETERS", heading_style());
  if (bench.active().entry == nullptr) {
    y = sheet.paragraph(0, y + 26, sheet.width(), "Choose a kernel above.",
                        styled(12, ColourRole::kDim));
    sheet.finish(y);
    desk.panel_used["Parameters"] = y + 24;
    return;
  }
  const Rect reset{sheet.width() - 36, y - 9, 36, 18};
  const Touch touch =
      sheet.control("reset", reset, "All parameters as the kernel comes with them.");
  sheet.text(sheet.width(), y, "reset",
             styled(12, touch.hovered ? ColourRole::kStrong : ColourRole::kFirst, Weight::kRegular,
                    Align::kRight));
  if (touch.clicked) bench.reset_parameters();
  y += 26;
  const CatalogueEntry& entry = *bench.active().entry;
  const float height = slider_height(sheet, y, entry.parameters.size());
  if (desk.focused_parameter.empty() && !entry.parameters.empty()) {
    desk.focused_parameter = entry.parameters.front().name;
  }
  for (const ParameterSpec& spec : entry.parameters) {
    const auto found = bench.active().parameters.find(spec.name);
    const std::int64_t value =
        found != bench.active().parameters.end() ? found->second : spec.default_value;
    if (const auto chosen = draw_parameter_slider(sheet, y, spec, value, height)) {
      bench.set_parameter(spec.name, *chosen);
    }
    y += height;
  }
  y = draw_factors(sheet, draw_extents(sheet, y + 2));
  const std::string& not_here = bench.active().not_here;
  if (!not_here.empty()) {
    y = sheet.paragraph(
        0, y + 14, sheet.width(),
        fmt::format("{}. Shown as on an {}.", not_here, bench.device_model(bench.active()).name),
        styled(12, ColourRole::kText));
  }
  // A copy: applying the way back changes the list.
  const std::vector<RuleViolation> violations = bench.active().violations;
  for (const RuleViolation& violation : violations) {
    ImGui::PushID(violation.message.c_str());
    y = draw_violation(sheet, y + 6, violation);
    ImGui::PopID();
  }
  if (!entry.watch.empty() && !desk.lecture)
    y = draw_watch(sheet, y + 2, entry, entry.watch.front());
  if (desk.lecture) y = draw_lecture_foot(sheet, y);
  sheet.finish(y - 8);
  desk.panel_used["Parameters"] = y + 16;
}

void draw_costs_panel(Desk& desk) {
  Sheet sheet(desk);
  const Variant& variant = desk.bench.active();
  const KernelStudy* study = variant.study.get();
  const Paint ink = variant.study_pending || !variant.violations.empty() || variant.error
                        ? ColourRole::kDim
                        : ColourRole::kStrong;
  const float pitch = desk.compact ? 18 : 21;
  float y = 6;
  const auto row = [&](const char* name, const std::string& value, const std::string& between,
                       const std::string& meaning) {
    const TextStyle style = styled(13, ink, Weight::kSemibold, Align::kRight);
    const TextStyle aside = styled(12, ColourRole::kSecond, Weight::kRegular, Align::kRight);
    sheet.text(sheet.width(), y, value, style);
    const TextStyle quiet = styled(13, ColourRole::kDim);
    const float right = sheet.width() - sheet.canvas().text_width(value, style) - 8;
    if (!between.empty()) sheet.text(right, y, between, aside);
    const float room = right - sheet.canvas().text_width(between, aside) - 8;
    sheet.text(0, y, first_words(sheet, name, quiet, room), quiet);
    sheet.explain({0, y - 10, sheet.width(), 20}, meaning);
    y += pitch;
  };
  const bool known = study != nullptr && study->compiled && study->compiled->has_resources;
  const std::string none = "–";
  row("Threads per block", study != nullptr ? format_count(study->launch.block.count()) : none, "",
      "Threads of one block: the product of its extents. At most 1,024.");
  row("Registers per thread",
      known ? format_count(static_cast<std::uint64_t>(study->compiled->resources.registers)) : none,
      known && study->compiled->resources.spill_store_bytes > 0
          ? "spills " + format(study->compiled->resources.spill_store_bytes, Unit::kBytes)
          : "",
      "Registers that ptxas gave each thread. More of them leave room for fewer blocks.");
  row("Shared per block",
      known ? format(static_cast<double>(study->compiled->resources.static_shared_bytes) +
                         study->launch.dynamic_shared_bytes,
                     Unit::kBytes)
            : none,
      "", "Shared memory that one block holds while it runs, static and dynamic.");
  const bool occupied = study != nullptr && study->occupancy.has_value();
  row("Blocks per SM",
      occupied ? std::to_string(study->occupancy->blocks_per_multiprocessor) : none, "",
      "Blocks that one multiprocessor holds at once, and what stops the next one.");
  // On a line of its own, there are up to four of them; which stays where there is none, so that
  // nothing above it moves when a picture arrives.
  if (occupied) {
    sheet.text(sheet.width(), y - (desk.compact ? 1 : 3),
               "limit: " + limits_in_words(*study->occupancy),
               styled(12, ColourRole::kSecond, Weight::kRegular, Align::kRight));
  }
  sheet.explain({0, y - 10, sheet.width(), 18},
                "What an SM has no more of for another block: all that end at the same count.");
  y += desk.compact ? 16 : 18;
  if (study != nullptr && study->compiled && !study->compiled->why_nvcc.empty()) {
    row("Compiled by", study->compiled->compiler, "", note_on_compiler(*study->compiled));
  }
  desk.panel_used["Costs"] = y + (desk.compact ? 15 : 18);
  sheet.finish(y - 8);
}

}  // namespace tilescope
