#include "ui/panels/presenter_page.h"

#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <string_view>
#include <vector>

#include "core/text.h"
#include "scene/drawing/canvas.h"
#include "scene/views.h"
#include "ui/drawing/imgui_canvas.h"
#include "ui/drawing/style.h"
#include "ui/panels/lecture_panel.h"
#include "ui/state/panel_surface.h"
#include "ui/state/view_context.h"
#include "ui/state/window_state.h"

namespace tilescope {

struct PresenterPage::Lists {
  Lists() : list(ImGui::GetDrawListSharedData()) {}
  ImDrawList list;
  ImDrawData data;
};

PresenterPage::PresenterPage() = default;
PresenterPage::~PresenterPage() = default;

namespace {

constexpr float kPageEdge = 28;
constexpr float kSmall = 0.5F;  // of the pictures

// One of the two pictures: its frame, what it is, and the view as it is drawn in the window.
struct SmallPicture {
  Rect frame;  // units
  std::string title;
  std::string missing;  // what is said in its place; empty: there is one
  View view = View::kTiling;
  const Variant* variant = nullptr;  // with a study; nullptr: not yet
  const Scene* scene = nullptr;      // whose settings it has; nullptr: what the window shows
};

// What the page says: of a scene of a lecture, or of a step of a lesson.
struct Speech {
  std::string place;  // "2 / 8"
  std::string note;   // lines; empty: none
  std::string next_note;
  SmallPicture now;
  SmallPicture next;
  double seconds = 0;
};

ViewContext context_of(const WindowState& state, const SmallPicture& picture) {
  const Variant& variant = *picture.variant;
  ViewContext context = view_context(state, variant.study.get(), variant);
  context.text_scale = kLectureText;
  if (picture.scene == nullptr) return context;
  static_cast<ViewFacts&>(context) = {};  // they are of what is shown now
  context.settings = picture.scene->settings;
  return context;
}

void draw_small_picture(WindowState& state, ImDrawList* list, Canvas& page,
                        const SmallPicture& picture) {
  const Rect& frame = picture.frame;
  page.text({frame.x, frame.y - 16}, picture.title,
            styled(15, ColourRole::kStrong, Weight::kSemibold));
  page.fill_rect(frame, ColourRole::kBackground, 6);
  page.stroke_rect(
      frame,
      picture.scene == nullptr && picture.missing.empty() ? ColourRole::kFirst : ColourRole::kLine,
      2, 6);
  const auto say = [&](std::string_view words) {
    page.text(frame.center(), words,
              styled(14, ColourRole::kDim, Weight::kRegular, Align::kCenter));
  };
  if (!picture.missing.empty()) return say(picture.missing);
  if (picture.variant == nullptr || picture.variant->study == nullptr ||
      !picture.variant->study->traced()) {
    return say("is being computed …");
  }
  const ViewContext context = context_of(state, picture);
  const Rect inner = frame.inset(10);
  ImGuiCanvas canvas({.list = list,
                      .origin = {state.px(inner.x), state.px(inner.y)},
                      .scale = state.scale * kSmall,
                      .theme = state.theme(),
                      .audit = nullptr},
                     state.fonts, state.cells);
  const Rect area{0, 0, inner.w / kSmall, inner.h / kSmall};
  canvas.push_clip(area);
  draw_view(picture.view, canvas, area, context);
  canvas.pop_clip();
}

// Words broken into lines; returns the y below.
float draw_words(Canvas& page, const Rect& room, std::string_view words, const TextStyle& style) {
  const float pitch = style.size * 1.45F;
  float y = room.y;
  while (!words.empty() && y + pitch < room.bottom()) {
    const std::size_t end = words.find('\n');
    std::string_view rest = words.substr(0, end);
    words.remove_prefix(end == std::string_view::npos ? words.size() : end + 1);
    do {
      std::size_t cut = rest.size();
      while (cut > 0 && page.text_width(rest.substr(0, cut), style) > room.w) {
        const std::size_t space = rest.rfind(' ', cut - 1);
        if (space == std::string_view::npos || space == 0) break;
        cut = space;
      }
      page.text({room.x, y}, rest.substr(0, cut), style);
      rest = trimmed(rest.substr(cut));
      y += pitch;
    } while (!rest.empty() && y + pitch < room.bottom());
  }
  return y;
}

Speech speech_of_scene(const WindowState& state) {
  const Presentation& presentation = state.presentation;
  const NamedScene& present = presentation.present();
  Speech speech;
  speech.place = fmt::format("{} / {}", presentation.chosen() + 1, presentation.scenes().size());
  speech.note = present.note.empty() ? "This scene has no note." : present.note;
  speech.now = {{}, "Now: " + present.name, "", present.scene.view, &state.workbench.active()};
  speech.seconds = presentation.seconds(state);
  speech.next.title = "Next";
  speech.next.missing = "This is the last scene.";
  const NamedScene* next = presentation.next();
  if (next == nullptr) return speech;
  const Scene& scene = next->scene;
  speech.next_note = next->note;
  speech.next = {{}, "Next: " + next->name, "", scene.view, nullptr, &scene};
  if (descriptor_of(scene.view).needs.variants) {
    speech.next.missing =
        fmt::format("{} of {} variants", title_of(scene.view), scene.variants.size());
  } else {
    speech.next.variant =
        state.workbench.ready(scene.variants[static_cast<std::size_t>(scene.active)]);
  }
  return speech;
}

// "Banks, tiled": what the step shows.
std::string scene_words(const LessonStep& step) {
  if (!step.scene) return "The picture stays.";
  if (step.scene->is_chart()) return "A chart";
  const auto view = parse_view(step.scene->view);
  return (view ? std::string(title_of(*view)) : step.scene->view) + ": " + step.scene->launch;
}

// A step's notes, a paragraph a line.
std::string notes_of(const LessonStep& step) {
  std::string notes;
  for (const std::string& note : step.notes) notes += (notes.empty() ? "" : "\n") + note;
  return notes;
}

// The picture is there before the room has answered.
Speech speech_of_lesson(const WindowState& state, double seconds) {
  const Learn& learn = state.learn;
  const std::vector<LessonStep>& steps = learn.lesson()->steps;
  Speech speech;
  speech.place = fmt::format("{} / {}", learn.step_index() + 1, steps.size());
  speech.note = notes_of(learn.step());
  if (speech.note.empty()) speech.note = "This step has no notes.";
  if (learn.asks()) speech.note += "\nA question waits: Page Down shows its answer.";
  speech.now = {{}, "Now: " + learn.step().title, "", state.view, &state.workbench.active()};
  if (learn.scene() != nullptr && learn.scene()->is_chart()) {
    speech.now.missing = "The window shows a chart.";
  }
  speech.next.title = "Next";
  speech.next.missing = "This is the last step.";
  speech.seconds = seconds;
  if (learn.is_last()) return speech;
  const LessonStep& next = steps[learn.step_index() + 1];
  speech.next.title = "Next: " + next.title;
  speech.next.missing = scene_words(next);
  speech.next_note = notes_of(next);
  return speech;
}

}  // namespace

void PresenterPage::draw(WindowState& state) {
  const ImVec2 screen = ImGui::GetIO().DisplaySize;
  if (lists_ == nullptr) lists_ = std::make_unique<Lists>();
  ImDrawList& list = lists_->list;
  list._ResetForNewFrame();
  list.PushTexture(ImGui::GetIO().Fonts->TexRef);
  list.PushClipRect({0, 0}, screen);
  list.Flags = ImDrawListFlags_AntiAliasedLines | ImDrawListFlags_AntiAliasedFill |
               ImDrawListFlags_AllowVtxOffset;
  ImGuiCanvas page({.list = &list,
                    .origin = {0, 0},
                    .scale = state.scale,
                    .theme = state.theme(),
                    .ground = ColourRole::kPanel,
                    .audit = state.audit},
                   state.fonts, state.cells);
  const float width = screen.x / state.scale;
  const float height = screen.y / state.scale;
  page.fill_rect({0, 0, width, height}, ColourRole::kPanel, 0);

  if (began_ < 0) began_ = state.now;
  Speech speech = state.presentation.presents() ? speech_of_scene(state)
                                                : speech_of_lesson(state, state.now - began_);
  const float gap = 28;
  const float picture_width = (width - 2 * kPageEdge - gap) / 2;
  const float picture_height = std::min(picture_width * 0.5F, height * 0.46F);
  const float top = 92;
  page.text({kPageEdge, 34}, speech.place, styled(20, ColourRole::kStrong, Weight::kSemibold));
  page.text({width - kPageEdge, 34}, clock_words(speech.seconds),
            styled(26, ColourRole::kStrong, Weight::kBold, Align::kRight));
  speech.now.frame = {kPageEdge, top, picture_width, picture_height};
  speech.next.frame = {kPageEdge + picture_width + gap, top, picture_width, picture_height};
  draw_small_picture(state, &list, page, speech.now);
  draw_small_picture(state, &list, page, speech.next);
  const float below = top + picture_height + 34;
  const float y = draw_words(page, {kPageEdge, below, width - 2 * kPageEdge, height - below - 16},
                             speech.note, styled(20, ColourRole::kStrong));
  if (!speech.next_note.empty()) {
    draw_words(page, {kPageEdge, y + 14, width - 2 * kPageEdge, height - y - 30},
               "Next: " + speech.next_note, styled(16, ColourRole::kDim));
  }

  list.PopClipRect();
  list.PopTexture();
  ImDrawData& data = lists_->data;
  data.Clear();
  data.Valid = true;
  data.DisplaySize = screen;
  data.FramebufferScale = ImGui::GetIO().DisplayFramebufferScale;
  data.Textures = &ImGui::GetPlatformIO().Textures;
  data.AddDrawList(&list);
  drawn_ = true;
}

std::optional<double> PresenterPage::due_seconds(double now) const {
  if (!drawn_ || began_ < 0) return std::nullopt;
  return began_ + std::floor(now - began_) + 1;
}

void PresenterPage::clear() {
  drawn_ = false;
  began_ = -1;
}

ImDrawData* PresenterPage::data() { return drawn_ ? &lists_->data : nullptr; }

}  // namespace tilescope
