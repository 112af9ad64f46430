#include "ui/panels/lecture_panel.h"

#include <fmt/format.h>
#include <imgui.h>
#include <imgui_internal.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "ui/drawing/style.h"
#include "ui/panels/fixed_area.h"
#include "ui/panels/ladder_panel.h"
#include "ui/panels/source_line.h"
#include "ui/panels/throughput_panel.h"
#include "ui/state/panel_surface.h"
#include "ui/state/view_context.h"
#include "ui/state/window_state.h"

namespace tilescope {
namespace {

constexpr float kLectureEdge = 24;
constexpr float kLectureCode = 21;

// The name of the scene, large, and the way out.
void draw_scene_name(WindowState& state, const Rect& px) {
  const FixedArea area(state, "scene name", px, ColourRole::kBackground);
  PanelSurface surface(state);
  const float right = surface.width() - kLectureEdge;
  const float middle = surface.height() / 2 + 4;
  if (state.presentation.presents()) {
    surface.fitted(kLectureEdge, right - 40, middle, state.presentation.present().name,
                   styled(28, ColourRole::kStrong, Weight::kBold));
    const Rect leave{right - 22, middle - 14, 28, 28};
    const Touch touch = surface.control(
        "leave", leave, "Ends the lecture (Escape). What you had open comes back. F11 stays here.");
    if (touch.hovered) surface.canvas().fill_rect(leave, ColourRole::kHover, 6);
    const Point c = leave.center();
    for (const float slope : {1.0F, -1.0F}) {
      surface.canvas().line({c.x - 5, c.y - 5 * slope}, {c.x + 5, c.y + 5 * slope},
                            ColourRole::kDim, 1.5F);
    }
    if (touch.clicked) state.presentation.leave(state);
  }
  surface.finish(surface.height());
}

void draw_lecture_line(WindowState& state, const Rect& px, bool with_control) {
  const FixedArea area(state, "lecture line", px, ColourRole::kPanel);
  PanelSurface surface(state);
  surface.rule(0, surface.width(), 0.5F);
  const float right = with_control
                          ? draw_parameter_stepper(surface, state.focused_parameter, kLectureCode)
                          : surface.width() - kLectureEdge;
  draw_source_line(surface, right, line_in_hand(state.workbench.active()), kLectureCode);
  surface.finish(surface.height());
}

// The strip: names where all of them fit, else numbers and the present name; of very many scenes
// those around the present one.
struct Strip {
  bool named = false;
  std::size_t first = 0;
  std::size_t end = 0;
};
constexpr float kChipGap = 8;

float chip_width(const PanelSurface& surface, const NamedScene& scene, std::size_t index,
                 bool named) {
  const float number =
      surface.canvas().text_width(std::to_string(index + 1), styled(15, ColourRole::kDim));
  if (!named) return number + 24;
  const TextStyle style = styled(15, ColourRole::kStrong, Weight::kSemibold);
  return number + 34 + surface.canvas().text_width(scene.name, style);
}

Strip strip_of(const PanelSurface& surface, float room) {
  const Presentation& presentation = surface.state().presentation;
  const Scenes& scenes = presentation.scenes();
  const std::size_t present = presentation.chosen();
  const auto width_of = [&](std::size_t i, bool named) {
    return chip_width(surface, scenes[i], i, named || i == present) + kChipGap;
  };
  float all = 0;
  for (std::size_t i = 0; i < scenes.size(); ++i) all += width_of(i, true);
  if (all <= room) return {true, 0, scenes.size()};
  Strip strip{false, present, present + 1};
  float used = std::min(width_of(present, true), room) + 2 * kChipGap;
  for (bool grows = true; grows;) {
    grows = false;
    if (strip.end < scenes.size() && used + width_of(strip.end, false) <= room) {
      used += width_of(strip.end++, false);
      grows = true;
    }
    if (strip.first > 0 && used + width_of(strip.first - 1, false) <= room) {
      used += width_of(--strip.first, false);
      grows = true;
    }
  }
  return strip;
}

// A scene of the strip at x; returns where it ends.
float draw_chip(PanelSurface& surface, float x, std::size_t index, bool named, float most) {
  Presentation& presentation = surface.state().presentation;
  const NamedScene& scene = presentation.scenes()[index];
  const bool present = index == presentation.chosen();
  named |= present;
  const float middle = surface.height() / 2;
  const Rect chip{x, 7, std::min(chip_width(surface, scene, index, named), most),
                  surface.height() - 14};
  ImGui::PushID(static_cast<int>(index));
  const Touch touch = surface.control("scene", chip, scene.name);
  ImGui::PopID();
  surface.canvas().fill_rect(chip, touch.hovered ? ColourRole::kHover : ColourRole::kRaised, 6);
  if (present) surface.canvas().stroke_rect(chip, ColourRole::kFirst, 2, 6);
  const std::string number = std::to_string(index + 1);
  const TextStyle style = styled(15, ColourRole::kDim, Weight::kRegular);
  surface.text(chip.x + 12, middle, number, style);
  if (named) {
    surface.fitted(chip.x + 21 + surface.canvas().text_width(number, style), chip.right() - 8,
                   middle, scene.name,
                   styled(15, present ? ColourRole::kStrong : ColourRole::kText,
                          present ? Weight::kSemibold : Weight::kRegular));
  }
  if (touch.clicked) presentation.go_to(surface.state(), index);
  return chip.right();
}

// A row of all scenes, and how long the lecture has gone on.
void draw_scene_strip(WindowState& state, const Rect& px) {
  const FixedArea area(state, "scenes", px, ColourRole::kPanel);
  PanelSurface surface(state);
  const Presentation& presentation = state.presentation;
  const float middle = surface.height() / 2;
  if (presentation.presents()) {
    const float right = surface.width() - kLectureEdge;
    surface.text(right, middle, clock_words(presentation.seconds(state)),
                 styled(17, ColourRole::kStrong, Weight::kSemibold, Align::kRight));
    const float room = right - 84 - kLectureEdge;
    const Strip strip = strip_of(surface, room - 40);
    float x = kLectureEdge;
    const auto more = [&](bool is_more) {
      if (!is_more) return;
      surface.text(x, middle, "…", styled(17, ColourRole::kDim));
      x += 20;
    };
    more(strip.first > 0);
    for (std::size_t i = strip.first; i < strip.end; ++i) {
      x = draw_chip(surface, x, i, strip.named, room) + kChipGap;
    }
    more(strip.end < presentation.scenes().size());
  }
  surface.finish(surface.height());
}

}  // namespace

std::string clock_words(double seconds) {
  const auto whole = static_cast<long>(std::max(0.0, seconds));
  if (whole < 3600) return fmt::format("{}:{:02}", whole / 60, whole % 60);
  return fmt::format("{}:{:02}:{:02}", whole / 3600, whole / 60 % 60, whole % 60);
}

void draw_lecture(WindowState& state, const PanelInsets& frame) {
  const bool scenes = state.layout == name_of(LayoutKind::kScenes);
  if (!scenes && state.layout != name_of(LayoutKind::kLecture)) return;
  const ImVec2 screen = ImGui::GetIO().DisplaySize;
  const float strip = scenes ? frame.bottom - state.px(kLectureLine) : 0;
  if (scenes) {
    draw_scene_name(state, {0, 0, screen.x, frame.top});
    draw_scene_strip(state, {0, screen.y - strip, screen.x, strip});
  }
  draw_lecture_line(state, {0, screen.y - frame.bottom, screen.x, frame.bottom - strip}, scenes);
}

namespace {

// Draws all of a panel, text and controls, as large as a lecture's pictures while this lives.
class Magnified {
 public:
  explicit Magnified(WindowState& state) : state_(state), scale_(state.scale) {
    set(scale_ * kLectureText);
  }
  ~Magnified() { set(scale_); }
  Magnified(const Magnified&) = delete;
  Magnified& operator=(const Magnified&) = delete;

 private:
  void set(float scale) {
    state_.scale = scale;
    ImGui::GetStyle().FontScaleMain = scale;
  }

  WindowState& state_;
  float scale_;
};

}  // namespace

void draw_lecture_overlay(WindowState& state, float top, const PanelInsets& frame) {
  using Overlay = LectureAids::Overlay;
  LectureAids& aids = state.aids;
  if (!state.lecture || state.learn.lesson() != nullptr) aids.overlay = Overlay::kNone;
  if (aids.overlay == Overlay::kNone) return;
  const ImVec2 screen = ImGui::GetIO().DisplaySize;
  const bool kernels = aids.overlay == Overlay::kKernels;
  const float above = top + frame.top;
  const float height = screen.y - above - frame.bottom;
  const Magnified larger(state);
  const Rect px = kernels ? Rect{0, above, std::min(state.px(300), screen.x), height}
                          : Rect{0, above + height * 0.3F, screen.x, height * 0.7F};
  ImGui::SetNextWindowPos({px.x, px.y});
  ImGui::SetNextWindowSize({px.w, px.h});
  ImGui::PushStyleColor(ImGuiCol_WindowBg, packed(ColourRole::kPanel, state.theme()));
  ImGui::Begin(kernels ? "kernels of the lecture" : "charts of the lecture", nullptr,
               ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoMove |
                   ImGuiWindowFlags_NoDocking | ImGuiWindowFlags_NoSavedSettings |
                   ImGuiWindowFlags_NoFocusOnAppearing);
  if (kernels) {
    draw_ladder_panel(state);
  } else {
    draw_throughput_panel(state);
  }
  ImGui::BringWindowToDisplayFront(ImGui::GetCurrentWindow());
  ImGui::End();
  ImGui::PopStyleColor();
}

namespace {

// Takes the mouse away from what lies below. Open while this lives.
class Cover {
 public:
  Cover(const char* name, float ground_alpha, const WindowState& state) {
    ImGui::SetNextWindowPos({0, 0});
    ImGui::SetNextWindowSize(ImGui::GetIO().DisplaySize);
    ImGui::SetNextWindowBgAlpha(ground_alpha);
    ImGui::PushStyleColor(ImGuiCol_WindowBg, packed(ColourRole::kBackground, state.theme()));
    ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, ImVec2(0, 0));
    ImGui::Begin(name, nullptr,
                 ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoMove |
                     ImGuiWindowFlags_NoDocking | ImGuiWindowFlags_NoSavedSettings |
                     ImGuiWindowFlags_NoFocusOnAppearing | ImGuiWindowFlags_NoNav);
    ImGui::PopStyleVar();
    ImGui::PopStyleColor();
    ImGui::BringWindowToDisplayFront(ImGui::GetCurrentWindow());
  }
  ~Cover() { ImGui::End(); }
  Cover(const Cover&) = delete;
  Cover& operator=(const Cover&) = delete;
};

void draw_strokes(const WindowState& state, const ImVec2& screen) {
  ImDrawList* list = ImGui::GetForegroundDrawList();
  for (const std::vector<Point>& stroke : state.aids.strokes) {
    std::vector<ImVec2> points;
    for (const Point& point : stroke) points.emplace_back(point.x * screen.x, point.y * screen.y);
    list->AddPolyline(points.data(), static_cast<int>(points.size()),
                      packed(ColourRole::kExcess, state.theme()), ImDrawFlags_None, state.px(4));
  }
}

// The pen's way while the button is down.
void take_pen(LectureAids& aids, const ImVec2& screen) {
  ImGui::InvisibleButton("paper", screen);
  ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  const Point here{mouse.x / screen.x, mouse.y / screen.y};
  if (!ImGui::IsItemActive()) {
    aids.drawing = false;
    return;
  }
  if (!aids.drawing) aids.strokes.emplace_back();
  aids.drawing = true;
  std::vector<Point>& stroke = aids.strokes.back();
  if (stroke.empty() || stroke.back().x != here.x || stroke.back().y != here.y) {
    stroke.push_back(here);
  }
}

// A ring of shade around the pointer, as far as the corners.
void draw_spotlight(const WindowState& state, const ImVec2& screen) {
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  if (!ImGui::IsMousePosValid(&mouse)) return;
  const float radius = state.px(130);
  const float out = std::hypot(screen.x, screen.y);
  ImDrawList* list = ImGui::GetForegroundDrawList();
  const ImU32 shade = IM_COL32(0, 0, 0, state.theme() == Theme::kDark ? 190 : 150);
  constexpr int kPieces = 96;
  const ImDrawListFlags flags = list->Flags;
  list->Flags &= ~ImDrawListFlags_AntiAliasedFill;  // no seams between the pieces
  const auto at = [&](int piece, float away) {
    const float angle = static_cast<float>(piece) * 6.2831853F / kPieces;
    return ImVec2(mouse.x + away * std::cos(angle), mouse.y + away * std::sin(angle));
  };
  for (int i = 0; i < kPieces; ++i) {
    list->AddQuadFilled(at(i, radius), at(i + 1, radius), at(i + 1, out), at(i, out), shade);
  }
  list->Flags = flags;
}

}  // namespace

void draw_lecture_aids(WindowState& state) {
  LectureAids& aids = state.aids;
  if (!state.lecture) aids = {};
  const ImVec2 screen = ImGui::GetIO().DisplaySize;
  if (aids.blank) {
    const Cover cover("blank", 1, state);
    return;
  }
  if (aids.pen) {
    const Cover cover("pen", 0, state);
    take_pen(aids, screen);
  }
  draw_strokes(state, screen);
  if (aids.spotlight) draw_spotlight(state, screen);
}

}  // namespace tilescope
