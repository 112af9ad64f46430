#include "ui/panels/source_panel.h"

#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "ui/panels/source_line.h"
#include "ui/state/actions.h"
#include "ui/state/layout.h"
#include "ui/state/panel_surface.h"
#include "ui/state/window_state.h"

namespace tilescope {
namespace {

inline constexpr float kSourceHead = 40;  // units

const char* tab_name(SourceLanguage language) {
  return language == SourceLanguage::kCuda  ? "CUDA"
         : language == SourceLanguage::kPtx ? "PTX"
                                            : "SASS";
}

const char* tab_meaning(SourceLanguage language) {
  return language == SourceLanguage::kCuda ? "The kernel's source text."
         : language == SourceLanguage::kPtx
             ? "The PTX that the compiler generates; the pictures come from it."
             : "The machine code that ptxas generates; the GPU executes it, and hardware counters "
               "count it.";
}

bool tab(PanelSurface& surface, SourceLanguage language, float* x, bool on) {
  const char* words = tab_name(language);
  const TextStyle style = styled(12, on ? ColourRole::kStrong : ColourRole::kText,
                                 on ? Weight::kSemibold : Weight::kMedium);
  const float width = surface.canvas().text_width(words, style) + 18;
  const Rect rect{*x, kSourceHead / 2 - 11, width, 22};
  const Touch touch = surface.control(words, rect, tab_meaning(language));
  if (on || touch.hovered) {
    surface.canvas().fill_rect(rect, on ? ColourRole::kHover : ColourRole::kRaised, 6);
  }
  surface.text(rect.center().x, rect.center().y, words,
               styled(12, style.paint, style.weight, Align::kCenter));
  *x += width + 4;
  return touch.clicked;
}

const char* meaning_of(HeatColumn column) {
  switch (column) {
    case HeatColumn::kSectors:
      return "sectors of 32 B of global memory. Teal: the minimum for the same bytes; orange: the "
             "excess";
    case HeatColumn::kWavefronts:
      return "wavefronts of shared memory. Teal: the minimum for the same bytes; orange: the "
             "excess";
    case HeatColumn::kExecuted:
      return "executed warp instructions";
  }
  return "";
}

// What the column of heat beside the lines counts, at the right of the tabs; a click shows the
// next. Returns where it begins.
float draw_heat_title(PanelSurface& surface, float left) {
  WindowState& state = surface.state();
  const std::string words(name_of(state.heat_column));
  const float right = surface.width() - 14;
  TextStyle style = styled(11, ColourRole::kDim, Weight::kRegular, Align::kRight);
  const float x = right - surface.canvas().text_width(words, style);
  if (x - 22 < left) return surface.width();
  const Rect title{x - 16, kSourceHead / 2 - 10, right - x + 16, 20};
  const Touch touch = surface.control("heat column", title);
  if (touch.hovered) style.paint = ColourRole::kText;
  surface.text(right, kSourceHead / 2, words, style);
  surface.mark({x - 10, kSourceHead / 2}, Source::kEmulated, ColourRole::kFaint);
  surface.explain(
      title, fmt::format("For each line, in the whole launch: {}. Scaled to the most expensive "
                         "line. Click, or press H, for {}.",
                         meaning_of(state.heat_column), name_of(next_of(state.heat_column))));
  if (touch.clicked) state.heat_column = next_of(state.heat_column);
  return title.x;
}

// Where several places of a text come from the chosen line: which one is meant, and the way to the
// others.
void draw_places(PanelSurface& surface, SourceLanguage language, float left, float right) {
  SourceEditor& editor = surface.state().editor;
  const auto [meant, count] = editor.places_of(language);
  if (count < 2) return;
  constexpr float kButton = 20;
  const TextStyle style = styled(11, ColourRole::kDim, Weight::kRegular, Align::kCenter);
  for (const char* unit : {" places", ""}) {
    const std::string words = fmt::format("{} of {}{}", meant + 1, count, unit);
    const float width = surface.canvas().text_width(words, style) + 12;
    if (left + width + 2 * kButton > right) continue;
    const Rect back{left, kSourceHead / 2 - 10, kButton, 20};
    const Rect on{back.right() + width, back.y, kButton, 20};
    const std::string name = tab_name(language);
    if (surface.push((name + " place before").c_str(), back, "‹")) editor.step_places(language, -1);
    surface.explain(back, "Previous place (Shift N)");
    if (surface.push((name + " next place").c_str(), on, "›")) editor.step_places(language, 1);
    surface.explain(on, "Next place (N)");
    surface.text(back.right() + width / 2, kSourceHead / 2, words, style);
    surface.explain(
        {left, back.y, width + 2 * kButton, 20},
        fmt::format("The line appears at {} places in this text, because the compiler unrolled, "
                    "inlined or moved it. ‹ and ›, or Shift N and N, go through them.",
                    count));
    return;
  }
}

// The file's name and the tabs of all texts: each that is shown stands over its column, the others
// behind the last one. Beside a tab, how many places of its text come from the chosen line.
void draw_source_head(PanelSurface& surface, const Variant& variant,
                      const std::vector<SourceText>& shown) {
  WindowState& state = surface.state();
  const TextStyle name = styled(13, ColourRole::kStrong, Weight::kSemibold);
  const float width = surface.width() / static_cast<float>(shown.size());
  float x =
      std::min(width * 0.37F, 16 + surface.canvas().text_width(variant.file_name(), name) + 14);
  surface.fitted(16, x - 8, kSourceHead / 2, variant.file_name(), name);
  std::vector<float> ends(shown.size());  // of the tabs over each column
  std::size_t column = 0;
  for (const SourceText& text : source_texts(variant)) {
    const auto at = std::ranges::find(shown, text.language, &SourceText::language);
    if (at != shown.end()) column = static_cast<std::size_t>(at - shown.begin());
    if (at != shown.end() && column > 0) x = std::max(x, static_cast<float>(column) * width + 8);
    if (tab(surface, text.language, &x, at != shown.end())) state.source_tab = text.language;
    ends[column] = x;
  }
  const bool heated = variant.study != nullptr && variant.study->counters;
  const float right = heated ? draw_heat_title(surface, x) : surface.width();
  for (std::size_t i = 0; i < shown.size(); ++i) {
    const float end = i + 1 < shown.size() ? static_cast<float>(i + 1) * width : right;
    draw_places(surface, shown[i].language, ends[i] + 4, end - 8);
  }
}

constexpr float kFooter = 34;
constexpr float kWholeLine = 26;
constexpr float kWideText = 700;  // in which most lines are whole
constexpr float kProblemRow = 22;
constexpr float kProblemLine = 16;  // each further line of a problem
constexpr float kProblemText = 54;  // where its words begin
constexpr std::size_t kMostProblems = 3;
constexpr std::size_t kProblemLines = 3;  // of each, and what others leave

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

std::vector<Complaint> problems_of(const PanelSurface& surface,
                                   const std::vector<SourceMark>& marks) {
  std::vector<Complaint> problems;
  const std::size_t shown = std::min(marks.size(), kMostProblems);
  std::size_t left = kMostProblems * kProblemLines;
  for (std::size_t i = 0; i < shown; ++i) {
    Complaint problem{marks[i], {}, 0, {}};
    problem.room = surface.width() - kProblemText - 12;
    if (i + 1 == shown && marks.size() > shown) {
      problem.more = "and " + std::to_string(marks.size() - shown) + " more";
      problem.room -= surface.canvas().text_width(problem.more, more_style()) + 8;
    }
    const std::string words = problem.mark.words.substr(0, problem.mark.words.find('\n'));
    problem.lines = surface.lines_of(words, problem.room, styled(12));
    const std::size_t room = left - kProblemLines * (shown - i - 1);
    while (problem.lines.size() > room) {
      std::string last = std::move(problem.lines.back());
      problem.lines.pop_back();
      problem.lines.back() += " " + last;
    }
    left -= problem.lines.size();
    problems.push_back(std::move(problem));
  }
  return problems;
}

// One row each: the line and what is wrong there. A click goes there.
void draw_problems(PanelSurface& surface, float y, const std::vector<Complaint>& problems) {
  WindowState& state = surface.state();
  for (std::size_t i = 0; i < problems.size(); ++i) {
    const Complaint& problem = problems[i];
    const SourceMark& mark = problem.mark;
    const Rect row{0, y, surface.width(), problem.height()};
    ImGui::PushID(static_cast<int>(i));
    const Touch touch = surface.control("problem", row);
    ImGui::PopID();
    if (touch.hovered) surface.canvas().fill_rect(row, ColourRole::kHover, 0);
    const ColourRole colour = colour_of(mark);
    surface.canvas().fill_rect({0, y, 2, row.h}, colour, 0);
    surface.text(44, y + kProblemRow / 2, std::to_string(mark.line),
                 styled(12, colour, Weight::kSemibold, Align::kRight));
    float line_y = y + kProblemRow / 2;
    for (const std::string& line : problem.lines) {
      surface.fitted(kProblemText, kProblemText + problem.room, line_y, line, styled(12));
      line_y += kProblemLine;
    }
    surface.text(surface.width() - 12, line_y - kProblemLine, problem.more, more_style());
    surface.explain(row, mark.words);
    if (touch.clicked) {
      if (mark.finding) state.workbench.go_to(*mark.finding);
      state.source_tab = source_language(state.workbench.active());
      state.sought_line = mark.line;
    }
    y += row.h;
  }
}

std::string state_of(const Variant& variant, std::size_t problems, bool advised) {
  // An error that stands from the text before is one alone.
  const bool refused = variant.study_pending && !variant.errors.empty();
  if (refused) return "NVRTC cannot compile it, trying nvcc …";
  if (variant.study_pending) return variant.is_edited() ? "edited, compiling …" : "compiling …";
  const std::string origin = variant.is_edited() ? "edited" : "original";
  if (variant.error) {
    const std::size_t errors = variant.errors.size();
    return origin + ", does not compile" +
           (errors > 1 ? ": " + std::to_string(errors) + " errors, F8 to the next" : "");
  }
  if (problems > 0) {
    return origin + ", " + std::to_string(problems) + (problems == 1 ? " problem" : " problems");
  }
  const bool checked = (variant.own || variant.is_edited()) && !variant.grid_pending;
  if (!checked || variant.study == nullptr) return origin;
  return origin + (advised ? ", no problems, but advice" : ", no problems found");
}

void draw_beside(PanelSurface& surface, const Rect& rect) {
  WindowState& state = surface.state();
  const bool on = state.source_beside;
  if (surface.push("beside", rect, on ? "One text" : "Side by side")) set_side_by_side(state, !on);
  surface.explain(rect,
                  on ? "One text at a time (B)."
                     : "CUDA, PTX and SASS side by side, if there is room (B). A line selected "
                       "in one is marked in all.");
}

// The switch between reading and writing, the way back, and how the text stands.
void draw_footer(PanelSurface& surface, float y, const Variant& variant) {
  WindowState& state = surface.state();
  surface.rule(0, surface.width(), y);
  const float middle = y + kFooter / 2;
  const Rect edit{12, middle - 12, 58, 24};
  if (surface.push("edit", edit, state.editing ? "Done" : "Edit", !state.editing)) {
    state.editing = !state.editing;
    state.source_tab = source_language(variant);
    if (state.editing) state.editor.take_focus();
  }
  surface.explain(edit, state.editing ? "Stop editing (then a click selects a line)."
                                      : "Edit the kernel's text. It is compiled as you type; the "
                                        "original and the file do not change.");
  float x = edit.right() + 8;
  if (variant.is_edited()) {
    const Rect revert{x, middle - 12, 62, 24};
    if (surface.push("revert", revert, "Revert")) state.workbench.revert_source();
    surface.explain(revert, "Restores the original text.");
    x = revert.right() + 8;
  }
  const std::size_t problems = count_problems(state.marks.source);
  const bool wrong = variant.error.has_value() || problems > 0;
  const TextStyle style = styled(12, wrong ? ColourRole::kExcess : ColourRole::kDim);
  const std::string words = state_of(variant, problems, problems < state.marks.source.size());
  const Rect beside{surface.width() - 104, middle - 12, 92, 24};
  // What is wrong has the room first.
  const bool fits = x + 4 + surface.canvas().text_width(words, style) <= beside.x - 8;
  const bool offers = source_texts(variant).size() > 1 && fits;
  if (offers) draw_beside(surface, beside);
  surface.fitted(x + 4, offers ? beside.x - 8 : surface.width() - 12, middle, words, style);
}

// What the pointer does in one of the texts; a click chooses the kernel's line, for all of them.
void take_touch(WindowState& state, const SourceView& view, const SourceTouch& touch) {
  if (touch.hovered != 0 && !view.editable) state.touched_line = studied_line(view, touch.hovered);
  if (touch.clicked == 0) return;
  const SourceMark* mark =
      touch.on_mark && view.marks != nullptr ? mark_at(*view.marks, touch.clicked) : nullptr;
  const std::uint32_t line = studied_line(view, touch.clicked);
  if (mark != nullptr && mark->finding) {
    state.workbench.go_to(Finding(*mark->finding));
  } else if (!view.editable && line != 0) {
    Selection& selection = state.workbench.active().selection;
    selection.line = selection.line == line ? 0 : line;
  }
}

}  // namespace

void draw_source_panel(WindowState& state) {
  PanelSurface surface(state);
  Variant& variant = state.workbench.active();
  if (!variant.has_kernel()) {
    surface.text(16, 24, "Choose a kernel to read its source.", styled(13, ColourRole::kDim));
    return;
  }
  const std::vector<SourceText> shown = shown_texts(state, variant, surface.width());
  draw_source_head(surface, variant, shown);
  std::vector<SourceView> columns;
  columns.reserve(shown.size());
  for (const SourceText& text : shown) columns.push_back(source_view(state, variant, text));
  columns.front().sought_line = std::exchange(state.sought_line, 0);
  const std::vector<Complaint> problems = problems_of(surface, state.marks.source);
  const float footer = surface.height() - kFooter;
  // Where lines are cut, the one that is spoken of stands below them, whole.
  const float whole = state.editing || surface.width() > kWideText ? 0 : kWholeLine;
  float problems_top = footer - whole;
  for (const Complaint& problem : problems) problems_top -= problem.height();
  const float height = std::max(1.0F, (problems_top - kSourceHead) * surface.scale());
  const Point corner = surface.screen({0, kSourceHead});
  ImGui::SetCursorScreenPos({corner.x, corner.y});
  const SourceTouch touch =
      state.editor.draw(columns, height, state.fonts, state.theme(), state.scale);
  if (state.editor.scrolling()) state.frame_wanted = true;
  take_touch(state, columns[touch.column], touch);
  draw_problems(surface, problems_top, problems);
  if (whole > 0) {
    surface.rule(0, surface.width(), footer - whole);
    draw_code(surface, {12, footer - whole / 2}, surface.width() - 12, line_in_hand(variant),
              12.5F);
  }
  draw_footer(surface, footer, variant);
  if (touch.edited) state.workbench.edit_source(*touch.edited);
}

namespace {

constexpr float kHeatWidth = 72;     // units
constexpr float kLeastColumn = 400;  // units of a text beside another one: some 40 letters and bars

const StaticInstruction* executing(const Variant& variant) {
  const KernelStudy* study = variant.study.get();
  if (study == nullptr || !study->traced() || study->trace->events.empty()) return nullptr;
  const auto event =
      std::min<std::size_t>(variant.selection.event, study->trace->events.size() - 1);
  return &study->program->instructions()[study->trace->events[event].instruction];
}

void show_source(SourceView& view, const WindowState& state, const Variant& variant) {
  const bool is_cuda = view.language == SourceLanguage::kCuda;
  view.text = &variant.shown_source();
  view.parameters = is_cuda ? &state.legal.names : nullptr;
  view.lines = &state.marks.lines;
  view.marks = &state.marks.source;
  view.heat = &state.digest.source_heat;
  view.editable = state.editing;
  if (const StaticInstruction* now = executing(variant)) {
    view.executing_line = now->outermost.line;
  }
}

void show_made_of_it(SourceView& view, const WindowState& state, const Variant& variant) {
  const bool is_ptx = view.language == SourceLanguage::kPtx;
  const KernelStudy& study = *variant.study;
  view.text = is_ptx ? &study.compiled->ptx : &study.issued->machine_code();
  view.marks = is_ptx ? &state.marks.ptx : nullptr;
  view.heat = is_ptx ? &state.digest.ptx_heat : &state.digest.machine_heat;
  view.origins = is_ptx ? &state.digest.ptx_origin : &state.digest.machine_origin;
  const StaticInstruction* now = executing(variant);
  if (now != nullptr && is_ptx) view.executing_line = now->ptx_line;
  if (now != nullptr && view.chosen_line == 0) view.chosen_line = now->outermost.line;
}

}  // namespace

std::vector<SourceText> source_texts(const Variant& variant) {
  const KernelStudy* study = variant.study.get();
  std::vector<SourceText> texts{{source_language(variant), true}};
  const bool is_ptx = texts.front().language == SourceLanguage::kPtx;
  if (!is_ptx && study != nullptr && study->compiled != nullptr) {
    texts.push_back({SourceLanguage::kPtx, false});
  }
  if (study != nullptr && study->issued != nullptr) {
    texts.push_back({SourceLanguage::kMachine, false});
  }
  return texts;
}

std::vector<SourceText> shown_texts(const WindowState& state, const Variant& variant, float width) {
  std::vector<SourceText> texts = source_texts(variant);
  auto front = std::ranges::find(texts, state.source_tab, &SourceText::language);
  if (front == texts.end()) front = texts.begin();
  const std::size_t room =
      state.source_beside ? std::max<std::size_t>(1, static_cast<std::size_t>(width / kLeastColumn))
                          : 1;
  if (room >= texts.size()) return texts;
  if (room == 1) return {*front};
  return {texts.front(), front != texts.begin() ? *front : texts[1]};
}

SourceView source_view(const WindowState& state, const Variant& variant, const SourceText& text) {
  SourceView view;
  view.language = text.language;
  view.heat_width = kHeatWidth;
  view.marks_version = state.marks.version;
  view.hovered_line = state.editing ? 0 : state.hovered_line;
  view.chosen_line = variant.selection.line;
  if (text.is_source) {
    show_source(view, state, variant);
  } else {
    show_made_of_it(view, state, variant);
  }
  return view;
}

std::uint32_t studied_line(const SourceView& view, std::uint32_t line) {
  if (view.origins == nullptr) return view.lines->before(line);
  return line <= view.origins->size() ? (*view.origins)[line - 1] : 0;
}

}  // namespace tilescope
