#include "ui/panels/ladder_rows.h"

#include <imgui.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <optional>
#include <utility>

#include "ui/actions.h"
#include "ui/desk/desk.h"
#include "ui/panels/panel.h"

namespace tilescope {
namespace {

// Scrolls by whole rows when the active kernel changed, or the room for the ladder did. How far it
// can, is known a frame after the rows have changed: until it stands there it is asked for again.
void keep_in_sight(Sheet& sheet, const Rect& row, const std::string& id) {
  const float height = ImGui::GetWindowHeight();
  const std::pair<std::string, float> now{id, height};
  if (sheet.desk().ladder_shown == now) return;
  const float step = kLadderRow * sheet.scale();
  const float scroll = ImGui::GetScrollY();
  const float top = sheet.screen({0, row.y}).y - ImGui::GetWindowPos().y + scroll;
  const bool whole_rows = std::abs(std::remainder(scroll, step)) < 1;
  const float most = std::floor(ImGui::GetScrollMaxY() / step) * step;
  const float wanted = std::clamp(std::round((top - height / 2) / step) * step, 0.0F, most);
  const bool in_sight = whole_rows && top >= scroll && top + step <= scroll + height;
  if (in_sight || std::abs(scroll - wanted) < 1) {
    sheet.desk().ladder_shown = now;
    return;
  }
  ImGui::SetScrollY(wanted);
  sheet.desk().frame_wanted = true;
}

}  // namespace

void draw_ladder_row(Sheet& sheet, const Rect& row, const std::string& id, bool active,
                     bool hovered) {
  if (active || hovered) {
    sheet.canvas().fill_rect(row, active ? ColourRole::kRaised : ColourRole::kHover, 4);
  }
  if (!active) return;
  sheet.canvas().fill_rect({row.x, row.y, 2, row.h}, ColourRole::kFirst, 0);
  keep_in_sight(sheet, row, id);
}

float draw_own_kernels(Sheet& sheet, float y) {
  Workbench& bench = sheet.desk().bench;
  sheet.text(0, y, "YOUR KERNELS", heading_style());
  sheet.text(sheet.width(), y, "drop a .cu or .ptx",
             styled(11, ColourRole::kDim, Weight::kRegular, Align::kRight));
  y += kLadderRow;
  std::optional<std::size_t> wanted;
  for (std::size_t i = 0; i < bench.own_kernels().size(); ++i) {
    const OwnKernel& own = bench.own_kernels()[i];
    const bool active = bench.active().own && bench.active().own->file.path == own.file.path;
    const Rect row{-8, y - kLadderRow / 2, sheet.width() + 16, kLadderRow};
    const Touch touch = sheet.control(own.file.path.c_str(), row);
    draw_ladder_row(sheet, row, own.file.path, active, touch.hovered);
    const float right = sheet.width() - (own.edited ? 52.0F : 4.0F);
    sheet.fitted(14, right, y, own.file.path.substr(own.file.path.find_last_of('/') + 1),
                 styled(13, active ? ColourRole::kStrong : ColourRole::kText,
                        active ? Weight::kSemibold : Weight::kRegular));
    if (own.edited) {
      sheet.text(sheet.width(), y, "edited",
                 styled(11, ColourRole::kDim, Weight::kRegular, Align::kRight));
    }
    sheet.explain(row, own.file.path);
    if (touch.clicked && !active) wanted = i;
    y += kLadderRow;
  }
  if (wanted) bench.open_own(*wanted);
  const Rect row{-8, y - kLadderRow / 2, sheet.width() + 16, kLadderRow};
  const Touch touch = sheet.control("new kernel", row);
  if (touch.hovered) sheet.canvas().fill_rect(row, ColourRole::kHover, 4);
  sheet.canvas().line({0, y}, {8, y}, ColourRole::kDim, 1.3F);
  sheet.canvas().line({4, y - 4}, {4, y + 4}, ColourRole::kDim, 1.3F);
  sheet.text(14, y, "New kernel", styled(13, ColourRole::kText));
  sheet.text(sheet.width(), y, "paste, Ctrl V",
             styled(11, ColourRole::kDim, Weight::kRegular, Align::kRight));
  sheet.explain(row, "Opens the CUDA or PTX text in the clipboard with a launch that is guessed.");
  if (touch.clicked) paste_kernel(sheet.desk());
  return y;
}

}  // namespace tilescope
