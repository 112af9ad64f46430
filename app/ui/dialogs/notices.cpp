#include <imgui.h>

#include <string>
#include <vector>

#include "ui/desk/desk.h"
#include "ui/dialogs/session_dialog.h"
#include "ui/drawing/sheet.h"
#include "ui/drawing/style.h"

namespace tilescope {
namespace {

constexpr float kRow = 34;

// A row that is shown: its words and what can be done.
struct Row {
  std::string words;
  bool is_error = false;
  struct Button {
    const char* words;
    const char* meaning;
    void (*press)(Desk& desk);
  };
  std::vector<Button> buttons = {};
  int notice = -1;  // of the session's that a cross takes away
};

// What waits for leave to run: "mine.cu", "mine.cu with tile.h and 2 more headers".
std::string waiting_words(const Variant& variant) {
  std::string words = variant.file_name();
  const IncludedFiles* included = variant.included();
  if (included == nullptr || included->files.empty()) return words + " came with a file. It is";
  words += " with " + included->files.front().name;
  const std::size_t more = included->files.size() - 1;
  if (more > 0) words += " and " + std::to_string(more) + " more header" + (more > 1 ? "s" : "");
  return words + " came with files, or one of them has changed. This is";
}

std::vector<Row> rows_of(Desk& desk) {
  std::vector<Row> rows;
  const auto device = desk.bench.gpu().device();
  const Variant& active = desk.bench.active();
  // What a text includes is known once it is compiled.
  const bool known = active.study != nullptr || !active.study_pending;
  if (device && device->ok() && known && !desk.bench.may_run(active)) {
    rows.push_back(
        {waiting_words(active) +
             " compiled and emulated, but not run on the GPU or measured until you "
             "allow it.",
         false,
         {{"Run on the GPU", "Lets the texts of all variants run on the GPU, from now on.",
           [](Desk& d) { d.bench.allow_gpu(); }}}});
  }
  const std::vector<Session::Notice>& notices = desk.session.notices();
  for (std::size_t i = 0; i < notices.size(); ++i) {
    Row row{notices[i].words, notices[i].is_error, {}, static_cast<int>(i)};
    if (notices[i].offers_discard) {
      row.buttons.push_back({"Discard", "Back to the file that it belongs to, or to a new session.",
                             [](Desk& d) { d.session.discard_recovered(d); }});
    }
    rows.push_back(std::move(row));
  }
  if (desk.session.left_behind() > 0) {
    const std::size_t count = desk.session.left_behind();
    rows.push_back(
        {count == 1 ? "One more sitting was left that is saved in no file."
                    : std::to_string(count) + " more sittings were left that are saved in no file.",
         false,
         {{"Open the newest",
           "In the place of what is open, which is set aside if it is not saved.",
           [](Desk& d) { d.session.open_left_behind(d); }},
          {"Discard it", "Deletes the newest of what was left.",
           [](Desk& d) { d.session.discard_left_behind(); }}}});
  }
  return rows;
}

// True when something was pressed: the rows are no longer what they were.
bool draw_row(Sheet& sheet, const Row& row, float y) {
  Desk& desk = sheet.desk();
  const float middle = y + kRow / 2;
  sheet.canvas().fill_rect({0, y, sheet.width(), kRow}, ColourRole::kRaised, 0);
  sheet.canvas().fill_rect({0, y, 3, kRow}, row.is_error ? ColourRole::kExcess : ColourRole::kFirst,
                           0);
  sheet.rule(0, sheet.width(), y + kRow);
  float right = sheet.width() - 12;
  bool pressed = false;
  if (row.notice >= 0) {
    const Rect cross{right - 20, middle - 10, 20, 20};
    const Touch touch = sheet.control("dismiss", cross, "Takes this line away.");
    const Paint ink = touch.hovered ? ColourRole::kStrong : ColourRole::kDim;
    const Point c = cross.center();
    sheet.canvas().line({c.x - 4, c.y - 4}, {c.x + 4, c.y + 4}, ink, 1.4F);
    sheet.canvas().line({c.x - 4, c.y + 4}, {c.x + 4, c.y - 4}, ink, 1.4F);
    if (touch.clicked) {
      std::vector<Session::Notice>& notices = desk.session.notices();
      notices.erase(notices.begin() + row.notice);
      pressed = true;
    }
    right -= 28;
  }
  for (auto button = row.buttons.rbegin(); button != row.buttons.rend() && !pressed; ++button) {
    const float width = sheet.canvas().text_width(button->words, styled(12)) + 28;
    const Rect place{right - width, middle - 12, width, 24};
    const bool clicked = sheet.push(button->words, place, button->words, true);
    sheet.explain(place, button->meaning);
    if (clicked) {
      button->press(desk);
      pressed = true;
    }
    right -= width + 8;
  }
  sheet.fitted(16, right - 8, middle, row.words,
               styled(12.5F, row.is_error ? ColourRole::kStrong : ColourRole::kText));
  return pressed;
}

}  // namespace

float draw_notices(Desk& desk, float top) {
  const std::vector<Row> rows = rows_of(desk);
  if (rows.empty()) return 0;
  const float height = desk.px(kRow) * static_cast<float>(rows.size());
  ImGui::SetNextWindowPos({0, top});
  ImGui::SetNextWindowSize({ImGui::GetIO().DisplaySize.x, height});
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, ImVec2(0, 0));
  ImGui::PushStyleVar(ImGuiStyleVar_WindowMinSize, ImVec2(1, 1));
  ImGui::Begin("notices", nullptr,
               ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoMove |
                   ImGuiWindowFlags_NoDocking | ImGuiWindowFlags_NoSavedSettings |
                   ImGuiWindowFlags_NoBringToFrontOnFocus | ImGuiWindowFlags_NoFocusOnAppearing);
  ImGui::PopStyleVar(2);
  Sheet sheet(desk);
  float y = 0;
  int id = 0;
  for (const Row& row : rows) {
    ImGui::PushID(id++);
    const bool pressed = draw_row(sheet, row, y);
    ImGui::PopID();
    y += kRow;
    if (!pressed) continue;
    desk.frame_wanted = true;
    break;
  }
  ImGui::End();
  return height;
}

}  // namespace tilescope
