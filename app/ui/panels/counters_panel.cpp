#include "ui/panels/counters_panel.h"

#include <imgui.h>

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "scene/pages/counted_lines.h"
#include "ui/drawing/sheet.h"
#include "ui/panels/counter_section.h"
#include "ui/panels/panel.h"

namespace tilescope {
namespace {

constexpr float kRow = 22;

struct Column {
  const char* title;
  float right;  // units from the right edge
  const char* meaning;
};
constexpr std::array kColumns{
    Column{"executed", 206, "Warp instructions of this line (smsp__inst_executed)."},
    Column{"cost", 122,
           "Sectors of 32 B that global accesses move "
           "(l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum, "
           "…_st.sum), wavefronts that shared ones take "
           "(l1tex__data_pipe_lsu_wavefronts_mem_shared.sum)."},
    Column{"ideal", 42, "The least that the same bytes could cost: dense sectors, no bank twice."},
    Column{"×", 0, "Actual over ideal."},
};

void draw_cost(Sheet& sheet, float y, std::uint64_t cost, std::uint64_t ideal) {
  const bool excess = cost > ideal;
  const float width = sheet.width();
  sheet.text(width - kColumns[1].right, y, short_count(cost),
             styled(12, excess ? ColourRole::kExcess : ColourRole::kStrong, Weight::kMedium,
                    Align::kRight));
  sheet.text(width - kColumns[2].right, y, short_count(ideal),
             styled(12, ColourRole::kText, Weight::kRegular, Align::kRight));
  const double ratio = ideal == 0 ? 0 : static_cast<double>(cost) / static_cast<double>(ideal);
  sheet.text(width, y, format(ratio, Unit::kNone),
             styled(12, excess ? ColourRole::kExcess : ColourRole::kIdeal, Weight::kMedium,
                    Align::kRight));
}

// One line of source and one kind of access: a row, or two for a copy that costs both.
float draw_line(Sheet& sheet, float y, const LineCounters& line, Variant& variant) {
  const bool chosen = variant.selection.line == line.line.line;
  const bool both = line.memory.sectors > 0 && line.memory.wavefronts > 0;
  const float height = both ? 2 * kRow : kRow;
  const Rect row{-8, y - kRow / 2, sheet.width() + 16, height};
  ImGui::PushID(static_cast<int>(y));
  const Touch touch = sheet.control("line", row);
  ImGui::PopID();
  Desk& desk = sheet.desk();
  if (touch.hovered) desk.touched_line = line.line.line;
  if (chosen || touch.hovered || desk.hovered_line == line.line.line) {
    sheet.canvas().fill_rect(row, chosen ? ColourRole::kRaised : ColourRole::kHover, 4);
  }
  if (touch.clicked) variant.selection.line = chosen ? 0 : line.line.line;
  sheet.text(20, y, std::to_string(line.line.line),
             styled(12, ColourRole::kDim, Weight::kRegular, Align::kRight));
  const float words_right = sheet.width() - 262;
  const bool global = line.space != MemorySpace::kShared;
  const std::string unit = global ? "sectors" : "wavefronts";
  const std::string what = access_words(line);
  sheet.fitted(30, std::max(words_right, 90.0F), y, what, styled(12));
  sheet.text(sheet.width() - kColumns[0].right, y, short_count(line.executed),
             styled(12, ColourRole::kText, Weight::kRegular, Align::kRight));
  if (line.memory.sectors > 0) {
    draw_cost(sheet, y, line.memory.sectors, line.memory.sectors_ideal);
    if (both) {
      y += kRow;
      sheet.text(30, y, "wavefronts of its write", styled(12, ColourRole::kDim));
    }
  }
  if (line.memory.wavefronts > 0) {
    draw_cost(sheet, y, line.memory.wavefronts, line.memory.wavefronts_ideal);
  }
  sheet.explain(row, "Line " + std::to_string(line.line.line) + ": " + what + ", in " + unit +
                         ". " + format_count(line.memory.requests) + " requests, " +
                         format_count(line.lanes) + " lanes in all.");
  return y + kRow;
}

std::string extent_of_counts(const Variant& variant, const LaunchCounters& counters) {
  if (counters.whole_grid) return "whole grid, exact";
  std::string words = format_count(counters.blocks_counted) + " of " +
                      format_count(variant.study->launch.grid.count()) + " blocks, scaled";
  if (variant.grid_pending) words += "; the rest is being counted";
  return words;
}

// "as issued | as written": whose instructions are counted.
void draw_choice_of_counts(Sheet& sheet, float y, const Variant& variant) {
  Desk& desk = sheet.desk();
  const bool known = variant.study->issued_counters != nullptr;
  const struct {
    const char* words;
    bool issued;
    const char* meaning;
  } choices[] = {
      {"as written", false,
       "Counted over the PTX: the accesses as the source and the front end wrote them."},
      {"as issued", true,
       "Counted over the cubin's own instructions, after ptxas merged, unrolled and dropped some: "
       "what the hardware's counters show."}};
  float right = sheet.width();
  for (const auto& choice : choices) {
    const bool on = desk.digest.issued == choice.issued;
    const bool can = known || !choice.issued;
    const TextStyle style = styled(11,
                                   on    ? ColourRole::kStrong
                                   : can ? ColourRole::kText
                                         : ColourRole::kFaint,
                                   on ? Weight::kSemibold : Weight::kRegular, Align::kCenter);
    const float width = sheet.canvas().text_width(choice.words, style) + 16;
    const Rect rect{right - width, y - 10, width, 20};
    if (on) sheet.canvas().fill_rect(rect, ColourRole::kHover, 5);
    sheet.text(rect.center().x, y, choice.words, style);
    if (sheet.control(choice.words, rect).clicked && can) desk.as_issued = choice.issued;
    const std::string why = variant.study->why_not_issued.empty()
                                ? "The machine code is still being counted."
                                : variant.study->why_not_issued;
    sheet.explain(rect, can ? choice.meaning : why);
    right -= width + 2;
  }
}

}  // namespace

void draw_counters_panel(Desk& desk) {
  Sheet sheet(desk);
  Variant& variant = desk.bench.active();
  float y = 8;
  sheet.text(0, y, "What each line costs", styled(13, ColourRole::kStrong, Weight::kSemibold));
  if (variant.study == nullptr || !variant.study->counters) {
    sheet.paragraph(0, y + 26, sheet.width(), "Counted once a block was traced.",
                    styled(12, ColourRole::kDim));
    return;
  }
  draw_choice_of_counts(sheet, y, variant);
  y += 24;
  const LaunchCounters& counters =
      desk.digest.issued ? *variant.study->issued_counters : *variant.study->counters;
  const std::string extent = extent_of_counts(variant, counters);
  const TextStyle extent_style = styled(11, ColourRole::kDim, Weight::kRegular, Align::kRight);
  sheet.text(sheet.width(), y, extent, extent_style);
  const bool exact = counters.whole_grid;
  sheet.mark({sheet.width() - sheet.canvas().text_width(extent, extent_style) - 10, y},
             exact ? Source::kEmulated : Source::kModelled, ColourRole::kDim);
  y += 26;
  y = draw_hardware_state(sheet, y) + 2;
  sheet.text(20, y, "line", styled(11, ColourRole::kDim, Weight::kRegular, Align::kRight));
  for (const Column& column : kColumns) {
    const float right = sheet.width() - column.right;
    sheet.text(right, y, column.title,
               styled(11, ColourRole::kDim, Weight::kRegular, Align::kRight));
    sheet.explain({right - 60, y - 9, 60, 18}, column.meaning);
  }
  y += 11;
  sheet.rule(0, sheet.width(), y);
  y += 13;
  for (const LineCounters& line : desk.digest.lines) y = draw_line(sheet, y, line, variant);
  y = draw_hardware_counters(sheet, y);
  const Finding* wanted = nullptr;
  for (std::size_t i = 0; i < variant.study->findings.size(); ++i) {
    const Finding& finding = variant.study->findings[i];
    const float top = y - 8;
    sheet.canvas().fill_rect({-8, top, 2, 16}, ColourRole::kExcess, 0);
    y = sheet.paragraph(0, y, sheet.width(), words_of(finding.kind) + ": " + finding.message,
                        styled(12, ColourRole::kExcess)) +
        4;
    ImGui::PushID(static_cast<int>(i));
    const Rect row{-8, top, sheet.width() + 16, y - top - 8};
    if (sheet.control("finding", row, "Goes to the line and the thread where it was found.")
            .clicked) {
      wanted = &finding;
    }
    ImGui::PopID();
  }
  if (wanted != nullptr) desk.bench.go_to(Finding(*wanted));
  sheet.finish(y);
}

}  // namespace tilescope
