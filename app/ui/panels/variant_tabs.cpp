#include "ui/panels/variant_tabs.h"

#include <imgui.h>

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "kernel/parameter_values.h"
#include "ui/drawing/style.h"
#include "ui/panels/panel.h"

namespace tilescope {
namespace {

constexpr std::array kVariantColours{ColourRole::kFirst, ColourRole::kSecond, ColourRole::kThird,
                                     ColourRole::kFourth};
constexpr float kTabMiddle = kTopBarHeight / 2;
constexpr float kTabGap = 6;

std::string name_of_variant(const Variant& variant) {
  const std::string edited = variant.is_edited() ? ", edited" : "";
  if (variant.entry != nullptr) return variant.entry->title + edited;
  return variant.own ? variant.file_name() + edited : "no kernel";
}

// "PAD 0, TILE 16": the values of `own` that differ from those of another variant of the same name.
std::string apart_from_others(const std::vector<Variant>& all, const Variant& own) {
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

float wanted_width(Sheet& sheet, const std::string& title, bool active, int count) {
  return sheet.canvas().text_width(title, tab_style(active, sheet.desk().lecture)) + 34 +
         (active && count > 1 ? 28 : 16);
}

}  // namespace

float draw_variant_tabs(Sheet& sheet, float x, float right) {
  Workbench& bench = sheet.desk().bench;
  const int count = static_cast<int>(bench.variants().size());
  std::vector<TabTitle> titles;
  std::vector<float> wanted;
  for (const Variant& variant : bench.variants()) {
    titles.push_back({name_of_variant(variant), apart_from_others(bench.variants(), variant)});
    const std::string title = titles.back().whole();
    wanted.push_back(wanted_width(sheet, title, &variant == &bench.active(), count));
  }
  const float plus_room = count < static_cast<int>(kVariantColours.size()) ? 35 : 0;
  const float most =
      most_of_a_tab(wanted, right - x - plus_room - kTabGap * static_cast<float>(count));
  for (int i = 0; i < count; ++i) {
    const auto index = static_cast<std::size_t>(i);
    const bool active = i == bench.active_index();
    const Rect tab{x, 8, std::min(wanted[index], most), kTopBarHeight - 15};
    ImGui::PushID(i);
    ImGui::SetNextItemAllowOverlap();
    const Touch touch = sheet.control("variant", tab);
    if (touch.clicked) bench.activate(i);
    const Paint colour = kVariantColours[index % kVariantColours.size()];
    if (active || touch.hovered) {
      sheet.canvas().fill_rect(tab, active ? ColourRole::kRaised : ColourRole::kHover, 6);
    } else {
      sheet.canvas().stroke_rect(tab, ColourRole::kLine, 1, 6);
    }
    if (active) sheet.canvas().fill_rect({tab.x, tab.bottom() - 2, tab.w, 2}, colour, 0);
    const Rect letter{tab.x + 10, kTabMiddle - 8, 15, 15};
    sheet.canvas().fill_rect(letter, colour, 3);
    sheet.text(letter.center().x, letter.center().y, std::string(1, static_cast<char>('A' + i)),
               styled(11, text_on(colour, sheet.desk().theme()), Weight::kBold, Align::kCenter));
    const bool closes = count > 1 && (touch.hovered || active);
    // Where there is no room for all of it, what tells tabs apart.
    const TabTitle& title = titles[index];
    const bool whole = tab.w >= wanted[index] || title.apart.empty();
    const Rect cross{tab.right() - 22, kTabMiddle - 8, 16, 16};
    const Point pointer = sheet.units({ImGui::GetIO().MousePos.x, ImGui::GetIO().MousePos.y});
    if (!closes || !cross.contains(pointer)) {
      sheet.explain(tab, title.whole() + " (Alt " + std::to_string(i + 1) + ")");
    }
    sheet.fitted(tab.x + 33, tab.right() - (closes ? 24 : 8), kTabMiddle,
                 whole ? title.whole() : title.apart, tab_style(active, sheet.desk().lecture));
    if (closes) {
      const Touch close = sheet.control(
          "close", cross, active ? "Closes this variant (Ctrl W)." : "Closes this variant.");
      const Paint ink = close.hovered ? ColourRole::kStrong : ColourRole::kDim;
      const Point c = cross.center();
      sheet.canvas().line({c.x - 3, c.y - 3}, {c.x + 3, c.y + 3}, ink, 1.3F);
      sheet.canvas().line({c.x - 3, c.y + 3}, {c.x + 3, c.y - 3}, ink, 1.3F);
      if (close.clicked) bench.close_variant(i);
    }
    ImGui::PopID();
    x += tab.w + kTabGap;
    if (static_cast<int>(bench.variants().size()) != count) return x;  // one was closed
  }
  if (count < static_cast<int>(kVariantColours.size())) {
    const Rect plus{x, 8, 29, kTopBarHeight - 15};
    const Touch touch = sheet.control("add variant", plus);
    if (touch.hovered) sheet.canvas().fill_rect(plus, ColourRole::kHover, 6);
    sheet.canvas().stroke_rect(plus, ColourRole::kLine, 1, 6);
    const Point c = plus.center();
    sheet.canvas().fill_rect({c.x - 4, c.y - 0.75F, 8, 1.5F}, ColourRole::kText, 0);
    sheet.canvas().fill_rect({c.x - 0.75F, c.y - 4, 1.5F, 8}, ColourRole::kText, 0);
    sheet.explain(plus, "Add a variant: a copy of this one to change and compare, at most four.");
    if (touch.clicked) bench.add_variant();
    x += plus.w;
  }
  return x;
}

}  // namespace tilescope
