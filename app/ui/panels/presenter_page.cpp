#include "ui/panels/presenter_page.h"

#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
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
  const Scene* scene = nullptr;      // nullptr: there is none
  const Variant* variant = nullptr;  // with a study; nullptr: not yet
  bool is_present = false;
};

ViewContext context_of(const WindowState& state, const SmallPicture& picture) {
  const Variant& variant = *picture.variant;
  ViewContext context = view_context(state, variant.study.get(), variant);
  context.text_scale = kLectureText;
  if (picture.is_present) return context;
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
  page.stroke_rect(frame, picture.is_present ? ColourRole::kFirst : ColourRole::kLine, 2, 6);
  const auto say = [&](std::string_view words) {
    page.text(frame.center(), words,
              styled(14, ColourRole::kDim, Weight::kRegular, Align::kCenter));
  };
  if (picture.scene == nullptr) return say("This is the last scene.");
  const bool compares = descriptor_of(picture.scene->view).needs.variants;
  if (compares && !picture.is_present) {
    return say(fmt::format("{} of {} variants", title_of(picture.scene->view),
                           picture.scene->variants.size()));
  }
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
  draw_view(picture.scene->view, canvas, area, context);
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

  const Presentation& presentation = state.presentation;
  const NamedScene& present = presentation.present();
  const NamedScene* next = presentation.next();
  const float gap = 28;
  const float picture_width = (width - 2 * kPageEdge - gap) / 2;
  const float picture_height = std::min(picture_width * 0.5F, height * 0.46F);
  const float top = 92;
  page.text({kPageEdge, 34},
            fmt::format("{} / {}", presentation.chosen() + 1, presentation.scenes().size()),
            styled(20, ColourRole::kStrong, Weight::kSemibold));
  page.text({width - kPageEdge, 34}, clock_words(presentation.seconds(state)),
            styled(26, ColourRole::kStrong, Weight::kBold, Align::kRight));
  draw_small_picture(state, &list, page,
                     {{kPageEdge, top, picture_width, picture_height},
                      "Now: " + present.name,
                      &present.scene,
                      &state.workbench.active(),
                      true});
  const Variant* ready = nullptr;
  if (next != nullptr) {
    ready =
        state.workbench.ready(next->scene.variants[static_cast<std::size_t>(next->scene.active)]);
  }
  draw_small_picture(state, &list, page,
                     {{kPageEdge + picture_width + gap, top, picture_width, picture_height},
                      next != nullptr ? "Next: " + next->name : "Next",
                      next != nullptr ? &next->scene : nullptr,
                      ready});
  const float below = top + picture_height + 34;
  const std::string_view note = present.note;
  const float y = draw_words(page, {kPageEdge, below, width - 2 * kPageEdge, height - below - 16},
                             note.empty() ? "This scene has no note." : note,
                             styled(20, note.empty() ? ColourRole::kDim : ColourRole::kStrong));
  if (next != nullptr && !next->note.empty()) {
    draw_words(page, {kPageEdge, y + 14, width - 2 * kPageEdge, height - y - 30},
               "Next: " + next->note, styled(16, ColourRole::kDim));
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

ImDrawData* PresenterPage::data() { return drawn_ ? &lists_->data : nullptr; }

}  // namespace tilescope
