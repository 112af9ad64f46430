#include "ui/panels/source_panel.h"

#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "ui/actions.h"
#include "ui/drawing/sheet.h"
#include "ui/panels/panel.h"
#include "ui/panels/source_head.h"

namespace tilescope {
namespace {

constexpr float kFooter = 34;
constexpr float kProblemRow = 22;
constexpr float kProblemLine = 16;  // each further line of a problem
constexpr float kProblemText = 54;  // where its words begin
constexpr std::size_t kMostProblems = 3;
constexpr std::size_t kMostProblemLines = 3;

TextStyle more_style() { return styled(11, ColourRole::kDim, Weight::kRegular, Align::kRight); }

const SourceMark* mark_at(const std::vector<SourceMark>& marks, std::uint32_t line) {
  const auto found = std::ranges::find(marks, line, &SourceMark::line);
  return found != marks.end() ? &*found : nullptr;
}

// What is wrong at a line, as it is written below the text.
struct Complaint {
  SourceMark mark;                 // a copy: acting on it may make the marks anew
  std::vector<std::string> lines;  // of its words; what is over stands in the last one
  float room = 0;                  // units that a line may take
  std::string more;                // "and 2 more", behind the last one that is shown
  [[nodiscard]] float height() const {
    return kProblemRow + kProblemLine * static_cast<float>(lines.size() - 1);
  }
};

std::vector<Complaint> problems_of(const Sheet& sheet, const std::vector<SourceMark>& marks) {
  std::vector<Complaint> problems;
  const std::size_t shown = std::min(marks.size(), kMostProblems);
  for (std::size_t i = 0; i < shown; ++i) {
    Complaint problem{marks[i], {}, 0, {}};
    problem.room = sheet.width() - kProblemText - 12;
    if (i + 1 == shown && marks.size() > shown) {
      problem.more = "and " + std::to_string(marks.size() - shown) + " more";
      problem.room -= sheet.canvas().text_width(problem.more, more_style()) + 8;
    }
    const std::string words = problem.mark.words.substr(0, problem.mark.words.find('\n'));
    problem.lines = sheet.lines_of(words, problem.room, styled(12));
    while (problem.lines.size() > kMostProblemLines) {
      std::string last = std::move(problem.lines.back());
      problem.lines.pop_back();
      problem.lines.back() += " " + last;
    }
    problems.push_back(std::move(problem));
  }
  return problems;
}

// One row each: the line and what is wrong there. A click goes there.
void draw_problems(Sheet& sheet, float y, const std::vector<Complaint>& problems) {
  Desk& desk = sheet.desk();
  for (std::size_t i = 0; i < problems.size(); ++i) {
    const Complaint& problem = problems[i];
    const SourceMark& mark = problem.mark;
    const Rect row{0, y, sheet.width(), problem.height()};
    ImGui::PushID(static_cast<int>(i));
    const Touch touch = sheet.control("problem", row);
    ImGui::PopID();
    if (touch.hovered) sheet.canvas().fill_rect(row, ColourRole::kHover, 0);
    sheet.canvas().fill_rect({0, y, 2, row.h}, ColourRole::kExcess, 0);
    sheet.text(44, y + kProblemRow / 2, std::to_string(mark.line),
               styled(12, ColourRole::kExcess, Weight::kSemibold, Align::kRight));
    float line_y = y + kProblemRow / 2;
    for (const std::string& line : problem.lines) {
      sheet.fitted(kProblemText, kProblemText + problem.room, line_y, line, styled(12));
      line_y += kProblemLine;
    }
    sheet.text(sheet.width() - 12, line_y - kProblemLine, problem.more, more_style());
    sheet.explain(row, mark.words);
    if (touch.clicked) {
      if (mark.finding) desk.bench.go_to(*mark.finding);
      desk.source_tab = source_language(desk.bench.active());
      desk.sought_line = mark.line;
    }
    y += row.h;
  }
}

std::string state_of(const Variant& variant, std::size_t problems) {
  // An error that stands from the text before is one alone.
  const bool refused = variant.study_pending && !variant.errors.empty();
  if (refused) return "NVRTC refuses it, nvcc is asked …";
  if (variant.study_pending) return variant.is_edited() ? "edited, compiling …" : "compiling …";
  const std::string origin = variant.is_edited()        ? "edited"
                             : variant.entry != nullptr ? "as it ships"
                                                        : "as it was opened";
  if (variant.error) {
    const std::size_t errors = variant.errors.size();
    return origin + ", does not compile" +
           (errors > 1 ? ": " + std::to_string(errors) + " errors, F8 to the next" : "");
  }
  if (problems > 0) {
    return origin + ", " + std::to_string(problems) + (problems == 1 ? " finding" : " findings");
  }
  const bool checked = (variant.own || variant.is_edited()) && !variant.grid_pending;
  return checked && variant.study != nullptr ? origin + ", no findings" : origin;
}

void draw_beside(Sheet& sheet, const Rect& rect) {
  Desk& desk = sheet.desk();
  const bool on = desk.source_beside;
  if (sheet.push("beside", rect, on ? "One text" : "Side by side")) set_side_by_side(desk, !on);
  sheet.explain(rect, on ? "One text at a time, beside the views (B)."
                         : "CUDA, PTX and SASS side by side, as many as there is room for (B). A "
                           "line that is chosen in one is marked in all.");
}

// The switch between reading and writing, the way back, and how the text stands.
void draw_footer(Sheet& sheet, float y, const Variant& variant) {
  Desk& desk = sheet.desk();
  sheet.rule(0, sheet.width(), y);
  const float middle = y + kFooter / 2;
  const Rect edit{12, middle - 12, 58, 24};
  if (sheet.push("edit", edit, desk.editing ? "Done" : "Edit", !desk.editing)) {
    desk.editing = !desk.editing;
    desk.source_tab = source_language(variant);
    if (desk.editing) desk.editor.take_focus();
  }
  sheet.explain(edit, desk.editing
                          ? "Back to reading: a click on a line then chooses it."
                          : "Change the kernel's text. It is compiled as you type; what ships and "
                            "the file stay as they are.");
  float x = edit.right() + 8;
  if (variant.is_edited()) {
    const Rect revert{x, middle - 12, 62, 24};
    if (sheet.push("revert", revert, "Revert")) desk.bench.revert_source();
    sheet.explain(revert, variant.entry != nullptr ? "Back to the text as it ships."
                                                   : "Back to the text as it was opened.");
    x = revert.right() + 8;
  }
  const bool wrong = variant.error.has_value() || !desk.marks.source.empty();
  const TextStyle style = styled(12, wrong ? ColourRole::kExcess : ColourRole::kDim);
  const std::string words = state_of(variant, desk.marks.source.size());
  const Rect beside{sheet.width() - 104, middle - 12, 92, 24};
  // What is wrong has the room first.
  const bool fits = x + 4 + sheet.canvas().text_width(words, style) <= beside.x - 8;
  const bool offers = source_texts(variant).size() > 1 && fits;
  if (offers) draw_beside(sheet, beside);
  sheet.fitted(x + 4, offers ? beside.x - 8 : sheet.width() - 12, middle, words, style);
}

// What the pointer does in one of the texts; a click chooses the kernel's line, for all of them.
void take_touch(Desk& desk, const SourceView& view, const SourceTouch& touch) {
  if (touch.hovered != 0 && !view.editable) desk.touched_line = studied_line(view, touch.hovered);
  if (touch.clicked == 0) return;
  const SourceMark* mark =
      touch.on_mark && view.marks != nullptr ? mark_at(*view.marks, touch.clicked) : nullptr;
  const std::uint32_t line = studied_line(view, touch.clicked);
  if (mark != nullptr && mark->finding) {
    desk.bench.go_to(Finding(*mark->finding));
  } else if (!view.editable && line != 0) {
    Selection& selection = desk.bench.active().selection;
    selection.line = selection.line == line ? 0 : line;
  }
}

}  // namespace

void draw_source_panel(Desk& desk) {
  Sheet sheet(desk);
  Variant& variant = desk.bench.active();
  if (!variant.has_kernel()) {
    sheet.text(16, 24, "Choose a kernel to read its source.", styled(13, ColourRole::kDim));
    return;
  }
  const std::vector<SourceText> shown = shown_texts(desk, variant, sheet.width());
  draw_source_head(sheet, variant, shown);
  std::vector<SourceView> columns;
  columns.reserve(shown.size());
  for (const SourceText& text : shown) columns.push_back(source_view(desk, variant, text));
  columns.front().sought_line = std::exchange(desk.sought_line, 0);
  const std::vector<Complaint> problems = problems_of(sheet, desk.marks.source);
  const float footer = sheet.height() - kFooter;
  float problems_top = footer;
  for (const Complaint& problem : problems) problems_top -= problem.height();
  const float height = std::max(1.0F, (problems_top - kSourceHead) * sheet.scale());
  const Point corner = sheet.screen({0, kSourceHead});
  ImGui::SetCursorScreenPos({corner.x, corner.y});
  const SourceTouch touch = desk.editor.draw(columns, height, desk.fonts, desk.theme(), desk.scale);
  if (desk.editor.scrolling()) desk.frame_wanted = true;
  take_touch(desk, columns[touch.column], touch);
  draw_problems(sheet, problems_top, problems);
  draw_footer(sheet, footer, variant);
  if (touch.edited) desk.bench.edit_source(*touch.edited);
}

}  // namespace tilescope
