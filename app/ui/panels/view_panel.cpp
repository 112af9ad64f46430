#include "ui/panels/view_panel.h"

#include <imgui.h>
#include <imgui_internal.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "analysis/study/moment.h"
#include "core/text.h"
#include "kernel/catalogue/parameter_values.h"
#include "scene/drawing/canvas.h"
#include "scene/drawing/pen.h"
#include "scene/tiling/element_owner.h"
#include "scene/view/launch_picture.h"
#include "scene/view_settings.h"
#include "scene/views.h"
#include "session/glossary.h"
#include "ui/drawing/cell_renderer.h"
#include "ui/drawing/fonts.h"
#include "ui/drawing/style.h"
#include "ui/panels/lesson_panel.h"
#include "ui/panels/source_line.h"
#include "ui/state/actions.h"
#include "ui/state/layout.h"
#include "ui/state/panel_surface.h"
#include "ui/state/view_context.h"
#include "ui/state/window_state.h"

namespace tilescope {
namespace {

constexpr float kLectureNote = 20;  // between the sentence and the picture: room for a note
constexpr float kBelowPicture = 12;

void do_action(WindowState& state, const Hit& hit) {
  switch (hit.action) {
    case HitAction::kActivateVariant:
      return state.workbench.activate(static_cast<int>(hit.value));
    case HitAction::kAddVariant:
      return state.workbench.add_variant();
    case HitAction::kCompareFamily:
      return compare_ladder(state.workbench);
    case HitAction::kCompareGpus:
      return compare_gpus(state.workbench);
    case HitAction::kStepThroughFamily:
      if (state.workbench.active().entry == nullptr) return;
      state.presentation.add_family(state);
      return set_lecture(state, true);
    case HitAction::kNone:
      return;
  }
}

// In another variant's pane: time moves in the active one, and the others follow; what is that
// variant's own makes it the active one.
Hit of_active(WindowState& state, Hit hit) {
  const int active = state.workbench.active_index();
  const auto count = static_cast<int>(state.workbench.variants().size());
  if (hit.variant < 0 || hit.variant == active || hit.variant >= count) return hit;
  if (hit.kind == HitKind::kEvent) {
    const Variant& from = state.workbench.variants()[static_cast<std::size_t>(hit.variant)];
    if (from.study == nullptr || state.workbench.active().study == nullptr) return hit;
    hit.value =
        same_share(*from.study, static_cast<std::uint32_t>(hit.value),
                   *state.workbench.active().study, state.workbench.active().selection.warp);
  } else if (hit.kind == HitKind::kLine || hit.kind == HitKind::kParameter ||
             hit.kind == HitKind::kBlock) {
    state.workbench.activate(hit.variant);
  }
  return hit;
}

// Of an element of the tiling view; nullopt: of anything else.
std::optional<ElementOwner> owner_under(const Variant& variant, const Hit& hit) {
  if (hit.kind != HitKind::kElement || variant.prepared == nullptr) return std::nullopt;
  return owner_of_element(*variant.prepared->tiling, hit);
}

// Does what a click on this place of a view asks for.
void act_on(WindowState& state, const Hit& clicked) {
  const Hit hit = of_active(state, clicked);
  Variant& variant = state.workbench.active();
  switch (hit.kind) {
    case HitKind::kLane:
      variant.selection.lane = static_cast<int>(hit.value);
      break;
    case HitKind::kWarp:
      variant.selection.warp = static_cast<std::uint32_t>(hit.value);
      if (hit.value2 > 0) variant.selection.event = static_cast<std::uint32_t>(hit.value2 - 1);
      break;
    case HitKind::kBlock:
      state.workbench.select_block(static_cast<std::uint64_t>(hit.value));
      break;
    case HitKind::kLine:
      variant.selection.line = variant.selection.line == static_cast<std::uint32_t>(hit.value)
                                   ? 0
                                   : static_cast<std::uint32_t>(hit.value);
      break;
    case HitKind::kParameter:
      state.focused_parameter = hit.name;
      state.workbench.set_parameter(hit.name, hit.value);
      break;
    case HitKind::kParameters: {
      ParameterSet parameters = variant.parameters;
      for (const auto& [name, value] : hit.parameters) parameters[name] = value;
      state.workbench.apply(parameters);
      break;
    }
    case HitKind::kKernel:
      if (const CatalogueEntry* entry = state.workbench.catalogue().find(hit.name)) {
        state.workbench.choose_kernel(*entry);
      }
      break;
    case HitKind::kEvent:
      variant.selection.event = static_cast<std::uint32_t>(hit.value);
      break;
    case HitKind::kSetting:
      if (hit.choices.empty()) {
        change_setting(state.view_settings, hit);
      } else {
        state.setting_menu = hit;
        ImGui::OpenPopup("setting menu");
      }
      break;
    case HitKind::kAction:
      do_action(state, hit);
      break;
    case HitKind::kElement:
      if (const auto owner = owner_under(variant, hit)) {
        variant.selection.warp = owner->warp;
        variant.selection.lane = owner->lane;
      }
      break;
    case HitKind::kNone:
    case HitKind::kArgument:
      break;
  }
}

// "4 problems", or "advice" where there is nothing worse, at the end of a sentence's first line,
// which ends at `edge`: the source that shows them may be a tab behind, and not there at all in a
// lecture. A click leads to the next one. Returns where the sentence must end.
float draw_findings(PanelSurface& surface, float edge, float y, float size) {
  const std::vector<SourceMark>& marks = surface.state().marks.source;
  const auto first =
      std::ranges::find_if(marks, [](const SourceMark& mark) { return mark.finding.has_value(); });
  if (first == marks.end()) return edge;
  const std::size_t count = count_problems(marks);
  const std::string words = count > 0 ? counted(count, "problem") : "advice";
  const ColourRole colour = count > 0 ? ColourRole::kExcess : ColourRole::kDim;
  const TextStyle style = styled(size - 1, colour, Weight::kSemibold, Align::kCenter);
  const float width = surface.canvas().text_width(words, style) + 20;
  const float height = std::round(size * 1.6F);
  const Rect badge{edge - width, y - height / 2, width, height};
  const Touch touch = surface.control("findings", badge);
  if (touch.hovered) surface.canvas().fill_rect(badge, ColourRole::kHover, 6);
  surface.canvas().stroke_rect(badge, colour, 1, 6);
  surface.text(badge.center().x, badge.center().y, words, style);
  surface.explain(badge, "Line " + std::to_string(first->line) + ": " + first->words +
                             "\nClick to go to the next one.");
  if (touch.clicked) go_to_finding(surface.state());
  return badge.x - 16;
}

// The error that stands in the way of a picture, the compiler's others as far as there is room, the
// source around the first, and the way to it. Precondition: the variant has an error.
void draw_error(PanelSurface& surface, const Variant& variant, const Rect& area) {
  const float x = area.x;
  const float room = area.w;
  float y = area.y;
  const float magnify = surface.state().lecture ? kLectureText : 1;
  const float size = 13 * magnify;
  const Error& error = *variant.error;
  surface.text(x, y,
               error.code == ErrorCode::kKernel || error.code == ErrorCode::kCompile
                   ? "This kernel cannot be shown"
                   : "This cannot be done here",
               styled(15 * magnify, ColourRole::kStrong, Weight::kSemibold));
  y += 28 * magnify;
  const std::vector<SourceMark>& marks = surface.state().marks.source;
  if (marks.empty()) {
    Error without_remedy = error;
    without_remedy.remedy.clear();
    y = surface.paragraph(x, y, room, to_string(without_remedy), styled(size, ColourRole::kExcess));
    if (!error.remedy.empty()) surface.paragraph(x, y + 8, room, error.remedy, styled(size));
    return;
  }
  for (const SourceMark& mark : marks) {
    if (y + 80 * magnify > area.bottom()) break;
    std::string words = "Line " + std::to_string(mark.line) + ": " + mark.words;
    std::ranges::replace(words, '\n', ' ');
    y = surface.paragraph(x, y, room, words, styled(size, ColourRole::kExcess)) + 6;
  }
  const std::uint32_t first = std::ranges::min(marks, {}, &SourceMark::line).line;
  const std::string words = "Show line " + std::to_string(first) + " in the source";
  const float width = surface.canvas().text_width(words, styled(12)) + 28;
  const float below = area.bottom() - 48;
  y = draw_excerpt(surface, {x, y + 8, room, below - y - 8}, first, size);
  const Rect button{x, y + 8, width, 28};
  const bool pressed = surface.push("to the error", button, words, true);
  surface.explain(button, "Goes to the line, in the source (F8).");
  if (pressed) {
    surface.state().problem_line = 0;
    go_to_problem(surface.state(), 1);
  }
}

constexpr double kCrossFadeSeconds = 0.12;
constexpr double kTravelSeconds = 0.18;

constexpr float kOutdated = 0.6F;  // opacity of a picture that waits for a newer one

float ease_out(double t) {
  const double left = 1 - std::clamp(t, 0.0, 1.0);
  return static_cast<float>(1 - left * left * left);
}

// Only what differs from how the sliders stand.
std::string describe_shown(const Variant& variant, const KernelInstance& shown) {
  ParameterSet changed;
  const auto compare = [&changed](const ParameterSet& own, const ParameterSet& wanted) {
    for (const auto& [name, value] : own) {
      const auto now = wanted.find(name);
      if (now == wanted.end() || now->second != value) changed[name] = value;
    }
  };
  compare(shown.parameters, variant.parameters);
  compare(shown.extents, variant.extents);
  const std::string text = values_words(variant.entry, changed);
  return text.empty() ? shown.title : text;
}

// The study whose picture the view shows: the variant's, or, while its pipeline is computed, the
// one before it of the same kernel.
const Transition::Picture& picture_of(WindowState& state, View view, const Variant& variant) {
  Transition::Picture& picture = state.transitions[static_cast<int>(view)].picture;
  const bool is_whole = view != View::kPipeline || variant.study->pipeline != nullptr;
  const bool is_kept =
      picture.study != nullptr && picture.study->instance.id == variant.study->instance.id;
  if (is_whole || !is_kept) picture = {variant.study, variant.prepared};
  return picture;
}

ViewContext context_of(const WindowState& state, const Transition::Picture& picture,
                       const Variant& variant) {
  ViewContext context = view_context(state, picture.study.get(), variant);
  if (picture.study == variant.study) return context;
  context.prepared = picture.prepared;
  TimeMarks ignored;
  keep_inside(*picture.study, &context.selection, &ignored);
  return context;
}

// Remembers what was shown before and when it changed.
Transition& follow(WindowState& state, View view, const Variant& variant) {
  Transition& transition = state.transitions[static_cast<int>(view)];
  if (transition.shown != variant.study) {
    const bool new_trace = transition.shown == nullptr || variant.study == nullptr ||
                           transition.shown->trace != variant.study->trace;
    if (new_trace) {
      transition.before = transition.shown;
      transition.before_prepared = transition.shown_prepared;
      transition.before_phases = transition.shown_phases;
      transition.shown_since = state.now;
    }
    transition.shown = variant.study;
    transition.shown_prepared = variant.prepared;
  }
  transition.shown_phases = state.facts.shown().phases;
  if (transition.event != variant.selection.event) {
    transition.event = variant.selection.event;
    transition.event_since = state.now;
  }
  if (state.preferences.reduce_motion || state.now - transition.shown_since > kCrossFadeSeconds) {
    transition.before.reset();
  }
  return transition;
}

// Wheel zooms around the pointer, dragging moves.
void steer_camera(PanelSurface& surface, const Rect& area, const Touch& ground,
                  MatrixCamera& camera) {
  const ImGuiIO& io = ImGui::GetIO();
  if (ground.hovered && io.MouseWheel != 0) {
    const Point at = surface.units({io.MousePos.x, io.MousePos.y});
    camera.zoom_by(std::exp2(io.MouseWheel * 0.25F), (at.x - area.x) / area.w - 0.5F,
                   (at.y - area.y) / area.h - 0.5F);
  }
  if (ground.held && ImGui::IsMouseDragging(ImGuiMouseButton_Left, 3)) {
    camera.move_by(-io.MouseDelta.x / (area.w * surface.scale()),
                   -io.MouseDelta.y / (area.h * surface.scale()));
  }
}

// Zooms as a key asked for, around the traced block as long as it is in sight, else the middle.
void zoom_as_wanted(WindowState& state, const ImGuiCanvas& canvas, const Rect& picture) {
  const auto block = static_cast<std::int64_t>(state.workbench.active().selection.block);
  Point at = picture.center();
  for (const auto& [screen, hit] : canvas.hits()) {
    if (hit.kind == HitKind::kBlock && hit.value == block) at = screen.center();
  }
  state.workbench.active().camera.zoom_by(std::exchange(state.zoom_wanted, 0.0F),
                                          (at.x - picture.x) / picture.w - 0.5F,
                                          (at.y - picture.y) / picture.h - 0.5F);
  state.frame_wanted = true;
}

// What is zoomed has driven the rest of the view out of sight.
void draw_way_back(PanelSurface& surface, const Rect& area) {
  constexpr float kHeight = 24;
  const std::string_view words = "Show all";
  const float width = surface.canvas().text_width(words, styled(12)) + 28;
  const Rect button{area.right() - kViewMargin - width, area.y, width, kHeight};
  const bool pressed = surface.push("show all", button, words);
  surface.explain(button, "The whole view again (Home). The wheel zooms, dragging moves.");
  if (pressed) zoom_view(surface.state(), 0);
}

struct SentenceWord {
  std::string text;  // with the blanks behind it
  TextStyle style;
  float width = 0;
  float bare_width = 0;  // without them
};

struct BrokenSentence {
  std::vector<SentenceWord> words;
  std::vector<std::size_t> begins;  // of the second line and those below
  float pitch = 0;                  // of lines

  [[nodiscard]] float height() const { return pitch * static_cast<float>(begins.size() + 1); }
};

// Runs of plain and strong words, broken into lines that end at `right`. `final`: else its numbers
// may still change, and are pale.
BrokenSentence broken(PanelSurface& surface, const Sentence& sentence, float right, float size,
                      bool final) {
  BrokenSentence lines;
  std::vector<SentenceWord>& words = lines.words;
  for (const SentenceRun& run : sentence) {
    const std::string text = surface.state().in_language(run.text);
    const ColourRole strong = final ? ColourRole::kStrong : ColourRole::kDim;
    const TextStyle style = styled(size, run.strong ? strong : ColourRole::kText,
                                   run.strong ? Weight::kSemibold : Weight::kRegular);
    for (std::size_t at = 0; at < text.size();) {
      std::size_t end = unbroken_end(text, at);
      const std::string bare = text.substr(at, end - at);
      while (end < text.size() && text[end] == ' ') ++end;
      std::string word = text.substr(at, end - at);
      const float width = surface.canvas().text_width(word, style);
      words.push_back({std::move(word), style, width, surface.canvas().text_width(bare, style)});
      at = end;
    }
  }
  std::vector<std::size_t>& begins = lines.begins;
  float x = kViewMargin;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (x > kViewMargin && x + words[i].bare_width > right) {
      begins.push_back(i);
      x = kViewMargin;
    }
    x += words[i].width;
  }
  // The last word has company.
  const std::size_t above = begins.size() > 1 ? begins[begins.size() - 2] : 0;
  if (!begins.empty() && begins.back() + 1 == words.size() && begins.back() > above + 2) {
    --begins.back();
  }
  lines.pitch = std::round(size * 1.5F);
  return lines;
}

// Returns the y below.
float draw_sentence(PanelSurface& surface, const BrokenSentence& lines, float y) {
  float x = kViewMargin;
  for (std::size_t i = 0, line = 0; i < lines.words.size(); ++i) {
    if (line < lines.begins.size() && lines.begins[line] == i) {
      x = kViewMargin;
      y += lines.pitch;
      ++line;
    }
    surface.canvas().text({x, y}, lines.words[i].text, lines.words[i].style);
    x += lines.words[i].width;
  }
  return y + lines.pitch;
}

bool ends_a_sentence(const SentenceRun& run) { return trimmed(run.text).ends_with('.'); }

// Without a plain sentence at its end, else at its beginning: what is strong carries the point.
// Empty: there is none to leave out.
Sentence without_an_aside(const Sentence& sentence) {
  const std::size_t count = sentence.size();
  if (count > 1 && !sentence.back().strong && ends_a_sentence(sentence[count - 2])) {
    return {sentence.begin(), sentence.end() - 1};
  }
  if (count > 1 && !sentence.front().strong && ends_a_sentence(sentence.front())) {
    return {sentence.begin() + 1, sentence.end()};
  }
  return {};
}

// The sentence in lines that end at room.x, no higher than room.y: the picture comes before what is
// said beside the point, and before the size of the type.
BrokenSentence broken_to_fit(PanelSurface& surface, Sentence sentence, Point room, float size,
                             bool final) {
  constexpr float kLeastSize = 14;
  BrokenSentence lines = broken(surface, sentence, room.x, size, final);
  while (lines.height() > room.y) {
    if (Sentence shorter = without_an_aside(sentence); !shorter.empty()) {
      sentence = std::move(shorter);
    } else if (size > kLeastSize) {
      size = std::max(kLeastSize, size - 2);
    } else {
      break;
    }
    lines = broken(surface, sentence, room.x, size, final);
  }
  return lines;
}

void draw_empty(PanelSurface& surface, const Variant& variant) {
  const float x = kViewMargin;
  const float y = 40;
  const float room = std::min(surface.width() - 2 * kViewMargin, 720.0F);
  if (variant.error) {
    draw_error(surface, variant, {x, y, room, surface.height() - y});
  } else if (!variant.violations.empty()) {
    surface.text(x, y, variant.violations.front().message,
                 styled(15, ColourRole::kExcess, Weight::kSemibold));
    surface.paragraph(x, y + 28, room, "Nothing is compiled until the parameters meet all rules.",
                      styled(13));
    const ParameterSet& nearest = variant.violations.front().nearest_legal;
    if (nearest.empty()) return;
    const Rect button{x, y + 60, 220, 28};
    const bool pressed =
        surface.push("nearest legal", button, "Use the nearest valid values", true);
    surface.explain(button, "The fewest slider steps to values that meet all rules.");
    if (pressed) surface.state().workbench.apply(ParameterSet(nearest));
  } else if (variant.study_pending) {
    surface.text(x, y, "compiling and tracing the block …", styled(13, ColourRole::kDim));
    if (!variant.asked) return;
    surface.text(x, y + 26, words_of(*variant.asked),
                 styled(14, ColourRole::kStrong, Weight::kSemibold));
    draw_launch(
        surface.canvas(), {x, y + 60, room, surface.height() - y - 84}, *variant.asked,
        {.theme = surface.theme(), .text_scale = surface.state().lecture ? kLectureText : 1});
  } else {
    surface.text(x, y, "No kernel is selected.", styled(13));
    const auto& entries = surface.state().workbench.catalogue().entries;
    if (entries.empty()) return;
    const Rect button{x, y + 20, 220, 28};
    const bool pressed =
        surface.push("first kernel", button, "Open " + entries.front().title, true);
    surface.explain(button, entries.front().idea);
    if (pressed) surface.state().workbench.choose_kernel(entries.front());
  }
}

// What is selected, at the right end of the tabs; a lecture has it beside the parameters.
void draw_selection(const WindowState& state, View view, const Variant& variant) {
  const ImGuiWindow* window = ImGui::GetCurrentWindow();
  const ImGuiDockNode* node = window->DockNode;
  if (state.lecture || variant.study == nullptr || node == nullptr || node->TabBar == nullptr ||
      node->IsHiddenTabBar())
    return;
  const auto& compared = state.facts.shown().compared;
  const std::size_t linked = compared != nullptr ? compared->variants.size() : 0;
  const std::string words = descriptor_of(view).needs.variants && linked > 1
                                ? std::to_string(linked) + " variants linked"
                                : selection_words(variant);
  const float size = std::round(state.px(12));
  ImFont* font = state.fonts.text(Weight::kRegular);
  const float width = font->CalcTextSizeA(size, FLT_MAX, 0, words.c_str()).x;
  const ImRect bar = node->TabBar->BarRect;
  const float x = bar.Max.x - state.px(12) - width;
  if (x < bar.Min.x + node->TabBar->WidthAllTabs + state.px(16)) return;
  ImDrawList* list = ImGui::GetWindowDrawList();
  list->PushClipRect(bar.Min, bar.Max, false);
  list->AddText(font, size, {x, top_of_text(bar.GetCenter().y, size)},
                packed(ColourRole::kDim, state.theme()), words.c_str());
  list->PopClipRect();
}

void draw_picture(PanelSurface& surface, View view, const Rect& area, const Variant& variant) {
  WindowState& state = surface.state();
  const Transition::Picture picture = picture_of(state, view, variant);
  Transition& transition = follow(state, view, variant);
  const bool outdated = variant.study_pending || !variant.violations.empty() || variant.error ||
                        picture.study != variant.study;
  const float fade =
      transition.before ? ease_out((state.now - transition.shown_since) / kCrossFadeSeconds) : 1.0F;
  const float opacity = outdated ? kOutdated : 1.0F;
  const Point corner = surface.screen({0, 0});
  ImGuiCanvas::Target target{.list = ImGui::GetWindowDrawList(),
                             .origin = corner,
                             .scale = surface.scale(),
                             .theme = state.theme(),
                             .opacity = opacity,
                             .audit = state.audit,
                             .words = state.words};
  ImGui::SetNextItemAllowOverlap();  // by the way back from a zoom
  const Touch ground = surface.control("picture", {0, area.y, surface.width(), area.h});
  if (transition.before && transition.before->traced()) {
    target.opacity = opacity * (1 - fade);
    ImGuiCanvas old(target, state.fonts, state.cells);
    ViewContext before = view_context(state, transition.before.get(), variant);
    before.prepared = transition.before_prepared;
    before.phases = transition.before_phases;
    before.selection.event = std::min<std::uint32_t>(
        before.selection.event,
        static_cast<std::uint32_t>(transition.before->trace->events.size()) - 1);
    old.push_clip({0, area.y, surface.width(), area.h});
    draw_view(view, old, area, before);
    old.pop_clip();
    state.frame_wanted = true;
  }
  ViewContext context = context_of(state, picture, variant);
  if (!state.preferences.reduce_motion) {
    const double since = (state.now - transition.event_since) / kTravelSeconds;
    context.motion = ease_out(since);
    if (since < 1) state.frame_wanted = true;
  }
  target.opacity = opacity * fade;
  const ImVec2 pointer = ImGui::GetIO().MousePos;
  const MarkKeys keys = take_mark_keys(state, view);
  const bool zooms = state.zoom_wanted > 0 && descriptor_of(view).zoom == ViewZoom::kMatrices;
  if (!keys.active && !zooms) target.pointer = {pointer.x, pointer.y};
  ImGuiCanvas canvas(target, state.fonts, state.cells);
  canvas.push_clip({0, area.y, surface.width(), area.h});
  draw_view(view, canvas, area, context);
  canvas.pop_clip();
  Hit hovered;
  if (const Hit* marked = show_focused_mark(state, view, canvas, keys)) {
    hovered = *marked;
    if (keys.activate) act_on(state, *marked);
  } else if (ground.hovered) {
    if (const ImGuiCanvas::PlacedHit* placed = canvas.hit_at({pointer.x, pointer.y})) {
      const Hit* hit = &placed->hit;
      state.tooltip.offer(hit->tooltip, placed->screen);
      hovered = *hit;
      const bool acts = hit->kind == HitKind::kElement
                            ? owner_under(state.workbench.active(), *hit).has_value()
                            : hit->kind != HitKind::kNone && hit->kind != HitKind::kArgument;
      if (acts) ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
      if (ground.clicked && !ImGui::IsMouseDragPastThreshold(ImGuiMouseButton_Left, 3)) {
        act_on(state, *hit);
      }
    }
  }
  const auto mark = [](const Hit& hit) { return std::tuple(hit.kind, hit.value, hit.variant); };
  // What is hovered is lit in every view that is open.
  const ViewDescriptor& descriptor = descriptor_of(view);
  const bool lights = descriptor.needs.variants || hovered.kind == HitKind::kLane ||
                      state.hovered.kind == HitKind::kLane;
  if (lights && mark(hovered) != mark(state.hovered)) state.frame_wanted = true;
  state.hovered = std::move(hovered);
  const bool is_active =
      state.hovered.variant < 0 || state.hovered.variant == state.workbench.active_index();
  if (state.hovered.kind == HitKind::kLine && is_active) {
    state.touched_line = static_cast<std::uint32_t>(state.hovered.value);
  }
  // A tooltip that begins with a term's name, "occupancy: ...", is of that term.
  const std::string& tooltip = state.hovered.tooltip;
  const std::size_t colon = tooltip.find(": ");
  if (colon != std::string::npos)
    state.touched_term = state.glossary.find(tooltip.substr(0, colon));
  if (descriptor.zoom == ViewZoom::kMatrices) {
    MatrixCamera& camera = state.workbench.active().camera;
    steer_camera(surface, area, ground, camera);
    if (zooms) {
      const Point top_left = surface.screen({area.x, area.y});
      zoom_as_wanted(state, canvas,
                     {top_left.x, top_left.y, area.w * surface.scale(), area.h * surface.scale()});
    }
    if (camera.zoom > 1) draw_way_back(surface, area);
  }
  if (descriptor.needs.stages) state.facts.want_stages();
  if (descriptor.needs.phases) state.workbench.want_phases();
  if (descriptor.zoom == ViewZoom::kTime) {
    const float wheel = ground.hovered ? ImGui::GetIO().MouseWheel : 0;
    float& zoom = state.workbench.active().time_zoom;
    zoom = std::clamp(zoom * std::exp2(wheel * 0.5F), kLeastTimeZoom, kMostTimeZoom);
  }
}

// The values of a setting that has no room for them in the picture.
void draw_setting_menu(WindowState& state) {
  if (!ImGui::BeginPopup("setting menu")) return;
  for (const HitChoice& choice : state.setting_menu.choices) {
    if (!ImGui::MenuItem(choice.words.c_str(), nullptr, choice.value == state.setting_menu.value))
      continue;
    change_setting(
        state.view_settings,
        {.kind = HitKind::kSetting, .value = choice.value, .name = state.setting_menu.name});
  }
  ImGui::EndPopup();
}

// In the place of a picture that would answer a lesson's question.
void draw_lesson_veil(PanelSurface& surface) {
  const Point middle{surface.width() / 2, surface.height() / 2};
  const float magnify = surface.state().lecture ? kLectureText : 1;
  surface.canvas().fill_rect(
      {kViewMargin, 16, surface.width() - 2 * kViewMargin, surface.height() - 32},
      ColourRole::kPanel, 8);
  const std::size_t choices = surface.state().learn.step().question->choices.size();
  if (surface.state().lecture && choices > 0) {
    constexpr float kVeilChoices = 1.6F;  // the size of their text, as that of a lesson's answers
    constexpr float kVeilRow = 68;        // of one that has a line
    const float room = std::min(surface.width() - 4 * kViewMargin, 860.0F);
    const float height = kVeilRow * static_cast<float>(choices);
    draw_lesson_choices(surface, middle.x - room / 2, std::max(40.0F, middle.y - height / 2), room,
                        kVeilChoices);
    return;
  }
  surface.text(middle.x, middle.y - 24 * magnify, "?",
               styled(44 * magnify, ColourRole::kFaint, Weight::kBold, Align::kCenter));
  surface.text(middle.x, middle.y + 22 * magnify, "The picture comes with your answer.",
               styled(14 * magnify, ColourRole::kDim, Weight::kRegular, Align::kCenter));
}

}  // namespace

void draw_view_panel(WindowState& state, View view) {
  // A lesson's picture has the room of all panels, and is made for that of its own.
  constexpr float kWidth = 1176;
  constexpr float kHeight = 660;
  const bool is_large = state.learn.lesson() != nullptr && !state.lecture;
  PanelSurface surface(state, is_large ? magnification(state, kWidth, kHeight) : 1);
  draw_setting_menu(state);
  const Variant& variant = state.workbench.active();
  if (state.learn.veils()) return draw_lesson_veil(surface);
  draw_selection(state, view, variant);
  if (variant.study == nullptr || !variant.study->traced() ||
      variant.study->trace->events.empty()) {
    draw_empty(surface, variant);
    return;
  }
  const float magnify = state.lecture ? kLectureText : 1;
  const float size = magnify * (state.compact && !state.lecture ? 13 : 14);
  float y = state.lecture ? 30 : 25;
  const Transition::Picture picture = picture_of(state, view, variant);
  // In a lecture the lesson's own text stands where the sentence would.
  if (!state.lecture || state.learn.lesson() == nullptr) {
    const float right = draw_findings(surface, surface.width() - kViewMargin, y, size);
    const Sentence sentence = sentence_of(view, context_of(state, picture, variant));
    const float room = state.lecture ? surface.height() - y - kLectureNote - kBelowPicture -
                                           std::ceil(least_size(view).height * magnify)
                                     : surface.height();
    y = draw_sentence(surface,
                      broken_to_fit(surface, sentence, {right, room}, size, variant.is_final()), y);
  }
  std::string note;
  Paint ink = ColourRole::kDim;
  if (variant.error) {
    note = "The picture shows the last version that compiled. " + to_string(*variant.error);
    ink = ColourRole::kExcess;
  } else if (!variant.violations.empty()) {
    note = variant.violations.front().message + ". The picture shows " +
           describe_shown(variant, picture.study->instance);
    ink = ColourRole::kExcess;
  } else if (variant.study_pending || picture.study != variant.study) {
    const KernelInstance& instance = picture.study->instance;
    const std::string words = describe_shown(variant, instance);
    const bool as_asked =
        words == instance.title && (variant.entry == nullptr || variant.entry->id == instance.id);
    note = as_asked ? "computing …" : "computing … the picture shows " + words;
    const Launch& shown = picture.study->launch;
    const bool other = variant.asked && variant.study_pending &&
                       (variant.asked->grid != shown.grid || variant.asked->block != shown.block);
    if (other) note += "; now " + words_of(*variant.asked);
  }
  if (!note.empty()) {
    surface.fitted(kViewMargin, surface.width() - kViewMargin, y, note,
                   styled(12 * magnify, ink, Weight::kMedium));
  }
  // Room for the note is always kept, so that the picture does not jump.
  y += state.lecture ? kLectureNote : state.compact ? 4 : 8;
  const float below = state.compact && !state.lecture ? 4 : kBelowPicture;
  draw_picture(surface, view, {0, y, surface.width(), surface.height() - y - below}, variant);
}

}  // namespace tilescope
