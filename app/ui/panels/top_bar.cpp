#include "ui/panels/top_bar.h"

#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <string>
#include <vector>

#include "core/conditions.h"
#include "kernel/catalogue/parameter_values.h"
#include "ui/dialogs/session_dialog.h"
#include "ui/drawing/fonts.h"
#include "ui/drawing/style.h"
#include "ui/panels/gpu_menu.h"
#include "ui/state/actions.h"
#include "ui/state/layout.h"
#include "ui/state/measurements.h"
#include "ui/state/panel_surface.h"

namespace tilescope {
namespace {

constexpr std::array kVariantColours{ColourRole::kFirst, ColourRole::kSecond, ColourRole::kThird,
                                     ColourRole::kFourth};
constexpr float kTabMiddle = kTopBarHeight / 2;
constexpr float kTabGap = 6;
constexpr float kTabsToSearch = 16;

std::string name_of_variant(const Variant& variant) {
  const std::string edited = variant.is_edited() ? ", edited" : "";
  if (variant.entry != nullptr) return variant.entry->title + edited;
  return variant.own ? variant.file_name() + edited : "no kernel";
}

// "PAD 0, TILE 16": the values of `own` that differ from those of another variant of the same name,
// and its GPU where variants have different ones.
std::string apart_from_others(Workbench& workbench, const Variant& own) {
  const std::vector<Variant>& all = workbench.variants();
  std::string words;
  for (const auto& values : {&Variant::parameters, &Variant::extents}) {
    for (const auto& [name, value] : in_declared_order(own.entry, own.*values)) {
      const bool differs = std::ranges::any_of(all, [&](const Variant& other) {
        if (other.entry != own.entry || name_of_variant(other) != name_of_variant(own))
          return false;
        const auto found = (other.*values).find(name);
        return found != (other.*values).end() && found->second != value;
      });
      if (differs) words += (words.empty() ? "" : ", ") + name + " " + std::to_string(value);
    }
  }
  const std::string& gpu = workbench.device_model(own).name;
  const bool other_gpu = std::ranges::any_of(
      all, [&](const Variant& other) { return workbench.device_model(other).name != gpu; });
  if (other_gpu) words += (words.empty() ? "" : ", ") + short_gpu(gpu);
  return words;
}

struct TabTitle {
  std::string name;
  std::string apart;  // from tabs of the same name; empty: there is none

  [[nodiscard]] std::string whole() const { return apart.empty() ? name : name + ", " + apart; }
};

// The most that a tab may take where all have `room` together: what short ones leave is for the
// long ones.
float most_of_a_tab(std::vector<float> wanted, float room) {
  std::ranges::sort(wanted);
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    const float share = room / static_cast<float>(wanted.size() - i);
    if (wanted[i] > share) return std::max(share, 64.0F);
    room -= wanted[i];
  }
  return wanted.empty() ? room : wanted.back();
}

TextStyle tab_style(bool active, bool lecture) {
  return styled(lecture ? 17.0F : 12.5F, active ? ColourRole::kStrong : ColourRole::kText,
                active ? Weight::kSemibold : Weight::kMedium);
}

float wanted_width(PanelSurface& surface, const std::string& title, bool active, int count) {
  return surface.canvas().text_width(title, tab_style(active, surface.state().lecture)) + 34 +
         (active && count > 1 ? 28 : 16);
}

struct Tabs {
  std::vector<TabTitle> titles;
  std::vector<float> wanted;  // width of each, for all of its title
  float beside = 0;           // width of the gaps, and of the one that adds another

  [[nodiscard]] float width() const {
    return std::accumulate(wanted.begin(), wanted.end(), beside);
  }
};

// One for each variant.
Tabs variant_tabs(PanelSurface& surface) {
  Workbench& workbench = surface.state().workbench;
  const int count = static_cast<int>(workbench.variants().size());
  Tabs tabs;
  for (const Variant& variant : workbench.variants()) {
    tabs.titles.push_back({name_of_variant(variant), apart_from_others(workbench, variant)});
    const std::string title = tabs.titles.back().whole();
    tabs.wanted.push_back(wanted_width(surface, title, &variant == &workbench.active(), count));
  }
  const float plus_room = count < static_cast<int>(kVariantColours.size()) ? 35 : 0;
  tabs.beside = plus_room + kTabGap * static_cast<float>(count);
  return tabs;
}

// Draws the tabs from x to `right` at most, and one that adds another. Returns where they end.
float draw_variant_tabs(PanelSurface& surface, const Tabs& tabs, float x, float right) {
  Workbench& workbench = surface.state().workbench;
  const auto& [titles, wanted, beside] = tabs;
  const int count = static_cast<int>(titles.size());
  const float most = most_of_a_tab(wanted, right - x - beside);
  for (int i = 0; i < count; ++i) {
    const auto index = static_cast<std::size_t>(i);
    const bool active = i == workbench.active_index();
    const Rect tab{x, 8, std::min(wanted[index], most), kTopBarHeight - 15};
    ImGui::PushID(i);
    ImGui::SetNextItemAllowOverlap();
    const Touch touch = surface.control("variant", tab);
    if (touch.clicked) workbench.activate(i);
    const Paint colour = kVariantColours[index % kVariantColours.size()];
    if (active || touch.hovered) {
      surface.canvas().fill_rect(tab, active ? ColourRole::kRaised : ColourRole::kHover, 6);
    } else {
      surface.canvas().stroke_rect(tab, ColourRole::kLine, 1, 6);
    }
    if (active) surface.canvas().fill_rect({tab.x, tab.bottom() - 2, tab.w, 2}, colour, 0);
    const Rect letter{tab.x + 10, kTabMiddle - 8, 15, 15};
    surface.canvas().fill_rect(letter, colour, 3);
    surface.text(
        letter.center().x, letter.center().y, std::string(1, static_cast<char>('A' + i)),
        styled(11, text_on(colour, surface.state().theme()), Weight::kBold, Align::kCenter));
    const bool closes = count > 1 && (touch.hovered || active);
    // Where there is no room for all of it, what tells tabs apart.
    const TabTitle& title = titles[index];
    const bool whole = tab.w >= wanted[index] || title.apart.empty();
    const Rect cross{tab.right() - 22, kTabMiddle - 8, 16, 16};
    const Point pointer = surface.units({ImGui::GetIO().MousePos.x, ImGui::GetIO().MousePos.y});
    if (!closes || !cross.contains(pointer)) {
      surface.explain(tab, title.whole() + " (Alt " + std::to_string(i + 1) + ")");
    }
    surface.fitted(tab.x + 33, tab.right() - (closes ? 24 : 8), kTabMiddle,
                   whole ? title.whole() : title.apart, tab_style(active, surface.state().lecture));
    if (closes) {
      const Touch close = surface.control(
          "close", cross, active ? "Closes this variant (Ctrl W)." : "Closes this variant.");
      const Paint ink = close.hovered ? ColourRole::kStrong : ColourRole::kDim;
      const Point c = cross.center();
      surface.canvas().line({c.x - 3, c.y - 3}, {c.x + 3, c.y + 3}, ink, 1.3F);
      surface.canvas().line({c.x - 3, c.y + 3}, {c.x + 3, c.y - 3}, ink, 1.3F);
      if (close.clicked) workbench.close_variant(i);
    }
    ImGui::PopID();
    x += tab.w + kTabGap;
    if (static_cast<int>(workbench.variants().size()) != count) return x;  // one was closed
  }
  if (count < static_cast<int>(kVariantColours.size())) {
    const Rect plus{x, 8, 29, kTopBarHeight - 15};
    const Touch touch = surface.control("add variant", plus);
    if (touch.hovered) surface.canvas().fill_rect(plus, ColourRole::kHover, 6);
    surface.canvas().stroke_rect(plus, ColourRole::kLine, 1, 6);
    const Point c = plus.center();
    surface.canvas().fill_rect({c.x - 4, c.y - 0.75F, 8, 1.5F}, ColourRole::kText, 0);
    surface.canvas().fill_rect({c.x - 0.75F, c.y - 4, 1.5F, 8}, ColourRole::kText, 0);
    surface.explain(plus,
                    "Adds a variant: a copy of this one to change and compare (at most four).");
    if (touch.clicked) workbench.add_variant();
    x += plus.w;
  }
  return x;
}

constexpr float kMiddle = kTopBarHeight / 2;

// Four bars of the lane colours: the mark, and which session this is. A click opens its menu.
void draw_mark(PanelSurface& surface, float right) {
  constexpr std::array kBars{ColourRole::kFirst, ColourRole::kSecond, ColourRole::kThird,
                             ColourRole::kFourth};
  const TextStyle name = styled(15, ColourRole::kStrong, Weight::kBold);
  const Rect place{8, 8, right - 16, 28};
  const Touch touch = surface.control("session", place, "Menu: open, save, undo, recent files.");
  if (touch.hovered) surface.canvas().fill_rect(place, ColourRole::kHover, 6);
  for (std::size_t i = 0; i < kBars.size(); ++i) {
    surface.canvas().fill_rect({16 + 5 * static_cast<float>(i), kMiddle - 7, 4, 14}, kBars[i], 1);
  }
  surface.text(48, kMiddle, "Tilescope", name);
  const std::string title = surface.state().session.title();
  const float caret = 48 + surface.canvas().text_width("Tilescope", name) + 10;
  surface.canvas().polyline(
      std::array<Point, 3>{Point{caret - 3.5F, kMiddle - 2}, Point{caret, kMiddle + 2},
                           Point{caret + 3.5F, kMiddle - 2}},
      ColourRole::kDim, 1.5F);
  const float after = caret + 14;
  if (!title.empty()) {
    surface.fitted(after, place.right() - 8, kMiddle, title, styled(12, ColourRole::kDim));
  }
  if (touch.clicked) ImGui::OpenPopup("session");
  const Point below = surface.screen({place.x, place.bottom() + 6});
  ImGui::SetNextWindowPos({below.x, below.y});
  draw_session_menu(surface.state());
}

void draw_search(PanelSurface& surface, const Rect& field) {
  const Touch touch =
      surface.control("search", field, "Find any kernel, view, term or command (Ctrl Shift P).");
  surface.canvas().fill_rect(field, touch.hovered ? ColourRole::kHover : ColourRole::kRaised, 6);
  std::array<Point, 17> ring{};
  const Point c{field.x + 17, field.center().y - 1};
  for (std::size_t i = 0; i < ring.size(); ++i) {
    const float angle = static_cast<float>(i) * 6.2831853F / 16;
    ring[i] = {c.x + 4.5F * std::cos(angle), c.y + 4.5F * std::sin(angle)};
  }
  surface.canvas().polyline(ring, ColourRole::kDim, 1.4F);
  surface.canvas().line({c.x + 3.3F, c.y + 3.3F}, {c.x + 7, c.y + 7}, ColourRole::kDim, 1.4F);
  const bool roomy = field.w > 250;
  if (field.w < 60) {
    if (touch.clicked) surface.state().palette_wanted = true;
    return;
  }
  surface.fitted(field.x + 34, field.right() - (roomy ? 92 : 8), field.center().y,
                 roomy ? "Kernels, views, terms" : "Search", styled(12.5F, ColourRole::kDim));
  if (roomy) {
    const Rect keys{field.right() - 86, field.y + 5, 80, field.h - 10};
    surface.canvas().stroke_rect(keys, ColourRole::kLine, 1, 4);
    surface.text(keys.center().x, keys.center().y, "Ctrl Shift P",
                 styled(11, ColourRole::kDim, Weight::kRegular, Align::kCenter));
  }
  if (touch.clicked) surface.state().palette_wanted = true;
}

struct Word {
  const char* words;
  const char* meaning;
  bool on = false;
};

bool word_button(PanelSurface& surface, const char* id, const Rect& rect, const Word& word) {
  const auto& [words, meaning, on] = word;
  const Touch touch = surface.control(id, rect, meaning);
  if (touch.hovered || on) {
    surface.canvas().fill_rect(rect, touch.hovered ? ColourRole::kHover : ColourRole::kRaised, 6);
  }
  surface.text(rect.center().x, kMiddle, words,
               styled(12.5F, on || touch.hovered ? ColourRole::kStrong : ColourRole::kText,
                      Weight::kMedium, Align::kCenter));
  return touch.clicked;
}

// In a lecture a panel is in front, lies over the view when it is asked for, or is not there.
void draw_lecture_entry(WindowState& state, const Panel& panel) {
  using Overlay = LectureAids::Overlay;
  const bool free = state.learn.lesson() == nullptr;
  const Overlay overlay = !free                                 ? Overlay::kNone
                          : panel.region == Region::kLadder     ? Overlay::kKernels
                          : panel.region == Region::kThroughput ? Overlay::kCharts
                                                                : Overlay::kNone;
  const bool over = overlay != Overlay::kNone && state.aids.overlay == overlay;
  const bool can = overlay != Overlay::kNone || (free && panel.view);
  const bool shown = over || panel.view == state.view;
  if (ImGui::MenuItem(panel.title, nullptr, shown, can)) {
    if (panel.view) {
      state.raise = panel.view;
    } else {
      state.aids.overlay = over ? Overlay::kNone : overlay;
    }
  }
  ImGui::SetItemTooltip("%s%s", panel.purpose, can ? "" : ". Not in a lecture.");
}

void draw_view_menu(PanelSurface& surface, const Rect& rect) {
  WindowState& state = surface.state();
  if (word_button(surface, "view menu", rect, {"View", "Show or hide panels; reset the layout."}))
    ImGui::OpenPopup("panels");
  const Point below = surface.screen({rect.x, rect.bottom() + 6});
  ImGui::SetNextWindowPos({below.x, below.y});
  if (!ImGui::BeginPopup("panels")) return;
  for (const bool views : {true, false}) {
    ImGui::SeparatorText(views ? "Views" : "Panels");
    for (const Panel& panel : state.panels) {
      if (panel.view.has_value() != views) continue;
      if (has_one_view(state) || state.lecture) {
        draw_lecture_entry(state, panel);
        continue;
      }
      bool& open = state.panel_open[panel.title];
      if (ImGui::MenuItem(panel.title, nullptr, open)) {
        open = !open;
        if (open && panel.view) state.raise = panel.view;
      }
      state.tooltip.offer_for_item(panel.purpose);
    }
  }
  ImGui::SeparatorText("Settings");
  std::vector<std::string> languages = state.learn.library().languages();
  if (!languages.empty()) {
    languages.insert(languages.begin(), "");
    for (const std::string& language : languages) {
      std::string name = language_words(language);
      const std::size_t english = name.find('(');  // "中文 (Chinese)"
      if (english != std::string::npos && !state.fonts.has_wide_characters())
        name = name.substr(english + 1, name.size() - english - 2);
      const std::string words = "Lessons in " + name;
      if (ImGui::MenuItem(words.c_str(), nullptr, state.preferences.language == language)) {
        state.learn.speak(state, language);
      }
    }
  }
  if (ImGui::MenuItem("Reduce motion", nullptr, state.preferences.reduce_motion)) {
    state.preferences.reduce_motion = !state.preferences.reduce_motion;
  }
  if (ImGui::MenuItem("Reset layout")) {
    reset_layout(state);
  }
  ImGui::EndPopup();
}

const char* theme_title(Theme theme) {
  switch (theme) {
    case Theme::kDark:
      return "Dark";
    case Theme::kLight:
      return "Light";
    case Theme::kPaper:
      return "Paper";
  }
  return "";
}

void draw_contents(PanelSurface& surface) {
  WindowState& state = surface.state();
  const float width = surface.width();
  const bool roomy = width >= 1500;
  // From the right: help, theme, lecture, view menu; then the device, the search; variants have the
  // rest.
  float x = width - 16 - 24;
  if (word_button(surface, "help", {x, 10, 24, 24},
                  {"?", "Every term and every key explained (F1).", state.help.open})) {
    open_help(state);
  }
  surface.canvas().stroke_rect({x + 2, 12, 20, 20}, ColourRole::kDim, 1.2F, 10);
  x -= 64;
  if (word_button(surface, "theme", {x, 8, 56, 28},
                  {theme_title(state.theme()), state.theme() == Theme::kDark
                                                   ? "Dark theme. Click for light."
                                                   : "Light theme. Click for dark."})) {
    state.preferences.theme = state.theme() == Theme::kDark ? Theme::kLight : Theme::kDark;
  }
  x -= 72;
  if (word_button(surface, "lecture", {x, 8, 68, 28},
                  {"Lecture", "Only the view, larger, for a projector (F11).", state.lecture})) {
    set_lecture(state, !state.lecture);
  }
  x -= 62;
  if (word_button(
          surface, "export", {x, 8, 58, 28},
          {"Export", "Save this view or a chart as a file: SVG, PDF, PNG, CSV, JSON (Ctrl E).",
           state.picture_export.open})) {
    open_picture_export(state);
  }
  x -= 56;
  draw_view_menu(surface, {x, 8, 52, 28});
  x -= 56;
  if (word_button(surface, "learn", {x, 8, 52, 28},
                  {"Learn", "Lessons on warps, sectors, banks and more (Ctrl L).",
                   state.learn.lists() || state.learn.lesson() != nullptr})) {
    state.learn.show_page(state.learn.lists() ? Learn::Page::kNone : Learn::Page::kLessons);
  }
  // In a small window names of variants come before the device's name and the search's.
  const float tabs_left = roomy ? 300 : 240;
  const Tabs tabs = variant_tabs(surface);
  const bool crowded = !roomy && state.workbench.variants().size() > 2;
  const float device_width = roomy ? 260 : crowded ? 120 : 190;
  const float device_left = x - 16 - device_width;
  draw_gpu_menu(surface, {device_left, 8, device_width, 28});
  const float search_right = device_left - 24;
  const float left_by_tabs = search_right - kTabsToSearch - tabs_left - tabs.width();
  const float search_width = roomy ? 330 : left_by_tabs < 90 ? 34 : std::min(left_by_tabs, 150.0F);
  const float search_left = search_right - search_width;
  draw_search(surface, {search_left, 8, search_width, 28});
  draw_mark(surface, tabs_left);
  draw_variant_tabs(surface, tabs, tabs_left, search_left - kTabsToSearch);
}

}  // namespace

void draw_top_bar(WindowState& state) {
  const float width = ImGui::GetIO().DisplaySize.x;
  const float height = state.px(kTopBarHeight);
  const BarWindow window("top bar", 0, height);
  PanelSurface surface(state);
  draw_contents(surface);
  ImGui::GetWindowDrawList()->AddRectFilled({0, height - 1}, {width, height},
                                            packed(ColourRole::kLine, state.theme()));
}

}  // namespace tilescope
