#include "ui/panels/launch_form.h"

#include <fmt/format.h>
#include <imgui.h>
#include <imgui_stdlib.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string>

#include "core/quantity.h"
#include "kernel/argument_text.h"
#include "scene/prepared.h"
#include "scene/tiling/tiling_model.h"
#include "ui/drawing/fonts.h"
#include "ui/drawing/sheet.h"
#include "ui/drawing/style.h"
#include "ui/panels/parameter_slider.h"

namespace tilescope {
namespace {

constexpr float kRow = 30;
constexpr float kField = 21;  // a frame around 13 units of text
constexpr float kLabel = 62;
constexpr std::array<const char*, 12> kTypes{"f32", "f64", "f16", "bf16", "i32", "u32",
                                             "i64", "u64", "i16", "u16",  "i8",  "u8"};
constexpr std::array<const char*, 4> kFills{"random:1", "iota", "ramp", "zero"};
constexpr const char* kExtentMeaning =
    ", X[,Y[,Z]] from 1: numbers, or expressions of the file's macros and the kernel's numbers, "
    "such as ceil_div(N, TILE)";
constexpr const char* kFillMeaning =
    "What the buffer holds before the launch. random:SEED: in [-1, 1), or any whole number; iota: "
    "0, 1, 2 …; ramp: from 0 to 1, or 0 to 250 again and again; zero; @FILE: its bytes.";

// ImGui's fields in the sheet's units.
class Fields {
 public:
  explicit Fields(Sheet& sheet) : sheet_(sheet) {
    const Desk& desk = sheet.desk();
    const float scale = sheet.scale();
    ImGui::PushFont(desk.fonts.figures(Weight::kRegular), 13 * scale / desk.scale);
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
    ImGui::SetItemTooltip("%s", meaning.c_str());
    if (wrong) {
      sheet_.canvas().stroke_rect({x, y - kField / 2, width, kField}, ColourRole::kExcess, 1, 4);
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
      ImGui::SetItemTooltip("%s", meaning);
    }
    return changed;
  }
  void place(float x, float y, float width) {
    const Point corner = sheet_.screen({x, y - kField / 2});
    ImGui::SetCursorScreenPos({corner.x, corner.y});
    ImGui::SetNextItemWidth(width * sheet_.scale());
  }

 private:
  Sheet& sheet_;
};

float draw_kernel(Sheet& sheet, Fields& fields, float y, const OwnKernel& own, LaunchForm* form) {
  sheet.text(0, y, "kernel", styled(13, ColourRole::kStrong, Weight::kMedium));
  const bool several = own.kernels.size() > 1;
  const float width = sheet.width() - kLabel - (several ? kField + 4 : 0);
  fields.text("##kernel", kLabel, y, width, &form->kernel, form->kernel.empty(),
              "The __global__ function, with its template arguments where it has some: name<32>");
  if (several) {
    fields.place(sheet.width() - kField, y, kField);
    if (ImGui::BeginCombo("##kernels", nullptr,
                          ImGuiComboFlags_NoPreview | ImGuiComboFlags_PopupAlignLeft)) {
      for (const std::string& name : own.kernels) {
        if (!ImGui::Selectable(name.c_str(), name == form->kernel)) continue;
        *form = guess_launch({own.file.path, own.edited.value_or(own.file.source)}, name);
      }
      ImGui::EndCombo();
    }
  }
  return y + kRow;
}

float draw_extents(Sheet& sheet, Fields& fields, float y, const ParameterSet& names,
                   LaunchForm* form) {
  const auto row = [&](const char* name, const char* id, std::string* value, bool wrong,
                       const std::string& meaning) {
    sheet.text(0, y, name, styled(13, ColourRole::kStrong, Weight::kMedium));
    fields.text(id, kLabel, y, sheet.width() - kLabel, value, wrong, meaning);
    y += kRow;
  };
  const auto extent = [&](const char* name, const char* id, std::string* text,
                          const std::string& meaning) {
    const auto now = parse_extent(name, *text, names);
    const std::string value =
        now ? fmt::format("\nNow {} × {} × {}", now->x, now->y, now->z) : std::string();
    row(name, id, text, !now.ok(), meaning + kExtentMeaning + value);
  };
  extent("grid", "##grid", &form->grid, "Blocks of the grid");
  extent("block", "##block", &form->block, "Threads of a block");
  row("shared", "##shared", &form->dynamic_shared, false,
      "Bytes of dynamic shared memory, beside what the kernel declares itself");
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
float draw_parameters(Sheet& sheet, float y) {
  Workbench& bench = sheet.desk().bench;
  // A copy: choosing a value makes the list anew.
  const std::vector<ParameterSpec> specs = bench.active().offered();
  if (specs.empty()) return y;
  y += 6;
  sheet.text(0, y, "PARAMETERS", heading_style());
  y += 26;
  for (const ParameterSpec& offered : specs) {
    const std::int64_t value = bench.active().value_of(offered);
    ParameterSpec spec = offered;
    const auto place = std::ranges::lower_bound(spec.values, value);
    if (place == spec.values.end() || *place != value) spec.values.insert(place, value);
    if (const auto chosen = draw_parameter_slider(sheet, y, spec, value, kSliderHeight)) {
      bench.set_parameter(spec.name, *chosen);
    }
    y += kSliderHeight;
  }
  return y;
}

float draw_argument(Sheet& sheet, Fields& fields, float y, ArgumentForm* argument) {
  const bool wrong = !file_arguments(argument->text(), 0).ok();
  const float width = sheet.width();
  const TextStyle name = styled(13, ColourRole::kStrong, Weight::kMedium);
  const float behind_name = sheet.canvas().text_width(argument->name, name) + 10;
  if (!argument->is_buffer) {
    constexpr float kValue = 92;
    sheet.fitted(0, width - kValue - 8, y, argument->name, name);
    sheet.fitted(behind_name, width - kValue - 8, y, argument->declared,
                 styled(12, ColourRole::kDim));
    fields.text("##value", width - kValue, y, kValue, &argument->value, wrong,
                argument->name + ", a number of type " + argument->type);
    return y + kRow;
  }
  const std::string found = found_shape(sheet.desk().bench.active(), argument->name);
  const TextStyle dim = styled(12, ColourRole::kDim, Weight::kRegular, Align::kRight);
  const float right = width - (found.empty() ? 0 : sheet.canvas().text_width(found, dim) + 10);
  sheet.fitted(0, right, y, argument->name, name);
  sheet.fitted(behind_name, right, y, argument->declared, styled(12, ColourRole::kDim));
  if (!found.empty()) {
    sheet.text(width, y, found, dim);
    sheet.explain({right, y - 10, width - right, 20},
                  "Rows × columns, as its addresses show. Written in place of the length below, "
                  "other rows × columns take their place.");
  }
  y += kRow - 4;
  constexpr float kType = 50;
  constexpr float kOneRow = 190;  // that all three fit into
  const bool two_rows = width < kOneRow;
  const float fill = two_rows ? width : std::floor((width - kType - 8) * 0.46F);
  const float count = two_rows ? width - kType - 4 : width - kType - fill - 8;
  fields.choice("##type", 0, y, kType, &argument->type, kTypes,
                "The type of the buffer's elements");
  fields.text("##count", kType + 4, y, count, &argument->count, wrong,
              "How many elements the buffer has, or its rows x columns; 1 x N: no matrix");
  if (two_rows) y += kRow - 4;
  fields.choice("##fill", width - fill, y, fill, &argument->fill, kFills, kFillMeaning);
  return y + kRow + 2;
}

}  // namespace

float draw_launch_form(Sheet& sheet, float y) {
  Workbench& bench = sheet.desk().bench;
  const OwnKernel& own = *bench.active().own;
  LaunchForm form = own.launch;
  Fields fields(sheet);
  y = draw_kernel(sheet, fields, y, own, &form);
  y = draw_extents(sheet, fields, y, own.names, &form);
  bench.set_launch(form);
  y = draw_parameters(sheet, y);
  form = own.launch;
  y += 6;
  sheet.text(0, y, "ARGUMENTS", heading_style());
  y += 26;
  if (form.arguments.empty()) {
    sheet.text(0, y, "It takes none.", styled(12, ColourRole::kDim));
    y += 20;
  }
  for (ArgumentForm& argument : form.arguments) {
    ImGui::PushID(argument.name.c_str());
    y = draw_argument(sheet, fields, y, &argument);
    ImGui::PopID();
  }
  bench.set_launch(std::move(form));
  // A mistake in the text has a line and stands there.
  const std::optional<Error>& error = bench.active().error;
  if (error && error->place.line == 0) {
    sheet.canvas().fill_rect({-8, y - 8, 2, 16}, ColourRole::kExcess, 0);
    y = sheet.paragraph(0, y, sheet.width(), to_string(*error),
                        styled(12, ColourRole::kExcess, Weight::kMedium));
  }
  return y;
}

}  // namespace tilescope
