#include "ui/panels/parameters_panel.h"

#include <fmt/format.h>
#include <imgui.h>
#include <imgui_stdlib.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstring>
#include <string>
#include <vector>

#include "analysis/occupancy/occupancy.h"
#include "core/quantity.h"
#include "kernel/catalogue/catalogue.h"
#include "kernel/catalogue/entry_words.h"
#include "kernel/launch/file_launch.h"
#include "kernel/launch/gemm_factors.h"
#include "scene/model/prepared.h"
#include "scene/model/tiling_model.h"
#include "scene/views.h"
#include "ui/drawing/fonts.h"
#include "ui/drawing/style.h"
#include "ui/source/source_editor.h"
#include "ui/state/actions.h"
#include "ui/state/layout.h"
#include "ui/state/panel_surface.h"
#include "ui/state/view_context.h"

namespace tilescope {

class PanelSurface;

namespace {

constexpr float kSliderRow = 30;
constexpr float kField = 21;  // a frame around 13 units of text
constexpr float kLabel = 62;
constexpr std::array<const char*, 12> kTypes{"f32", "f64", "f16", "bf16", "i32", "u32",
                                             "i64", "u64", "i16", "u16",  "i8",  "u8"};
constexpr std::array<const char*, 4> kFills{"random:1", "iota", "ramp", "zero"};
constexpr const char* kExtentMeaning =
    ", X[,Y[,Z]], at least 1: numbers, or expressions with the file's macros and the kernel's "
    "arguments, such as ceil_div(N, TILE)";
constexpr const char* kFillMeaning =
    "The contents before the launch. random:SEED: in [-1, 1), or any integers; iota: 0, 1, 2 …; "
    "ramp: from 0 to 1, or 0 to 250 repeatedly; zero; @FILE: the bytes of a file; or an expression "
    "over the element's place i and random, such as i * 8 % 4096.";

// ImGui's fields in the surface's units.
class Fields {
 public:
  explicit Fields(PanelSurface& surface) : surface_(surface) {
    const WindowState& state = surface.state();
    const float scale = surface.scale();
    ImGui::PushFont(state.fonts.figures(Weight::kRegular), 13 * scale / state.scale);
    ImGui::PushStyleVar(ImGuiStyleVar_FramePadding, ImVec2(6 * scale, 4 * scale));
  }
  ~Fields() {
    ImGui::PopStyleVar();
    ImGui::PopFont();
  }
  Fields(const Fields&) = delete;
  Fields& operator=(const Fields&) = delete;

  // True when the text was changed.
  bool text(const char* id, float x, float y, float width, std::string* value, bool wrong,
            const std::string& meaning) {
    place(x, y, width);
    const bool changed = ImGui::InputText(id, value);
    surface_.state().tooltip.offer_for_item(meaning);
    if (wrong) {
      surface_.canvas().stroke_rect({x, y - kField / 2, width, kField}, ColourRole::kExcess, 1, 4);
    }
    return changed;
  }
  // One of the values; another one that stands there already is kept.
  template <std::size_t count>
  bool choice(const char* id, float x, float y, float width, std::string* value,
              const std::array<const char*, count>& values, const char* meaning) {
    place(x, y, width);
    bool changed = false;
    const bool open = ImGui::BeginCombo(id, value->c_str(), ImGuiComboFlags_NoArrowButton);
    if (open) {
      for (const char* offered : values) {
        if (!ImGui::Selectable(offered, *value == offered)) continue;
        changed = *value != offered;
        *value = offered;
      }
      ImGui::EndCombo();
    } else {
      surface_.state().tooltip.offer_for_item(meaning);
    }
    return changed;
  }
  void place(float x, float y, float width) {
    const Point corner = surface_.screen({x, y - kField / 2});
    ImGui::SetCursorScreenPos({corner.x, corner.y});
    ImGui::SetNextItemWidth(width * surface_.scale());
  }

 private:
  PanelSurface& surface_;
};

float draw_kernel(PanelSurface& surface, Fields& fields, float y, const OwnKernel& own,
                  LaunchForm* form) {
  surface.text(0, y, "kernel", styled(13, ColourRole::kStrong, Weight::kMedium));
  const bool several = own.kernels.size() > 1;
  std::string chosen;
  const float width = surface.width() - kLabel - (several ? kField + 4 : 0);
  fields.text("##kernel", kLabel, y, width, &form->kernel, form->kernel.empty(),
              "The __global__ function, with template arguments if any: name<32>");
  if (several) {
    fields.place(surface.width() - kField, y, kField);
    if (ImGui::BeginCombo("##kernels", nullptr,
                          ImGuiComboFlags_NoPreview | ImGuiComboFlags_PopupAlignLeft)) {
      for (const std::string& name : own.kernels) {
        if (ImGui::Selectable(name.c_str(), name == form->kernel)) chosen = name;
      }
      ImGui::EndCombo();
    }
  }
  if (!chosen.empty()) {
    surface.state().workbench.choose_function(chosen);
    *form = own.launch;
  }
  return y + kSliderRow;
}

float draw_extents(PanelSurface& surface, Fields& fields, float y, const ParameterSet& names,
                   LaunchForm* form) {
  const auto row = [&](const char* name, const char* id, std::string* value, bool wrong,
                       const std::string& meaning) {
    surface.text(0, y, name, styled(13, ColourRole::kStrong, Weight::kMedium));
    fields.text(id, kLabel, y, surface.width() - kLabel, value, wrong, meaning);
    y += kSliderRow;
  };
  const auto extent = [&](const char* name, const char* id, std::string* text,
                          const std::string& meaning) {
    const auto now = parse_extent(name, *text, names);
    const std::string value =
        now ? fmt::format("\nNow {} × {} × {}", now->x, now->y, now->z) : std::string();
    row(name, id, text, !now.ok(), meaning + kExtentMeaning + value);
  };
  extent("grid", "##grid", &form->grid, "Blocks of the grid");
  extent("block", "##block", &form->block, "Threads per block");
  row("shared", "##shared", &form->dynamic_shared, false,
      "Bytes of dynamic shared memory, in addition to the kernel's static arrays");
  return y;
}

// The shape that was found of a buffer whose length alone is given; "" where there is none.
std::string found_shape(const Variant& variant, const std::string& argument) {
  if (variant.prepared == nullptr) return {};
  for (const TiledMatrix& matrix : variant.prepared->tiling->matrices) {
    const MatrixView& view = matrix.view;
    if (view.name != argument || view.found_by.empty()) continue;
    return fmt::format("{} × {}", format_count(view.rows), format_count(view.cols));
  }
  return {};
}

// The numbers of the file that can be set, as the catalogue's parameters are.
float draw_parameters(PanelSurface& surface, float y) {
  Workbench& workbench = surface.state().workbench;
  // A copy: choosing a value makes the list anew.
  const std::vector<ParameterSpec> specs = workbench.active().offered();
  if (specs.empty()) return y;
  y += 6;
  surface.text(0, y, "PARAMETERS", heading_style());
  y += 26;
  for (const ParameterSpec& offered : specs) {
    const std::int64_t value = workbench.active().value_of(offered);
    ParameterSpec spec = offered;
    const auto place = std::ranges::lower_bound(spec.values, value);
    if (place == spec.values.end() || *place != value) spec.values.insert(place, value);
    if (const auto chosen = draw_parameter_slider(surface, y, spec, value, kSliderHeight)) {
      workbench.set_parameter(spec.name, *chosen);
    }
    y += kSliderHeight;
  }
  return y;
}

float draw_argument(PanelSurface& surface, Fields& fields, float y, ArgumentForm* argument) {
  const bool wrong = !file_arguments(argument->text(), 0).ok();
  const float width = surface.width();
  const TextStyle name = styled(13, ColourRole::kStrong, Weight::kMedium);
  const float behind_name = surface.canvas().text_width(argument->name, name) + 10;
  if (!argument->is_buffer) {
    constexpr float kValue = 92;
    surface.fitted(0, width - kValue - 8, y, argument->name, name);
    surface.fitted(behind_name, width - kValue - 8, y, argument->declared,
                   styled(12, ColourRole::kDim));
    fields.text("##value", width - kValue, y, kValue, &argument->value, wrong,
                argument->name + ", a number of type " + argument->type);
    return y + kSliderRow;
  }
  const std::string found = found_shape(surface.state().workbench.active(), argument->name);
  const TextStyle dim = styled(12, ColourRole::kDim, Weight::kRegular, Align::kRight);
  const float right = width - (found.empty() ? 0 : surface.canvas().text_width(found, dim) + 10);
  surface.fitted(0, right, y, argument->name, name);
  surface.fitted(behind_name, right, y, argument->declared, styled(12, ColourRole::kDim));
  if (!found.empty()) {
    surface.text(width, y, found, dim);
    surface.explain({right, y - 10, width - right, 20},
                    "Rows × columns, found from the addresses. Enter rows x columns as the length "
                    "below to change them.");
  }
  y += kSliderRow - 4;
  constexpr float kType = 46;
  constexpr float kOneRow = 190;  // that all three fit into
  const bool two_rows = width < kOneRow;
  const float fill = two_rows ? width : std::floor((width - kType - 8) * 0.5F);
  const float count = two_rows ? width - kType - 4 : width - kType - fill - 8;
  fields.choice("##type", 0, y, kType, &argument->type, kTypes,
                "The type of the buffer's elements");
  fields.text("##count", kType + 4, y, count, &argument->count, wrong,
              "Number of elements, or rows x columns; 1 x N: not a matrix");
  if (two_rows) y += kSliderRow - 4;
  fields.choice("##fill", width - fill, y, fill, &argument->fill, kFills, kFillMeaning);
  return y + kSliderRow + 2;
}

// The launch of the active variant's own kernel, field by field, from `y` on; a change is compiled
// soon. Returns the y below it. Precondition: the variant has a kernel of the user's own.
float draw_launch_form(PanelSurface& surface, float y) {
  Workbench& workbench = surface.state().workbench;
  const OwnKernel& own = *workbench.active().own;
  LaunchForm form = own.launch;
  Fields fields(surface);
  y = draw_kernel(surface, fields, y, own, &form);
  y = draw_extents(surface, fields, y, own.names, &form);
  workbench.set_launch(form);
  y = draw_parameters(surface, y);
  form = own.launch;
  y += 6;
  surface.text(0, y, "ARGUMENTS", heading_style());
  y += 26;
  if (form.arguments.empty()) {
    surface.text(0, y, "The kernel has no arguments.", styled(12, ColourRole::kDim));
    y += 20;
  }
  for (ArgumentForm& argument : form.arguments) {
    ImGui::PushID(argument.name.c_str());
    y = draw_argument(surface, fields, y, &argument);
    ImGui::PopID();
  }
  workbench.set_launch(std::move(form));
  // A mistake in the text has a line and stands there.
  const std::optional<Error>& error = workbench.active().error;
  if (error && error->place.line == 0) {
    surface.canvas().fill_rect({-8, y - 8, 2, 16}, ColourRole::kExcess, 0);
    y = surface.paragraph(0, y, surface.width(), to_string(*error),
                          styled(12, ColourRole::kExcess, Weight::kMedium));
  }
  return y;
}

inline constexpr float kFactorsHeight = 30;  // units, of a product

// A field for each name, side by side at the right end of `room`. `edit` draws the one that stands
// at the cursor.
template <typename Edit>
void draw_fields(PanelSurface& surface, float y, float room, const std::vector<std::string>& names,
                 const Edit& edit) {
  const WindowState& state = surface.state();
  const auto count = static_cast<float>(names.size());
  const bool whole_width = room >= surface.width();
  // Six digits, and ten where there is one field.
  const float widest = whole_width ? room : std::max(58.0F, 116 / count);
  const float field = std::min(widest, (room + 5) / count - 5);
  float x = surface.width() - (field + 5) * count + 5;
  ImGui::PushFont(state.fonts.figures(Weight::kRegular), 13 * surface.scale() / state.scale);
  constexpr float kFourDigits = 35;
  const float padding = std::clamp((field - kFourDigits) / 2, 3.0F, 6.0F);
  ImGui::PushStyleVar(ImGuiStyleVar_FramePadding,
                      ImVec2(padding * surface.scale(), 4 * surface.scale()));
  for (const std::string& name : names) {
    const Point corner = surface.screen({x, y - 11});
    ImGui::SetCursorScreenPos({corner.x, corner.y});
    ImGui::SetNextItemWidth(field * surface.scale());
    edit(name, "##" + name);
    x += field + 5;
  }
  ImGui::PopStyleVar();
  ImGui::PopFont();
}

// The active kernel's M, N, K or rows, cols, to be typed. Returns the y below. Precondition: it is
// the catalogue's.
float draw_extents(PanelSurface& surface, float y) {
  WindowState& state = surface.state();
  const Variant& variant = state.workbench.active();
  const std::vector<std::string> names = extent_names(variant.entry->problem);
  std::string words;
  for (const ExtentSpec& extent : variant.entry->problem->extents) {
    words += (words.empty() ? "" : ", ") + extent.label;
  }
  const TextStyle style = styled(13, ColourRole::kStrong, Weight::kMedium);
  surface.text(0, y, words, style);
  // Next to their name, or below it where that leaves too little for four digits or the longest.
  const float beside = surface.width() - surface.canvas().text_width(words, style) - 12;
  float widest = 46;
  for (const auto& [name, value] : variant.extents) {
    widest = std::max(widest, surface.canvas().text_width(std::to_string(value), styled(13)) + 12);
  }
  const bool below = beside / static_cast<float>(names.size()) < widest;
  if (below) y += 24;
  draw_fields(
      surface, y, below ? surface.width() : beside, names,
      [&](const std::string& name, const std::string& id) {
        const auto found = variant.extents.find(name);
        int value = found != variant.extents.end() ? static_cast<int>(found->second) : 0;
        const int before = value;
        ImGui::InputInt(id.c_str(), &value, 0, 0, ImGuiInputTextFlags_AutoSelectAll);
        if (ImGui::IsItemDeactivatedAfterEdit()) {
          if (value > 0) state.workbench.set_extent(name, value);
          state.note = value > 0 ? std::string()
                                 : name + " must be 1 or more; it stays " + std::to_string(before);
        }
        state.tooltip.offer_for_item(name + ": any size from 1, not only multiples of the tile");
      });
  return y + 30;
}

// The factors of C = alpha A B + beta C. Returns the y below; the same where the kernel has none.
float draw_factors(PanelSurface& surface, float y) {
  WindowState& state = surface.state();
  const Variant& variant = state.workbench.active();
  const std::vector<std::string> names = factor_names(*variant.entry);
  if (names.empty()) return y;
  surface.text(0, y, "alpha, beta", styled(13, ColourRole::kStrong, Weight::kMedium));
  draw_fields(
      surface, y, surface.width() - 80, names, [&](const std::string& name, const std::string& id) {
        double value = factor_of(variant.factors, name);
        ImGui::InputDouble(id.c_str(), &value, 0, 0, "%g", ImGuiInputTextFlags_AutoSelectAll);
        if (ImGui::IsItemDeactivatedAfterEdit()) state.workbench.set_factor(name, value);
        state.tooltip.offer_for_item(fmt::format(
            "{} in C = alpha A B + beta C (f32); default {:g}{}", name, usual_factor(name),
            name == "beta" ? ". With another value each element of C is read too" : ""));
      });
  return y + kFactorsHeight;
}

constexpr float kWatchLine = 16;

std::string difference(const ParameterSet& wanted, const ParameterSet& now) {
  std::string text;
  for (const auto& [name, value] : wanted) {
    const auto old = now.find(name);
    if (old != now.end() && old->second == value) continue;
    text += (text.empty() ? "" : ", ") + name + " " + std::to_string(value);
  }
  return text;
}

// A broken rule: its words, what would be legal, and the way back as a button.
float draw_violation(PanelSurface& surface, float y, const RuleViolation& violation) {
  Workbench& workbench = surface.state().workbench;
  surface.canvas().fill_rect({-8, y - 8, 2, 16}, ColourRole::kExcess, 0);
  y = surface.paragraph(0, y, surface.width(), violation.message,
                        styled(12, ColourRole::kExcess, Weight::kMedium));
  for (const auto& [name, values] : violation.legal_values) {
    std::string list;
    for (const std::int64_t value : values)
      list += (list.empty() ? "" : ", ") + std::to_string(value);
    y = surface.paragraph(
        0, y, surface.width(),
        name + (list.empty() ? ": no value is valid here" : ": " + list + " would be valid"),
        styled(12, ColourRole::kDim));
  }
  if (!violation.nearest_legal.empty()) {
    const std::string change = difference(violation.nearest_legal, workbench.active().parameters);
    y += 4;
    const Rect button{0, y - 8, surface.width(), 26};
    const bool pressed = surface.push("nearest legal", button, "Use " + change);
    surface.explain(button, "The nearest values that meet all rules.");
    if (pressed) workbench.apply(violation.nearest_legal);
    y += 30;
  }
  return y + 4;
}

// What the kernel is worth looking at for: a click opens the view, with the values to try there.
// The words stand below where the window is large, else in the hover.
float draw_watch(PanelSurface& surface, float y, const CatalogueEntry& entry, const Watch& watch) {
  WindowState& state = surface.state();
  const auto view = parse_view(watch.view);
  if (!view) return y;
  const TextStyle body = styled(12, ColourRole::kDim);
  std::vector<std::string> words;
  if (!state.compact) {
    // As wide as beside a scroll bar in any case: whether there is one depends on the lines.
    const float bar = ImGui::GetScrollMaxY() > 0 ? 0 : ImGui::GetStyle().ScrollbarSize;
    words = surface.lines_of(watch.words, surface.width() - bar / surface.scale(), body);
  }
  const Rect rect{-8, y - 9, surface.width() + 16,
                  2 + kWatchLine * static_cast<float>(1 + words.size())};
  const Touch touch = surface.control("watch", rect);
  if (touch.hovered) surface.canvas().fill_rect(rect, ColourRole::kHover, 4);
  surface.fitted(0, surface.width(), y, "Try it: " + place_of(watch),
                 styled(12, touch.hovered ? ColourRole::kStrong : ColourRole::kFirst));
  y += kWatchLine;
  for (const std::string& line : words) {
    surface.text(0, y, line, body);
    y += kWatchLine;
  }
  surface.explain(rect, words.empty() ? watch.words + " Click to show it." : "Click to show it.");
  if (touch.clicked) show_example(state, entry, *view, watch.parameters);
  return y + 6;
}

constexpr float kLectureFoot = 88;
constexpr float kLeastSlider = 34;  // units
constexpr float kLeastInLecture = 29;
constexpr float kExtentsBelow = 56;  // height of the extents below their name, with what is above

// The height of a slider in a small window: eight take little more room than seven, for the panel
// has no more.
float compact_height(std::size_t sliders) {
  constexpr float kOwn = 37;
  constexpr float kRoom = 276;  // beside the sizes, the factors and what to watch
  return sliders == 0 ? kOwn : std::clamp(kRoom / static_cast<float>(sliders), kLeastSlider, kOwn);
}

// The height of a slider, less where a lecture's foot would be pushed out of the panel.
float slider_height(const PanelSurface& surface, float y, std::size_t sliders) {
  const WindowState& state = surface.state();
  const float own = state.compact ? compact_height(sliders) : kSliderHeight;
  if (!state.lecture || sliders == 0) return own;
  const CatalogueEntry& entry = *state.workbench.active().entry;
  const float factors = factor_names(entry).empty() ? 0 : kFactorsHeight;
  const float room = surface.height() - y - kExtentsBelow - factors - 8 - kLectureFoot;
  return std::clamp(room / static_cast<float>(sliders), kLeastInLecture, own);
}

// What a lecture has here and the other arrangements elsewhere: the selection and the marks of
// where numbers come from, at the foot of the panel or below its contents. Returns the y below.
float draw_lecture_foot(PanelSurface& surface, float y) {
  const Variant& variant = surface.state().workbench.active();
  const float top = std::max(y + 8, surface.height() - kLectureFoot);
  surface.rule(0, surface.width(), top);
  if (variant.study != nullptr) {
    surface.paragraph(0, top + 16, surface.width(), selection_words(variant),
                      styled(12.5F, ColourRole::kText, Weight::kMedium));
  }
  surface.source_legend(top + kLectureFoot - 10, 13);
  return top + kLectureFoot;
}

// As many of them as the room holds, the first in any case.
std::string first_words(const PanelSurface& surface, std::string words, const TextStyle& style,
                        float room) {
  for (std::size_t end = words.rfind(' ');
       end != std::string::npos && surface.canvas().text_width(words, style) > room;
       end = words.rfind(' ')) {
    words.resize(end);
  }
  return words;
}

}  // namespace

void draw_parameters_panel(WindowState& state) {
  PanelSurface surface(state, state.lecture ? 1.3F : 1.0F);
  Workbench& workbench = state.workbench;
  float y = 8;
  if (workbench.active().own) {
    surface.text(0, y, "LAUNCH", heading_style());
    y = draw_launch_form(surface, y + 28);
    const std::string& corrections = workbench.active().own->corrections;
    if (!corrections.empty()) {
      y = surface.paragraph(0, y + 10, surface.width(),
                            "Guessed, and corrected after a trial: " + corrections + ".",
                            styled(12, ColourRole::kDim));
    }
    surface.finish(y);
    state.panel_used["Parameters"] = y + 24;
    return;
  }
  surface.text(0, y, "PARAMETERS", heading_style());
  if (workbench.active().entry == nullptr) {
    y = surface.paragraph(0, y + 26, surface.width(), "Choose a kernel above.",
                          styled(12, ColourRole::kDim));
    surface.finish(y);
    state.panel_used["Parameters"] = y + 24;
    return;
  }
  const Rect reset{surface.width() - 36, y - 9, 36, 18};
  const Touch touch = surface.control("reset", reset, "Resets all parameters to their defaults.");
  surface.text(surface.width(), y, "reset",
               styled(12, touch.hovered ? ColourRole::kStrong : ColourRole::kFirst,
                      Weight::kRegular, Align::kRight));
  if (touch.clicked) workbench.reset_parameters();
  y += 26;
  const CatalogueEntry& entry = *workbench.active().entry;
  const float height = slider_height(surface, y, entry.parameters.size());
  if (state.focused_parameter.empty() && !entry.parameters.empty()) {
    state.focused_parameter = entry.parameters.front().name;
  }
  for (const ParameterSpec& spec : entry.parameters) {
    const auto found = workbench.active().parameters.find(spec.name);
    const std::int64_t value =
        found != workbench.active().parameters.end() ? found->second : spec.default_value;
    if (const auto chosen = draw_parameter_slider(surface, y, spec, value, height)) {
      workbench.set_parameter(spec.name, *chosen);
    }
    y += height;
  }
  y = draw_factors(surface, draw_extents(surface, y + 2));
  const std::string& not_here = workbench.active().not_here;
  if (!not_here.empty()) {
    y = surface.paragraph(0, y + 14, surface.width(),
                          fmt::format("{}. Shown for an {}.", not_here,
                                      workbench.device_model(workbench.active()).name),
                          styled(12, ColourRole::kText));
  }
  // A copy: applying the way back changes the list.
  const std::vector<RuleViolation> violations = workbench.active().violations;
  for (const RuleViolation& violation : violations) {
    ImGui::PushID(violation.message.c_str());
    y = draw_violation(surface, y + 6, violation);
    ImGui::PopID();
  }
  if (!entry.watch.empty() && !state.lecture)
    y = draw_watch(surface, y + 2, entry, entry.watch.front());
  if (state.lecture) y = draw_lecture_foot(surface, y);
  surface.finish(y - 8);
  state.panel_used["Parameters"] = y + 16;
}

void draw_costs_panel(WindowState& state) {
  PanelSurface surface(state);
  const Variant& variant = state.workbench.active();
  const KernelStudy* study = variant.study.get();
  const Paint ink = variant.study_pending || !variant.violations.empty() || variant.error
                        ? ColourRole::kDim
                        : ColourRole::kStrong;
  const float pitch = state.compact ? 18 : 21;
  float y = 6;
  const auto row = [&](const char* name, const std::string& value, const std::string& between,
                       const std::string& meaning) {
    const TextStyle style = styled(13, ink, Weight::kSemibold, Align::kRight);
    const TextStyle aside = styled(12, ColourRole::kSecond, Weight::kRegular, Align::kRight);
    surface.text(surface.width(), y, value, style);
    const TextStyle quiet = styled(13, ColourRole::kDim);
    const float right = surface.width() - surface.canvas().text_width(value, style) - 8;
    if (!between.empty()) surface.text(right, y, between, aside);
    const float room = right - surface.canvas().text_width(between, aside) - 8;
    surface.text(0, y, first_words(surface, name, quiet, room), quiet);
    surface.explain({0, y - 10, surface.width(), 20}, meaning);
    y += pitch;
  };
  const bool known = study != nullptr && study->compiled && study->compiled->has_resources;
  const std::string none = "–";
  row("Threads per block", study != nullptr ? format_count(study->launch.block.count()) : none, "",
      "Threads per block (x * y * z of blockDim); at most 1,024.");
  row("Registers per thread",
      known ? format_count(static_cast<std::uint64_t>(study->compiled->resources.registers)) : none,
      known && study->compiled->resources.spill_store_bytes > 0
          ? "spills " + format(study->compiled->resources.spill_store_bytes, Unit::kBytes)
          : "",
      "Registers per thread (chosen by the compiler). The more, the fewer blocks fit on an SM.");
  row("Shared per block",
      known ? format(static_cast<double>(study->compiled->resources.static_shared_bytes) +
                         study->launch.dynamic_shared_bytes,
                     Unit::kBytes)
            : none,
      "", "Shared memory per block, static and dynamic.");
  const bool occupied = study != nullptr && study->occupancy.has_value();
  row("Blocks per SM",
      occupied ? std::to_string(study->occupancy->blocks_per_multiprocessor) : none, "",
      "Blocks that run at the same time on one SM, and the resource that is used up.");
  // On a line of its own, there are up to four of them; which stays where there is none, so that
  // nothing above it moves when a picture arrives.
  if (occupied) {
    surface.text(surface.width(), y - (state.compact ? 1 : 3),
                 "limit: " + limits_in_words(*study->occupancy),
                 styled(12, ColourRole::kSecond, Weight::kRegular, Align::kRight));
  }
  surface.explain({0, y - 10, surface.width(), 18}, "The resources that prevent one more block.");
  y += state.compact ? 16 : 18;
  if (study != nullptr && study->compiled && !study->compiled->why_nvcc.empty()) {
    row("Compiled by", study->compiled->compiler, "", note_on_compiler(*study->compiled));
  }
  state.panel_used["Costs"] = y + (state.compact ? 15 : 18);
  surface.finish(y - 8);
}

namespace {

std::size_t index_of(const ParameterSpec& spec, std::int64_t value) {
  const auto at = std::lower_bound(spec.values.begin(), spec.values.end(), value);
  return static_cast<std::size_t>(std::min<std::ptrdiff_t>(
      at - spec.values.begin(), static_cast<std::ptrdiff_t>(spec.values.size()) - 1));
}

std::string list_values(const ParameterSpec& spec) {
  std::string list;
  for (const std::int64_t value : spec.values) {
    list += (list.empty() ? "" : ", ") + std::to_string(value);
  }
  return list;
}

// A small arrow to the next legal value; direction -1 or 1. True when pressed.
bool draw_stepper(PanelSurface& surface, const char* id, Point center, float direction) {
  const Touch touch =
      surface.control(id, {center.x - 8, center.y - 9, 16, 18},
                      direction < 0 ? "Previous valid value (Left)" : "Next valid value (Right)");
  const Paint ink = touch.hovered ? ColourRole::kStrong : ColourRole::kDim;
  surface.canvas().line({center.x - 2 * direction, center.y - 4},
                        {center.x + 2 * direction, center.y}, ink, 1.4F);
  surface.canvas().line({center.x + 2 * direction, center.y},
                        {center.x - 2 * direction, center.y + 4}, ink, 1.4F);
  return touch.clicked;
}

// The next value in a direction that keeps the rules; the next at all where none does.
std::int64_t next_value(const WindowState& state, const ParameterSpec& spec, std::int64_t value,
                        int direction) {
  const auto count = static_cast<std::ptrdiff_t>(spec.values.size());
  const auto here = static_cast<std::ptrdiff_t>(index_of(spec, value));
  const auto legal = state.legal.legal.find(spec.name);
  for (std::ptrdiff_t i = here + direction; i >= 0 && i < count; i += direction) {
    if (legal == state.legal.legal.end() || legal->second[static_cast<std::size_t>(i)]) {
      return spec.values[static_cast<std::size_t>(i)];
    }
  }
  return spec
      .values[static_cast<std::size_t>(std::clamp<std::ptrdiff_t>(here + direction, 0, count - 1))];
}

std::optional<std::int64_t> type_value(PanelSurface& surface, float y, const ParameterSpec& spec,
                                       std::int64_t value) {
  WindowState& state = surface.state();
  const Point corner = surface.screen({surface.width() - 84, y - 11});
  ImGui::SetCursorScreenPos({corner.x, corner.y});
  ImGui::SetNextItemWidth(84 * surface.scale());
  ImGui::PushStyleVar(ImGuiStyleVar_FramePadding, ImVec2(6 * surface.scale(), 4 * surface.scale()));
  char text[32] = {};
  std::snprintf(text, sizeof(text), "%lld", static_cast<long long>(value));
  if (!ImGui::IsAnyItemActive()) ImGui::SetKeyboardFocusHere();
  const bool entered =
      ImGui::InputText("##typed", text, sizeof(text),
                       ImGuiInputTextFlags_EnterReturnsTrue | ImGuiInputTextFlags_CharsDecimal |
                           ImGuiInputTextFlags_AutoSelectAll);
  const bool left = ImGui::IsItemDeactivated();
  ImGui::PopStyleVar();
  if (entered || left) state.typed_parameter.clear();
  if (!entered) return std::nullopt;
  std::int64_t typed = 0;
  const auto parsed = std::from_chars(text, text + std::strlen(text), typed);
  // Of a file's number any may be right: the compiler knows.
  const bool any = state.workbench.active().own.has_value();
  if (parsed.ec != std::errc() ||
      (!any && std::find(spec.values.begin(), spec.values.end(), typed) == spec.values.end())) {
    state.note = spec.name + " can be " + list_values(spec) + ".";
    return std::nullopt;
  }
  state.note.clear();
  return typed;
}

// The reader's word beside the macro: what it counts or, of a switch whose meaning is told value by
// value ("1: along a column; 0: along a row"), what its value does. Nothing where it has no room.
void draw_label(PanelSurface& surface, float x, float y, const ParameterSpec& spec,
                std::int64_t value) {
  constexpr float kValueAndSteps = 64;
  std::string label = spec.unit;
  const std::string mark = std::to_string(value) + ": ";
  if (const std::size_t at = spec.meaning.find(mark); label.empty() && at != std::string::npos) {
    const std::size_t begin = at + mark.size();
    label = spec.meaning.substr(begin, spec.meaning.find(';', begin) - begin);
  }
  const TextStyle style = styled(12, ColourRole::kDim);
  if (x + surface.canvas().text_width(label, style) > surface.width() - kValueAndSteps) return;
  surface.text(x, y, label, style);
}

}  // namespace

std::optional<std::int64_t> draw_parameter_slider(PanelSurface& surface, float y,
                                                  const ParameterSpec& spec, std::int64_t value,
                                                  float height) {
  WindowState& state = surface.state();
  ImGui::PushID(spec.name.c_str());
  std::optional<std::int64_t> chosen;
  const float width = surface.width();
  const float track_y = y + height * 0.47F;
  const std::size_t last = spec.values.size() - 1;
  const std::size_t here = index_of(spec, value);
  const auto legal = state.legal.legal.find(spec.name);
  const auto keeps_rules = [&](std::size_t i) {
    return legal == state.legal.legal.end() || legal->second[i];
  };
  const auto x_of = [&](std::size_t i) {
    return last == 0 ? 0.0F : static_cast<float>(i) / static_cast<float>(last) * width;
  };

  const Touch track = surface.control("track", {-6, track_y - 9, width + 12, 18});
  if (ImGui::IsItemFocused() && ImGui::GetIO().NavVisible) {
    state.slider_focused = true;
    state.focused_parameter = spec.name;
  }
  if (track.held && last > 0) {
    const ImVec2 mouse = ImGui::GetIO().MousePos;
    const float along = std::clamp(surface.units({mouse.x, mouse.y}).x / width, 0.0F, 1.0F);
    const auto i = static_cast<std::size_t>(std::lround(along * static_cast<float>(last)));
    state.focused_parameter = spec.name;
    if (spec.values[i] != value) chosen = spec.values[i];
  }

  if (track.held || track.hovered) state.workbench.look_ahead(spec.name);

  const TextStyle name_style = styled(13, ColourRole::kStrong, Weight::kMedium);
  surface.text(0, y, spec.name, name_style);
  draw_label(surface, surface.canvas().text_width(spec.name, name_style) + 8, y, spec, value);
  const std::string shown = std::to_string(value);
  if (state.typed_parameter == spec.name) {
    if (auto typed = type_value(surface, y, spec, value)) chosen = typed;
  } else {
    const TextStyle style =
        styled(13, keeps_rules(here) ? ColourRole::kStrong : ColourRole::kExcess, Weight::kSemibold,
               Align::kRight);
    const float room = surface.canvas().text_width(shown, style);
    const Point mouse{ImGui::GetIO().MousePos.x, ImGui::GetIO().MousePos.y};
    const Rect row{0, y - 12, width, height};
    // Also while an arrow is pressed, or it would be gone before it is let go.
    const bool near = ImGui::IsWindowHovered(ImGuiHoveredFlags_AllowWhenBlockedByActiveItem) &&
                      row.contains(surface.units(mouse));
    const float right = near && last > 0 ? width - 16 : width;
    surface.text(right, y, shown, style);
    if (near && last > 0) {
      if (draw_stepper(surface, "less", {right - room - 12, y}, -1))
        chosen = next_value(state, spec, value, -1);
      if (draw_stepper(surface, "more", {width - 6, y}, 1))
        chosen = next_value(state, spec, value, 1);
      if (chosen) state.focused_parameter = spec.name;
    }
    const Rect figure{right - room - 3, y - 10, room + 6, 20};
    const Touch typed = surface.control("value", figure, "Double-click to type a value.");
    if (typed.double_clicked) state.typed_parameter = spec.name;
    if (!typed.hovered) {
      surface.explain({0, y - 10, surface.canvas().text_width(spec.name, styled(13)) + 8, 20},
                      spec.meaning + (spec.unit.empty() ? "" : ", in " + spec.unit) + ": " +
                          list_values(spec) + ".");
    }
  }
  Canvas& canvas = surface.canvas();
  canvas.fill_rect({0, track_y - 1, width, 2}, ColourRole::kLine, 0);
  canvas.fill_rect({0, track_y - 1, x_of(here), 2}, ColourRole::kFirst, 0);
  for (std::size_t i = 0; i <= last; ++i) {
    const bool passed = i < here;
    const Paint ink = !keeps_rules(i) ? ColourRole::kExcess
                      : passed        ? ColourRole::kFirst
                                      : ColourRole::kFaint;
    const float tall = keeps_rules(i) ? 4 : 5;
    canvas.fill_rect({x_of(i) - 0.75F, track_y - tall, 1.5F, 2 * tall}, ink, 0);
    if (!state.workbench.compiled_ahead(spec.name, spec.values[i])) continue;
    canvas.fill_circle({x_of(i), track_y + 8}, 1.6F, ColourRole::kIdeal);
    if (!track.held) {
      surface.explain({x_of(i) - 6, track_y - 9, 12, 18},
                      spec.name + " " + std::to_string(spec.values[i]) +
                          " is already compiled; it appears at once.");
    }
  }
  const float radius = track.held || track.hovered ? 6.5F : 5.5F;
  canvas.fill_circle({x_of(here), track_y}, radius + 1.5F,
                     keeps_rules(here) ? ColourRole::kFirst : ColourRole::kExcess);
  canvas.fill_circle({x_of(here), track_y}, radius - 0.5F, ColourRole::kSelection);
  ImGui::PopID();
  return chosen;
}

void step_parameter(WindowState& state, int direction) {
  const std::vector<ParameterSpec>& all = state.workbench.active().offered();
  const auto spec = std::ranges::find(all, state.focused_parameter, &ParameterSpec::name);
  if (spec == all.end()) return;
  const std::int64_t value = state.workbench.active().value_of(*spec);
  state.workbench.set_parameter(state.focused_parameter,
                                next_value(state, *spec, value, direction));
}

void choose_parameter(WindowState& state, int direction) {
  const std::vector<ParameterSpec>& all = state.workbench.active().offered();
  if (all.empty()) return;
  const auto here = std::ranges::find(all, state.focused_parameter, &ParameterSpec::name);
  const auto index = here == all.end() ? 0 : here - all.begin() + direction;
  const auto last = static_cast<std::ptrdiff_t>(all.size()) - 1;
  state.focused_parameter =
      all[static_cast<std::size_t>(std::clamp<std::ptrdiff_t>(index, 0, last))].name;
}

}  // namespace tilescope
