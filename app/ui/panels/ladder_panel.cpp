#include "ui/panels/ladder_panel.h"

#include <fmt/format.h>
#include <imgui.h>
#include <imgui_stdlib.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "analysis/time/machine_rates.h"
#include "kernel/catalogue/entry_words.h"
#include "kernel/catalogue/parameter_values.h"
#include "ui/drawing/fonts.h"
#include "ui/drawing/style.h"
#include "ui/state/actions.h"
#include "ui/state/layout.h"
#include "ui/state/measurements.h"
#include "ui/state/panel_surface.h"
#include "ui/state/window_state.h"

namespace tilescope {
namespace {

// The ground of a kernel's row on the ladder. The active one is marked, and brought in sight where
// it was not before.
void draw_ladder_row(PanelSurface& surface, const Rect& row, const std::string& id, bool active,
                     bool hovered);

// Scrolls by whole rows when the active kernel changed, or the room for the ladder did. How far it
// can, is known a frame after the rows have changed: until it stands there it is asked for again.
void keep_in_sight(PanelSurface& surface, const Rect& row, const std::string& id) {
  const float height = ImGui::GetWindowHeight();
  const std::pair<std::string, float> now{id, height};
  if (surface.state().ladder_shown == now) return;
  const float step = kLadderRow * surface.scale();
  const float scroll = ImGui::GetScrollY();
  const float top = surface.screen({0, row.y}).y - ImGui::GetWindowPos().y + scroll;
  const bool whole_rows = std::abs(std::remainder(scroll, step)) < 1;
  const float most = std::floor(ImGui::GetScrollMaxY() / step) * step;
  const float wanted = std::clamp(std::round((top - height / 2) / step) * step, 0.0F, most);
  const bool in_sight = whole_rows && top >= scroll && top + step <= scroll + height;
  if (in_sight || std::abs(scroll - wanted) < 1) {
    surface.state().ladder_shown = now;
    return;
  }
  ImGui::SetScrollY(wanted);
  surface.state().frame_wanted = true;
}

// The name of a row as it is typed: Enter or a click elsewhere takes it, Escape does not.
void draw_name_field(PanelSurface& surface, const Rect& row) {
  WindowState& state = surface.state();
  Renaming& renaming = state.renaming;
  const ImVec2 cursor = ImGui::GetCursorScreenPos();
  const Point corner = surface.screen({10, row.y + 1});
  ImGui::SetCursorScreenPos({corner.x, corner.y});
  ImGui::PushFont(state.fonts.text(Weight::kRegular), 13);
  const float inner = ((row.h - 2) * surface.scale() - ImGui::GetFontSize()) / 2;
  ImGui::PushStyleVar(ImGuiStyleVar_FramePadding, ImVec2(state.px(4), std::max(0.0F, inner)));
  ImGui::SetNextItemWidth((surface.width() - 10) * surface.scale());
  const bool appearing = renaming.frames == 0;
  if (appearing) ImGui::SetKeyboardFocusHere();
  const bool entered =
      ImGui::InputText("##name", &renaming.name,
                       ImGuiInputTextFlags_EnterReturnsTrue | ImGuiInputTextFlags_AutoSelectAll);
  constexpr int kFramesToGetFocus = 3;
  const bool left = !ImGui::IsItemActive() && renaming.frames > kFramesToGetFocus;
  if (renaming.frames <= kFramesToGetFocus) state.frame_wanted = true;
  ++renaming.frames;
  if (appearing) ImGui::SetScrollHereY();
  ImGui::PopStyleVar();
  ImGui::PopFont();
  ImGui::SetCursorScreenPos(cursor);
  if (!entered && !left) return;
  // Escape has put the old name back.
  const Renaming done = std::exchange(renaming, {});
  state.workbench.rename_own(done.file, done.name);
  state.frame_wanted = true;
}

// What is to be done with a row. A removal waits until all rows are drawn.
struct OwnRowAnswer {
  std::string open;
  std::string remove;
};

void offer_row_menu(WindowState& state, const OwnKernelDocument& own, OwnRowAnswer* answer) {
  if (!ImGui::BeginPopupContextItem("own kernel menu")) return;
  ImGui::TextDisabled("%s", own.name.c_str());
  if (ImGui::MenuItem("Open")) answer->open = own.file;
  if (ImGui::MenuItem("Rename", "Shift F2")) ask_for_name(state, own.file);
  if (ImGui::MenuItem("Remove", "Delete")) answer->remove = own.file;
  ImGui::EndPopup();
}

std::string own_kernel_words(const OwnKernelDocument& own) {
  std::string words = own.is_pasted() ? own.name : own.file;
  if (own.is_pasted() && own.launch.kernel != own.name) words += ", kernel " + own.launch.kernel;
  return words + (own.edited ? ", edited" : "") +
         ". It is saved with the session.\nRight-click: rename or remove it.";
}

void draw_own_row(PanelSurface& surface, float y, const OwnKernelDocument& own,
                  OwnRowAnswer* answer) {
  WindowState& state = surface.state();
  const Variant& shown = state.workbench.active();
  const bool active = shown.own && shown.own->file.path == own.file;
  const Rect row{-8, y - kLadderRow / 2, surface.width() + 16, kLadderRow};
  if (state.renaming.file == own.file) {
    draw_ladder_row(surface, row, own.file, active, true);
    draw_name_field(surface, row);
    return;
  }
  const Touch touch = surface.control(own.file.c_str(), row);
  const bool has_keys = ImGui::IsItemFocused() && !ImGui::GetIO().WantTextInput;
  if (has_keys && ImGui::IsKeyPressed(ImGuiKey_Delete, false)) answer->remove = own.file;
  if (touch.clicked && !active) answer->open = own.file;
  if (touch.double_clicked) ask_for_name(state, own.file);
  ImGui::PushID(own.file.c_str());
  offer_row_menu(state, own, answer);
  ImGui::PopID();
  draw_ladder_row(surface, row, own.file, active, touch.hovered);
  const float right = surface.width() - (own.edited ? 52.0F : 4.0F);
  surface.fitted(14, right, y, own.name,
                 styled(13, active ? ColourRole::kStrong : ColourRole::kText,
                        active ? Weight::kSemibold : Weight::kRegular));
  if (own.edited) {
    surface.text(surface.width(), y, "edited",
                 styled(11, ColourRole::kDim, Weight::kRegular, Align::kRight));
  }
  surface.explain(row, own_kernel_words(own));
}

// A row that makes an own kernel: its sign is drawn by the caller. True when it was clicked.
bool draw_making_row(PanelSurface& surface, float y, const char* id, const char* words,
                     const char* right, const char* meaning) {
  const Rect row{-8, y - kLadderRow / 2, surface.width() + 16, kLadderRow};
  const Touch touch = surface.control(id, row);
  if (touch.hovered) surface.canvas().fill_rect(row, ColourRole::kHover, 4);
  surface.text(14, y, words, styled(13, ColourRole::kText));
  surface.text(surface.width(), y, right,
               styled(11, ColourRole::kDim, Weight::kRegular, Align::kRight));
  surface.explain(row, meaning);
  return touch.clicked;
}

void draw_ladder_row(PanelSurface& surface, const Rect& row, const std::string& id, bool active,
                     bool hovered) {
  if (active || hovered) {
    surface.canvas().fill_rect(row, active ? ColourRole::kRaised : ColourRole::kHover, 4);
  }
  if (!active) return;
  surface.canvas().fill_rect({row.x, row.y, 2, row.h}, ColourRole::kFirst, 0);
  keep_in_sight(surface, row, id);
}

// The user's own kernels, each to be opened, renamed or removed, and how to get another one. The y
// of the last row.
float draw_own_kernels(PanelSurface& surface, float y) {
  WindowState& state = surface.state();
  surface.text(0, y, "YOUR KERNELS", heading_style());
  surface.text(surface.width(), y, "drop a .cu or .ptx",
               styled(11, ColourRole::kDim, Weight::kRegular, Align::kRight));
  y += kLadderRow;
  OwnRowAnswer answer;
  // What a row does may make the list anew.
  const SharedOwnKernels all = state.workbench.shared_own_kernels();
  if (find_own_kernel(*all, state.renaming.file) == all->end()) state.renaming = {};
  for (const OwnKernelDocument& own : *all) {
    draw_own_row(surface, y, own, &answer);
    y += kLadderRow;
  }
  if (!answer.open.empty()) {
    const auto own = find_own_kernel(state.workbench.own_kernels(), answer.open);
    state.workbench.open_own(static_cast<std::size_t>(own - state.workbench.own_kernels().begin()));
  }
  if (!answer.remove.empty()) state.workbench.remove_own(answer.remove);
  surface.canvas().stroke_rect({0, y - 4.5F, 8, 9}, ColourRole::kDim, 1.3F, 1.5F);
  surface.canvas().line({2.5F, y - 5}, {5.5F, y - 5}, ColourRole::kDim, 2);
  if (draw_making_row(surface, y, "paste kernel", "Paste kernel", "Ctrl V",
                      "Opens the CUDA or PTX text in the clipboard; the launch is guessed.")) {
    paste_kernel(state);
  }
  y += kLadderRow;
  surface.canvas().line({0, y}, {8, y}, ColourRole::kDim, 1.3F);
  surface.canvas().line({4, y - 4}, {4, y + 4}, ColourRole::kDim, 1.3F);
  if (draw_making_row(surface, y, "new kernel", "New kernel", "example",
                      "Starts from a small complete kernel that you can change.")) {
    start_kernel(state);
  }
  return y;
}

std::string title_of_family(const std::string& family) {
  if (family == "gemm") return "GEMM";
  std::string title = family;
  if (!title.empty())
    title[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(title[0])));
  return title;
}

std::string upper(std::string text) {
  for (char& c : text) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return text;
}

struct Step {
  const CatalogueEntry* entry = nullptr;
  std::optional<KnownRate> rate;
};

// What bar and figure of a step take at the right. A small window has names and no bars.
bool has_bars(const PanelSurface& surface) { return surface.width() >= 240; }
float rate_room(const PanelSurface& surface) { return has_bars(surface) ? 112.0F : 50.0F; }
constexpr float kFigureRoom = 66;

// "TFLOP/s", and where families have several references what a bar is long for.
void draw_scale(PanelSurface& surface, float y, const std::string& unit, bool several_references) {
  const TextStyle style = styled(11, ColourRole::kDim, Weight::kRegular, Align::kRight);
  std::string words = unit;
  if (several_references && has_bars(surface)) words = "bar: share of reference   " + unit;
  surface.text(surface.width() - 12, y, words, style);
}

std::string reference_words(const std::optional<KnownRate>& rate) {
  if (rate && !rate->apart.empty()) {
    return fmt::format(" Its rate is of another machine ({}): it has no bar beside the others.",
                       rate->apart);
  }
  if (!rate || rate->reference <= 0) return {};
  return " Bar length: share of " + short_reference(rate->reference_name) +
         ", measured in the same run.";
}

std::string hover_words(const Step& step) {
  const CatalogueEntry& entry = *step.entry;
  std::string words = entry.title + ". " + entry.idea + reference_words(step.rate);
  for (const Watch& watch : entry.watch) {
    words += "\nTry it: " + place_of(watch) + ". " + watch.words;
  }
  if (std::string seeds = seeds_text(entry); !seeds.empty()) {
    seeds[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(seeds[0])));
    words += "\n" + seeds + ".";
  }
  return words;
}

// Another machine's: pale, and without a bar.
void draw_apart(PanelSurface& surface, float y, double value, const RateScale& scale,
                const KnownRate& rate) {
  const TextStyle figure = styled(13, ColourRole::kFaint, Weight::kRegular, Align::kRight);
  surface.text(surface.width() - 12, y, figure_on(scale, value), figure);
  surface.mark({surface.width() - 4, y}, rate.source, ColourRole::kFaint);
  if (!has_bars(surface)) return;
  const float left = surface.width() - rate_room(surface);
  surface.fitted(left, left + rate_room(surface) - kFigureRoom, y, rate.apart,
                 styled(11, ColourRole::kFaint));
}

// `value` and `largest` in the unit that `scale` is of.
void draw_rate(PanelSurface& surface, float y, double value, double largest, const RateScale& scale,
               Source source, bool active) {
  if (has_bars(surface)) {
    const float longest = rate_room(surface) - kFigureRoom;
    const float width = std::max(1.0F, longest * static_cast<float>(value / largest));
    surface.canvas().fill_rect({surface.width() - rate_room(surface), y - 3, width, 6},
                               active ? Paint(ColourRole::kFirst) : Paint(ColourRole::kFaint), 2);
  }
  surface.text(surface.width() - 12, y, figure_on(scale, value),
               styled(13, active ? ColourRole::kStrong : ColourRole::kText,
                      active ? Weight::kSemibold : Weight::kRegular, Align::kRight));
  surface.mark({surface.width() - 4, y}, source, ColourRole::kFaint);
}

float draw_steps(PanelSurface& surface, float y, const std::vector<Step>& steps) {
  WindowState& state = surface.state();
  if (steps.empty()) return y;
  const Problem problem = steps.front().entry->problem;
  const RateUnit unit = shown_unit(state, problem);
  const auto basis = [&](const Step& step) {
    const double peak = peak_rate_on(step.rate->gpu, *step.entry, state.workbench.device_model(),
                                     *state.workbench.devices());
    return basis_of(problem, step.rate->work, peak, step.rate->reference);
  };
  const auto shown = [&](const Step& step) -> std::optional<double> {
    if (!step.rate) return std::nullopt;
    return in_unit(step.rate->value, unit, basis(step));
  };
  // Of what ran beside the step, which has the same peak.
  const auto shown_reference = [&](const Step& step) {
    return in_unit(step.rate->reference, unit, basis(step));
  };
  // Bars of steps with the same reference share a scale, and that reference stands below them all,
  // as it ran beside the active step or else the fastest of them: the other panels show that too.
  std::vector<const Step*> references;    // the steps that they ran beside
  std::map<std::string, double> largest;  // by reference
  const auto& active_entry = state.workbench.active().entry;
  for (const Step& step : steps) {
    if (!step.rate || !step.rate->apart.empty()) continue;
    const KnownRate& rate = *step.rate;
    double& most = largest[rate.reference_name];
    most = std::max({most, shown(step).value_or(0), shown_reference(step).value_or(0)});
    if (rate.reference <= 0) continue;
    const auto known = std::ranges::find_if(
        references, [&](const Step* s) { return s->rate->reference_name == rate.reference_name; });
    if (known == references.end()) {
      references.push_back(&step);
    } else if ((*known)->entry != active_entry &&
               (step.entry == active_entry || rate.value > (*known)->rate->value)) {
      *known = &step;
    }
  }
  double most = 0;
  for (const auto& [name, value] : largest) most = std::max(most, value);
  for (const Step& step : steps) {  // those that stand apart have figures on the same scale
    if (step.rate && largest.empty()) most = std::max(most, shown(step).value_or(0));
  }
  const RateScale scale = scale_for(
      unit, most, references.empty() ? "" : short_reference(references[0]->rate->reference_name));
  if (most > 0) {
    draw_scale(surface, y - kLadderRow + 1, scale.word, references.size() > 1);
  }
  for (const Step& step : steps) {
    const bool active = state.workbench.active().entry == step.entry;
    // What is known is of the text as it ships.
    const bool edited = active && state.workbench.active().is_edited();
    const Rect row{-8, y - kLadderRow / 2, surface.width() + 16, kLadderRow};
    const Touch touch = surface.control(step.entry->id.c_str(), row);
    draw_ladder_row(surface, row, step.entry->id, active, touch.hovered);
    surface.text(4, y, std::to_string(step.entry->step),
                 styled(11, ColourRole::kDim, Weight::kRegular, Align::kCenter));
    const auto value = shown(step);
    const TextStyle style = styled(13, active ? ColourRole::kStrong : ColourRole::kText,
                                   active ? Weight::kSemibold : Weight::kRegular);
    const float taken = !value ? 4
                        : has_bars(surface)
                            ? rate_room(surface) + 4
                            : surface.canvas().text_width(figure_on(scale, *value), style) + 17;
    surface.fitted(20, surface.width() - taken, y, step.entry->title, style);
    if (value && !step.rate->apart.empty()) {
      draw_apart(surface, y, *value, scale, *step.rate);
    } else if (value) {
      draw_rate(surface, y, *value, largest[step.rate->reference_name], scale, step.rate->source,
                active && !edited);
    }
    surface.explain(
        row, hover_words(step) + (value && edited ? "\nThe figure is for the original text." : ""));
    if (touch.clicked && !active) state.workbench.choose_kernel(*step.entry);
    y += kLadderRow;
  }
  for (const Step* beside : references) {
    const KnownRate& rate = *beside->rate;
    surface.text(4, y, "·", styled(11, ColourRole::kDim, Weight::kRegular, Align::kCenter));
    surface.fitted(20, surface.width() - rate_room(surface) - 4, y,
                   short_reference(rate.reference_name), styled(13, ColourRole::kDim));
    if (const auto value = shown_reference(*beside)) {
      draw_rate(surface, y, *value, largest[rate.reference_name], scale, rate.source, false);
    }
    y += kLadderRow;
  }
  return y;
}

// A folded family: a chevron, its name and how many steps it has. True when it was clicked.
bool draw_folded(PanelSurface& surface, float y, const std::string& title,
                 const std::string& right) {
  const Rect row{-8, y - kLadderRow / 2, surface.width() + 16, kLadderRow};
  const Touch touch = surface.control(title.c_str(), row, "Shows the kernels of this family.");
  if (touch.hovered) surface.canvas().fill_rect(row, ColourRole::kHover, 4);
  surface.canvas().line({1, y - 4}, {5, y}, ColourRole::kDim, 1.3F);
  surface.canvas().line({5, y}, {1, y + 4}, ColourRole::kDim, 1.3F);
  surface.text(14, y, title, styled(13, ColourRole::kText, Weight::kMedium));
  surface.text(surface.width(), y, right,
               styled(11, ColourRole::kDim, Weight::kRegular, Align::kRight));
  return touch.clicked;
}

std::vector<std::string> families_of(const Catalogue& catalogue) {
  std::vector<std::string> families;
  for (const CatalogueEntry& entry : catalogue.entries) {
    if (std::find(families.begin(), families.end(), entry.family) == families.end()) {
      families.push_back(entry.family);
    }
  }
  return families;
}

}  // namespace

void draw_ladder_panel(WindowState& state) {
  PanelSurface surface(state);
  Workbench& workbench = state.workbench;
  const Variant& active = workbench.active();
  const std::string family = !state.open_family.empty() ? state.open_family
                             : active.entry != nullptr  ? active.entry->family
                                                        : std::string();
  float y = kLadderRow / 2 - ImGui::GetStyle().WindowPadding.y / surface.scale();
  for (const std::string& name : families_of(workbench.catalogue())) {
    if (name != family) continue;
    surface.text(0, y, upper(title_of_family(name)), heading_style());
    y += kLadderRow;
    std::vector<Step> steps;
    const bool here = active.entry != nullptr && active.entry->family == name;
    for (const CatalogueEntry& entry : workbench.catalogue().entries) {
      if (entry.family != name) continue;
      const ParameterSet& extents = here ? active.extents : entry.default_extents;
      const ParameterSet parameters =
          active.entry == &entry ? active.parameters : default_parameters(entry);
      steps.push_back({&entry, known_rate(state, entry, parameters, extents)});
    }
    y = draw_steps(surface, y, steps);
  }
  // Kernels of the user's own come before the families that are folded, where there are any.
  const bool own_first = !workbench.own_kernels().empty();
  if (own_first) y = draw_own_kernels(surface, y) + kLadderRow;
  for (const std::string& name : families_of(workbench.catalogue())) {
    if (name == family) continue;
    const auto count =
        std::count_if(workbench.catalogue().entries.begin(), workbench.catalogue().entries.end(),
                      [&](const CatalogueEntry& entry) { return entry.family == name; });
    if (draw_folded(surface, y, title_of_family(name), std::to_string(count)))
      state.open_family = name;
    y += kLadderRow;
  }
  if (!own_first) y = draw_own_kernels(surface, y);
  y += kLadderRow / 2 + 6;
  if (!state.note.empty())
    y = surface.paragraph(0, y + 8, surface.width(), state.note, styled(12, ColourRole::kExcess));
  surface.finish(y);
  state.panel_used["Kernels"] = y + 24;
}

}  // namespace tilescope
