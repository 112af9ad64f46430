#include "ui/panels/size_fields.h"

#include <imgui.h>

#include <algorithm>
#include <string>
#include <vector>

#include "kernel/catalogue_entry.h"
#include "kernel/gemm_factors.h"
#include "ui/drawing/fonts.h"

namespace tilescope {
namespace {

// A field for each name, side by side at the right end of `room`. `edit` draws the one that stands
// at the cursor.
template <typename Edit>
void draw_fields(Sheet& sheet, float y, float room, const std::vector<std::string>& names,
                 const Edit& edit) {
  const Desk& desk = sheet.desk();
  const auto count = static_cast<float>(names.size());
  const bool whole_width = room >= sheet.width();
  const float field = std::min(whole_width ? room : 58.0F, (room + 5) / count - 5);
  float x = sheet.width() - (field + 5) * count + 5;
  ImGui::PushFont(desk.fonts.figures(Weight::kRegular), 13 * sheet.scale() / desk.scale);
  constexpr float kFourDigits = 35;
  const float padding = std::clamp((field - kFourDigits) / 2, 3.0F, 6.0F);
  ImGui::PushStyleVar(ImGuiStyleVar_FramePadding,
                      ImVec2(padding * sheet.scale(), 4 * sheet.scale()));
  for (const std::string& name : names) {
    const Point corner = sheet.screen({x, y - 11});
    ImGui::SetCursorScreenPos({corner.x, corner.y});
    ImGui::SetNextItemWidth(field * sheet.scale());
    edit(name, "##" + name);
    x += field + 5;
  }
  ImGui::PopStyleVar();
  ImGui::PopFont();
}

}  // namespace

float draw_extents(Sheet& sheet, float y) {
  Desk& desk = sheet.desk();
  const Variant& variant = desk.bench.active();
  const std::vector<std::string> names = extent_names(variant.entry->problem);
  sheet.text(0, y, names.size() == 3 ? "M, N, K" : "rows, cols",
             styled(13, ColourRole::kStrong, Weight::kMedium));
  // Next to their name, or below it where that leaves too little for four digits.
  const float beside = sheet.width() - (names.size() == 3 ? 54.0F : 76.0F);
  const bool below = beside / static_cast<float>(names.size()) < 46;
  if (below) y += 24;
  draw_fields(sheet, y, below ? sheet.width() : beside, names,
              [&](const std::string& name, const std::string& id) {
                const auto found = variant.extents.find(name);
                int value = found != variant.extents.end() ? static_cast<int>(found->second) : 0;
                ImGui::InputInt(id.c_str(), &value, 0, 0, ImGuiInputTextFlags_AutoSelectAll);
                if (ImGui::IsItemDeactivatedAfterEdit() && value > 0) {
                  desk.bench.set_extent(name, value);
                }
                ImGui::SetItemTooltip("%s, 1 and up: any size, not only multiples of the tile",
                                      name.c_str());
              });
  return y + 30;
}

float draw_factors(Sheet& sheet, float y) {
  Desk& desk = sheet.desk();
  const Variant& variant = desk.bench.active();
  const std::vector<std::string> names = factor_names(*variant.entry);
  if (names.empty()) return y;
  sheet.text(0, y, "alpha, beta", styled(13, ColourRole::kStrong, Weight::kMedium));
  draw_fields(
      sheet, y, sheet.width() - 80, names, [&](const std::string& name, const std::string& id) {
        double value = factor_of(variant.factors, name);
        ImGui::InputDouble(id.c_str(), &value, 0, 0, "%g", ImGuiInputTextFlags_AutoSelectAll);
        if (ImGui::IsItemDeactivatedAfterEdit()) desk.bench.set_factor(name, value);
        ImGui::SetItemTooltip(
            "%s of C = alpha A B + beta C, an f32; usually %g%s", name.c_str(), usual_factor(name),
            name == "beta" ? ". With another one each element of C is read too" : "");
      });
  return y + kFactorsHeight;
}

}  // namespace tilescope
