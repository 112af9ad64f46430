#include "ui/panels/view_panel.h"

#include <imgui.h>
#include <imgui_internal.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "analysis/study/moment.h"
#include "kernel/catalogue/parameter_values.h"
#include "scene/drawing/canvas.h"
#include "scene/drawing/pen.h"
#include "scene/tiling/element_owner.h"
#include "scene/views.h"
#include "ui/drawing/cell_renderer.h"
#include "ui/drawing/fonts.h"
#include "ui/drawing/style.h"
#include "ui/state/actions.h"
#include "ui/state/layout.h"
#include "ui/state/panel_surface.h"
#include "ui/state/view_context.h"
#include "ui/state/window_state.h"

namespace tilescope {
namespace {

// Does what a click on this place of a view asks for.
void act_on(Desk& desk, const Hit& clicked);
// Of an element of the tiling view; nullopt: of anything else.
[[nodiscard]] std::optional<ElementOwner> owner_under(const Variant& variant, const Hit& hit);

// "PAD=8,SWIZZLE=0": values that keep the rules only together.
void set_together(Workbench& bench, std::string_view settings) {
  ParameterSet parameters = bench.active().parameters;
  while (!settings.empty()) {
    const std::string_view one = settings.substr(0, settings.find(','));
    const std::size_t equals = one.find('=');
    if (equals == std::string_view::npos) return;
    std::int64_t value = 0;
    std::from_chars(one.data() + equals + 1, one.data() + one.size(), value);
    parameters[std::string(one.substr(0, equals))] = value;
    settings.remove_prefix(std::min(settings.size(), one.size() + 1));
  }
  bench.apply(parameters);
}

void do_action(Desk& desk, const Hit& hit) {
  constexpr std::string_view kSet = "set:";
  if (hit.name.starts_with(kSet)) set_together(desk.bench, hit.name.substr(kSet.size()));
  if (hit.name == "activate") desk.bench.activate(static_cast<int>(hit.value));
  if (hit.name == "add_variant") desk.bench.add_variant();
  if (hit.name == "compare_ladder") compare_ladder(desk.bench);
  constexpr std::string_view kKernel = "kernel:";
  if (!hit.name.starts_with(kKernel)) return;
  const CatalogueEntry* entry = desk.bench.catalogue().find(hit.name.substr(kKernel.size()));
  if (entry != nullptr) desk.bench.choose_kernel(*entry);
}

// In another variant's pane: time moves in the active one, and the others follow; what is that
// variant's own makes it the active one.
Hit of_active(Desk& desk, Hit hit) {
  const int active = desk.bench.active_index();
  const auto count = static_cast<int>(desk.bench.variants().size());
  if (hit.variant < 0 || hit.variant == active || hit.variant >= count) return hit;
  if (hit.kind == HitKind::kEvent) {
    const Variant& from = desk.bench.variants()[static_cast<std::size_t>(hit.variant)];
    if (from.study == nullptr || desk.bench.active().study == nullptr) return hit;
    hit.value = same_share(*from.study, static_cast<std::uint32_t>(hit.value),
                           *desk.bench.active().study, desk.bench.active().selection.warp);
  } else if (hit.kind == HitKind::kLine || hit.kind == HitKind::kParameter ||
             hit.kind == HitKind::kBlock) {
    desk.bench.activate(hit.variant);
  }
  return hit;
}

std::optional<ElementOwner> owner_under(const Variant& variant, const Hit& hit) {
  if (hit.kind != HitKind::kElement || variant.prepared == nullptr) return std::nullopt;
  return owner_of_element(*variant.prepared->tiling, hit);
}

void act_on(Desk& desk, const Hit& clicked) {
  const Hit hit = of_active(desk, clicked);
  Variant& variant = desk.bench.active();
  switch (hit.kind) {
    case HitKind::kLane:
      variant.selection.lane = static_cast<int>(hit.value);
      break;
    case HitKind::kWarp:
      variant.selection.warp = static_cast<std::uint32_t>(hit.value);
      if (hit.value2 > 0) variant.selection.event = static_cast<std::uint32_t>(hit.value2 - 1);
      break;
    case HitKind::kBlock:
      desk.bench.select_block(static_cast<std::uint64_t>(hit.value));
      break;
    case HitKind::kLine:
      variant.selection.line = variant.selection.line == static_cast<std::uint32_t>(hit.value)
                                   ? 0
                                   : static_cast<std::uint32_t>(hit.value);
      break;
    case HitKind::kParameter:
      desk.focused_parameter = hit.name;
      desk.bench.set_parameter(hit.name, hit.value);
      break;
    case HitKind::kEvent:
      variant.selection.event = static_cast<std::uint32_t>(hit.value);
      break;
    case HitKind::kSetting:
      change_setting(desk.view_settings, hit);
      break;
    case HitKind::kAction:
      do_action(desk, hit);
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

// "4 findings" at the end of a sentence's first line, which ends at `edge`: the source that shows
// them may be a tab behind, and not there at all in a lecture. A click leads to the next one.
// Returns where the sentence must end.
float draw_findings(Sheet& sheet, float edge, float y, float size);

// The error that stands in the way of a picture, the compiler's others as far as there is room, and
// the way to the first line. Precondition: the variant has an error.
void draw_error(Sheet& sheet, const Variant& variant, const Rect& area);

float draw_findings(Sheet& sheet, float edge, float y, float size) {
  const std::vector<SourceMark>& marks = sheet.desk().marks.source;
  const auto count =
      std::ranges::count_if(marks, [](const SourceMark& mark) { return mark.finding.has_value(); });
  if (count == 0) return edge;
  const std::string words = std::to_string(count) + (count == 1 ? " problem" : " problems");
  const TextStyle style = styled(size - 1, ColourRole::kExcess, Weight::kSemibold, Align::kCenter);
  const float width = sheet.canvas().text_width(words, style) + 20;
  const float height = std::round(size * 1.6F);
  const Rect badge{edge - width, y - height / 2, width, height};
  const Touch touch = sheet.control("findings", badge);
  if (touch.hovered) sheet.canvas().fill_rect(badge, ColourRole::kHover, 6);
  sheet.canvas().stroke_rect(badge, ColourRole::kExcess, 1, 6);
  sheet.text(badge.center().x, badge.center().y, words, style);
  const auto first =
      std::ranges::find_if(marks, [](const SourceMark& mark) { return mark.finding.has_value(); });
  sheet.explain(badge, "Line " + std::to_string(first->line) + ": " + first->words +
                           "\nClick to go to the next one.");
  if (touch.clicked) go_to_finding(sheet.desk());
  return badge.x - 16;
}

void draw_error(Sheet& sheet, const Variant& variant, const Rect& area) {
  const float x = area.x;
  const float room = area.w;
  float y = area.y;
  const Error& error = *variant.error;
  sheet.text(
      x, y,
      error.code == ErrorCode::kKernel ? "This kernel cannot be shown" : "This cannot be done here",
      styled(15, ColourRole::kStrong, Weight::kSemibold));
  y += 28;
  const std::vector<SourceMark>& marks = sheet.desk().marks.source;
  if (marks.empty()) {
    Error without_remedy = error;
    without_remedy.remedy.clear();
    y = sheet.paragraph(x, y, room, to_string(without_remedy), styled(13, ColourRole::kExcess));
    if (!error.remedy.empty()) sheet.paragraph(x, y + 8, room, error.remedy, styled(13));
    return;
  }
  for (const SourceMark& mark : marks) {
    if (y + 80 > area.bottom()) break;
    std::string words = "Line " + std::to_string(mark.line) + ": " + mark.words;
    std::ranges::replace(words, '\n', ' ');
    y = sheet.paragraph(x, y, room, words, styled(13, ColourRole::kExcess)) + 6;
  }
  const std::uint32_t first = std::ranges::min(marks, {}, &SourceMark::line).line;
  const std::string words = "Show line " + std::to_string(first) + " in the source";
  const float width = sheet.canvas().text_width(words, styled(12)) + 28;
  const Rect button{x, y + 8, width, 28};
  const bool pressed = sheet.push("to the error", button, words, true);
  sheet.explain(button, "Goes to the line, in the source (F8).");
  if (pressed) {
    sheet.desk().problem_line = 0;
    go_to_problem(sheet.desk(), 1);
  }
}

constexpr double kCrossFadeSeconds = 0.12;
constexpr double kTravelSeconds = 0.18;

float ease_out(double t) {
  const double left = 1 - std::clamp(t, 0.0, 1.0);
  return static_cast<float>(1 - left * left * left);
}

// Only what differs from how the sliders stand.
std::string describe_shown(const Variant& variant) {
  ParameterSet changed;
  const auto compare = [&changed](const ParameterSet& shown, const ParameterSet& wanted) {
    for (const auto& [name, value] : shown) {
      const auto now = wanted.find(name);
      if (now == wanted.end() || now->second != value) changed[name] = value;
    }
  };
  compare(variant.study->instance.parameters, variant.parameters);
  compare(variant.study->instance.extents, variant.extents);
  const std::string text = values_words(variant.entry, changed);
  return text.empty() ? variant.study->instance.title : text;
}

// Remembers what was shown before and when it changed.
Transition& follow(Desk& desk, View view, const Variant& variant) {
  Transition& transition = desk.transitions[static_cast<int>(view)];
  if (transition.shown != variant.study) {
    const bool new_trace = transition.shown == nullptr || variant.study == nullptr ||
                           transition.shown->trace != variant.study->trace;
    if (new_trace) {
      transition.before = transition.shown;
      transition.before_prepared = transition.shown_prepared;
      transition.shown_since = desk.now;
    }
    transition.shown = variant.study;
    transition.shown_prepared = variant.prepared;
  }
  if (transition.event != variant.selection.event) {
    transition.event = variant.selection.event;
    transition.event_since = desk.now;
  }
  if (desk.preferences.reduce_motion || desk.now - transition.shown_since > kCrossFadeSeconds) {
    transition.before.reset();
  }
  return transition;
}

void show_tooltip(const Desk& desk, const std::string& words) {
  if (words.empty() || !ImGui::BeginTooltip()) return;
  ImGui::PushTextWrapPos(desk.px(400));
  ImGui::TextUnformatted(words.c_str());
  ImGui::PopTextWrapPos();
  ImGui::EndTooltip();
}

// Wheel zooms around the pointer, dragging moves.
void steer_camera(Sheet& sheet, const Rect& area, const Touch& ground, MatrixCamera& camera) {
  const ImGuiIO& io = ImGui::GetIO();
  if (ground.hovered && io.MouseWheel != 0) {
    const Point at = sheet.units({io.MousePos.x, io.MousePos.y});
    camera.zoom_by(std::exp2(io.MouseWheel * 0.25F), (at.x - area.x) / area.w - 0.5F,
                   (at.y - area.y) / area.h - 0.5F);
  }
  if (ground.held && ImGui::IsMouseDragging(ImGuiMouseButton_Left, 3)) {
    camera.move_by(-io.MouseDelta.x / (area.w * sheet.scale()),
                   -io.MouseDelta.y / (area.h * sheet.scale()));
  }
}

// Runs of plain and strong words, broken into lines; returns the y below.
float draw_sentence(Sheet& sheet, const Sentence& sentence, float y, float right, float size) {
  float x = kViewMargin;
  const float pitch = std::round(size * 1.5F);
  for (const SentenceRun& run : sentence) {
    const TextStyle style = styled(size, run.strong ? ColourRole::kStrong : ColourRole::kText,
                                   run.strong ? Weight::kSemibold : Weight::kRegular);
    std::size_t at = 0;
    while (at < run.text.size()) {
      std::size_t end = unbroken_end(run.text, at);
      if (end < run.text.size()) ++end;
      const std::string word = run.text.substr(at, end - at);
      const std::string bare = word.back() == ' ' ? word.substr(0, word.size() - 1) : word;
      if (x > kViewMargin && x + sheet.canvas().text_width(bare, style) > right) {
        x = kViewMargin;
        y += pitch;
      }
      sheet.text(x, y, word, style);
      x += sheet.canvas().text_width(word, style);
      at = end;
    }
  }
  return y + pitch;
}

void draw_empty(Sheet& sheet, const Variant& variant) {
  const float x = kViewMargin;
  const float y = 40;
  const float room = std::min(sheet.width() - 2 * kViewMargin, 720.0F);
  if (variant.error) {
    draw_error(sheet, variant, {x, y, room, sheet.height() - y});
  } else if (!variant.violations.empty()) {
    sheet.text(x, y, variant.violations.front().message,
               styled(15, ColourRole::kExcess, Weight::kSemibold));
    sheet.paragraph(x, y + 28, room, "Nothing is compiled until the parameters meet all rules.",
                    styled(13));
    const ParameterSet& nearest = variant.violations.front().nearest_legal;
    if (nearest.empty()) return;
    const Rect button{x, y + 60, 220, 28};
    const bool pressed = sheet.push("nearest legal", button, "Use the nearest valid values", true);
    sheet.explain(button, "The fewest slider steps to values that meet all rules.");
    if (pressed) sheet.desk().bench.apply(ParameterSet(nearest));
  } else if (variant.study_pending) {
    sheet.text(x, y, "compiling and tracing the block …", styled(13, ColourRole::kDim));
  } else {
    sheet.text(x, y, "No kernel is selected.", styled(13));
    const auto& entries = sheet.desk().bench.catalogue().entries;
    if (entries.empty()) return;
    const Rect button{x, y + 20, 220, 28};
    const bool pressed = sheet.push("first kernel", button, "Open " + entries.front().title, true);
    sheet.explain(button, entries.front().idea);
    if (pressed) sheet.desk().bench.choose_kernel(entries.front());
  }
}

// What is selected, at the right end of the tabs; a lecture has it beside the parameters.
void draw_selection(const Desk& desk, View view, const Variant& variant) {
  const ImGuiWindow* window = ImGui::GetCurrentWindow();
  const ImGuiDockNode* node = window->DockNode;
  if (desk.lecture || variant.study == nullptr || node == nullptr || node->TabBar == nullptr ||
      node->IsHiddenTabBar())
    return;
  const std::size_t linked =
      desk.compare.set() != nullptr ? desk.compare.set()->variants.size() : 0;
  const std::string words = view == View::kCompare && linked > 1
                                ? std::to_string(linked) + " variants linked"
                                : selection_words(variant);
  const float size = std::round(desk.px(12));
  ImFont* font = desk.fonts.text(Weight::kRegular);
  const float width = font->CalcTextSizeA(size, FLT_MAX, 0, words.c_str()).x;
  const ImRect bar = node->TabBar->BarRect;
  const float x = bar.Max.x - desk.px(12) - width;
  if (x < bar.Min.x + node->TabBar->WidthAllTabs + desk.px(16)) return;
  ImDrawList* list = ImGui::GetWindowDrawList();
  list->PushClipRect(bar.Min, bar.Max, false);
  list->AddText(font, size, {x, top_of_text(bar.GetCenter().y, size)},
                packed(ColourRole::kDim, desk.theme()), words.c_str());
  list->PopClipRect();
}

void draw_picture(Sheet& sheet, View view, const Rect& area, const Variant& variant) {
  Desk& desk = sheet.desk();
  Transition& transition = follow(desk, view, variant);
  const bool outdated = variant.study_pending || !variant.violations.empty() || variant.error;
  const float fade =
      transition.before ? ease_out((desk.now - transition.shown_since) / kCrossFadeSeconds) : 1.0F;
  const float opacity = outdated ? 0.45F : 1.0F;
  const Point corner = sheet.screen({0, 0});
  ImGuiCanvas::Target target{.list = ImGui::GetWindowDrawList(),
                             .origin = corner,
                             .scale = sheet.scale(),
                             .theme = desk.theme(),
                             .opacity = opacity,
                             .audit = desk.audit};
  const Touch ground = sheet.control("picture", {0, area.y, sheet.width(), area.h});
  if (transition.before && transition.before->traced()) {
    target.opacity = opacity * (1 - fade);
    ImGuiCanvas old(target, desk.fonts, desk.cells);
    ViewContext before = view_context(desk, transition.before.get(), variant);
    before.prepared = transition.before_prepared;
    before.selection.event = std::min<std::uint32_t>(
        before.selection.event,
        static_cast<std::uint32_t>(transition.before->trace->events.size()) - 1);
    old.push_clip({0, area.y, sheet.width(), area.h});
    draw_view(view, old, area, before);
    old.pop_clip();
    desk.frame_wanted = true;
  }
  ViewContext context = view_context(desk, variant.study.get(), variant);
  if (!desk.preferences.reduce_motion) {
    const double since = (desk.now - transition.event_since) / kTravelSeconds;
    context.motion = ease_out(since);
    if (since < 1) desk.frame_wanted = true;
  }
  target.opacity = opacity * fade;
  const ImVec2 pointer = ImGui::GetIO().MousePos;
  const MarkKeys keys = take_mark_keys(desk, view);
  if (!keys.active) target.pointer = {pointer.x, pointer.y};
  ImGuiCanvas canvas(target, desk.fonts, desk.cells);
  canvas.push_clip({0, area.y, sheet.width(), area.h});
  draw_view(view, canvas, area, context);
  canvas.pop_clip();
  Hit hovered;
  if (const Hit* marked = show_focused_mark(desk, view, canvas, keys)) {
    hovered = *marked;
    if (keys.activate) act_on(desk, *marked);
  } else if (ground.hovered) {
    if (const Hit* hit = canvas.hit_at({pointer.x, pointer.y})) {
      show_tooltip(desk, hit->tooltip);
      hovered = *hit;
      const bool acts = hit->kind == HitKind::kElement
                            ? owner_under(desk.bench.active(), *hit).has_value()
                            : hit->kind != HitKind::kNone && hit->kind != HitKind::kArgument;
      if (acts) ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
      if (ground.clicked && !ImGui::IsMouseDragPastThreshold(ImGuiMouseButton_Left, 3)) {
        act_on(desk, *hit);
      }
    }
  }
  const auto mark = [](const Hit& hit) { return std::tuple(hit.kind, hit.value, hit.variant); };
  // What is hovered is lit in every view that is open.
  const bool lights = view == View::kCompare || hovered.kind == HitKind::kLane ||
                      desk.hovered.kind == HitKind::kLane;
  if (lights && mark(hovered) != mark(desk.hovered)) desk.frame_wanted = true;
  desk.hovered = std::move(hovered);
  const bool is_active =
      desk.hovered.variant < 0 || desk.hovered.variant == desk.bench.active_index();
  if (desk.hovered.kind == HitKind::kLine && is_active) {
    desk.touched_line = static_cast<std::uint32_t>(desk.hovered.value);
  }
  if (view == View::kTiling) steer_camera(sheet, area, ground, desk.bench.active().camera);
  if (view == View::kPipeline) {
    desk.bench.want_stages();
    desk.bench.want_phases();
    const float wheel = ground.hovered ? ImGui::GetIO().MouseWheel : 0;
    float& zoom = desk.bench.active().time_zoom;
    zoom = std::clamp(zoom * std::exp2(wheel * 0.5F), kLeastTimeZoom, kMostTimeZoom);
  }
}

}  // namespace

void draw_view_panel(Desk& desk, View view) {
  Sheet sheet(desk);
  const Variant& variant = desk.bench.active();
  draw_selection(desk, view, variant);
  if (variant.study == nullptr || !variant.study->traced() ||
      variant.study->trace->events.empty()) {
    draw_empty(sheet, variant);
    return;
  }
  const float magnify = desk.lecture ? kLectureText : 1;
  const float size = magnify * (desk.compact && !desk.lecture ? 13 : 14);
  float y = desk.lecture ? 30 : 25;
  const float right = draw_findings(sheet, sheet.width() - kViewMargin, y, size);
  y = draw_sentence(sheet, sentence_of(view, view_context(desk, variant.study.get(), variant)), y,
                    right, size);
  std::string note;
  Paint ink = ColourRole::kDim;
  if (variant.error) {
    note = "The picture shows the last version that compiled. " + to_string(*variant.error);
    ink = ColourRole::kExcess;
  } else if (!variant.violations.empty()) {
    note = variant.violations.front().message + ". The picture shows " + describe_shown(variant);
    ink = ColourRole::kExcess;
  } else if (variant.study_pending) {
    note = "computing … the picture shows " + describe_shown(variant);
  }
  if (!note.empty()) {
    sheet.fitted(kViewMargin, sheet.width() - kViewMargin, y, note,
                 styled(12 * magnify, ink, Weight::kMedium));
  }
  // Room for the note is always kept, so that the picture does not jump.
  y += desk.lecture ? 20 : desk.compact ? 4 : 8;
  const float below = desk.compact && !desk.lecture ? 4 : 12;
  draw_picture(sheet, view, {0, y, sheet.width(), sheet.height() - y - below}, variant);
}

}  // namespace tilescope
