#include "ui/panels/tuner_panel.h"

#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <string>
#include <vector>

#include "session/readings.h"
#include "store/recorded_library.h"
#include "ui/desk/desk_measurements.h"
#include "ui/drawing/sheet.h"
#include "ui/panels/known_combinations.h"
#include "ui/panels/panel.h"
#include "ui/panels/tuner_table.h"
#include "ui/panels/tuner_words.h"

namespace tilescope {
namespace {

std::string device_name(const Desk& desk) {
  const auto device = desk.bench.gpu().device();
  return device && device->ok() ? (*device)->name : std::string();
}

// A box to tick, with its name and what the slider offers.
void draw_choice(Sheet& sheet, float y, float width, const ParameterSpec& spec) {
  Tuner& tuner = sheet.desk().tuner;
  const bool ready = tuner.stage() == Tuner::Stage::kReady;
  const bool on = ready ? tuner.explores(spec.name) : tuner.explored().contains(spec.name);
  const Rect row{-4, y - 11, width + 4, kTunerRow};
  const Touch touch = sheet.control(("explore " + spec.name).c_str(), row);
  if (touch.hovered && ready) sheet.canvas().fill_rect(row, ColourRole::kHover, 4);
  const Rect box{0, y - 6, 12, 12};
  sheet.canvas().stroke_rect(box, on ? ColourRole::kFirst : ColourRole::kFaint, 1.3F, 3);
  if (on) {
    sheet.canvas().line({3, y}, {5, y + 3}, ColourRole::kFirst, 1.6F);
    sheet.canvas().line({5, y + 3}, {9.5F, y - 3}, ColourRole::kFirst, 1.6F);
  }
  sheet.text(20, y, spec.name,
             styled(13, on ? ColourRole::kStrong : ColourRole::kDim, Weight::kMedium));
  const auto& start = ready ? sheet.desk().bench.active().parameters : tuner.start_parameters();
  const auto value = start.find(spec.name);
  const std::string words =
      on ? std::to_string(spec.values.size()) + " values"
         : "stays " + std::to_string(value != start.end() ? value->second : spec.default_value);
  sheet.text(width, y, words, styled(12, ColourRole::kDim, Weight::kRegular, Align::kRight));
  sheet.explain(row, spec.meaning + (ready ? on ? ". A click keeps it as it is."
                                                : ". A click lets the tuner change it."
                                           : "."));
  if (touch.clicked && ready) tuner.explore(spec.name, !on);
}

void draw_progress(Sheet& sheet, float y, float width) {
  const Tuner& tuner = sheet.desk().tuner;
  const float share = tuner.size() == 0
                          ? 0.0F
                          : static_cast<float>(tuner.done()) / static_cast<float>(tuner.size());
  sheet.canvas().fill_rect({0, y - 3, width, 6}, ColourRole::kRaised, 3);
  if (share > 0) {
    sheet.canvas().fill_rect({0, y - 3, std::max(6.0F, share * width), 6},
                             tuner.running() ? ColourRole::kFirst : ColourRole::kFaint, 3);
  }
}

void draw_running_buttons(Sheet& sheet, float y, float half) {
  Tuner& tuner = sheet.desk().tuner;
  const Rect pause{0, y, half, 28};
  if (sheet.push("pause", pause, tuner.paused() ? "Go on" : "Pause")) tuner.pause(!tuner.paused());
  sheet.explain(pause, tuner.paused() ? "Goes on where it stopped." : "Waits; nothing is lost.");
  const Rect stop{half + 8, y, half, 28};
  if (sheet.push("stop", stop, "Stop")) tuner.stop();
  sheet.explain(stop, "Ends the run with what was tried so far.");
}

float draw_buttons(Sheet& sheet, float y, float width) {
  Tuner& tuner = sheet.desk().tuner;
  const float half = (width - 8) / 2;
  switch (tuner.stage()) {
    case Tuner::Stage::kReady:
      if (const std::string why = why_not_tuned(sheet.desk().bench.active()); !why.empty()) {
        sheet.text(width / 2, y + 14, "Start from here",
                   styled(12, ColourRole::kFaint, Weight::kMedium, Align::kCenter));
        sheet.explain({0, y, width, 28}, why);
      } else if (tuner.count() && tuner.count()->legal > 0) {
        const Rect start{0, y, width, 28};
        if (sheet.push("start", start, "Start from here", true)) tuner.start();
        sheet.explain(start,
                      "Tries every legal combination of what is ticked, the nearest to the "
                      "best so far first.");
      }
      break;
    case Tuner::Stage::kExploring:
    case Tuner::Stage::kRefining:
      draw_running_buttons(sheet, y, half);
      break;
    case Tuner::Stage::kDone:
      if (sheet.push("again", {0, y, width, 28}, "Start anew")) tuner.reset();
      sheet.explain({0, y, width, 28}, "Forgets this run, to choose what to explore.");
      break;
  }
  return y + 40;
}

// The left part: what is explored, how far it is, what can be done.
float draw_controls(Sheet& sheet, float y, float width) {
  Desk& desk = sheet.desk();
  const Tuner& tuner = desk.tuner;
  const CatalogueEntry* entry =
      tuner.stage() == Tuner::Stage::kReady ? desk.bench.active().entry : tuner.entry();
  if (entry == nullptr || entry->parameters.empty()) return y;
  sheet.text(0, y, "EXPLORE", heading_style());
  y += 26;
  for (const ParameterSpec& spec : entry->parameters) {
    draw_choice(sheet, y, width, spec);
    y += kTunerRow;
  }
  y += 4;
  if (tuner.stage() != Tuner::Stage::kReady) {
    draw_progress(sheet, y, width);
    y += 14;
  }
  return draw_buttons(sheet, y, width);
}

// Why the winner wins; returns the y below.
float draw_story(Sheet& sheet, const Rect& area) {
  Desk& desk = sheet.desk();
  const Tuner& tuner = desk.tuner;
  float y = area.y;
  if (tuner.explaining()) {
    sheet.text(area.x, y, "Comparing the counters of start and winner …",
               styled(12, ColourRole::kDim));
    return y + 26;
  }
  if (tuner.story() == nullptr) return y;
  sheet.text(area.x, y, "WHY THE WINNER WINS", heading_style());
  y += 24;
  y = sheet.paragraph(area.x, y, area.w, tuner.story()->headline,
                      styled(13, ColourRole::kStrong, Weight::kSemibold));
  Variant& variant = desk.bench.active();
  int place = 0;
  for (const WinnerReason& reason : tuner.story()->reasons) {
    const float top = y;
    y = sheet.paragraph(area.x + 14, y + 2, area.w - 14, reason.sentence, styled(12));
    sheet.text(area.x, top + 2, std::to_string(++place), styled(12, ColourRole::kDim));
    if (reason.line == 0) continue;
    const Rect row{area.x - 4, top - 8, area.w + 8, y - top};
    ImGui::PushID(place);
    const Touch touch = sheet.control("reason", row);
    ImGui::PopID();
    if (touch.clicked) variant.selection.line = reason.line;
    sheet.explain(row, fmt::format("A click selects line {}.", reason.line));
  }
  return y + 16;
}

// Whether the table has a time to show.
bool knows_times(const Desk& desk) {
  if (desk.tuner.stage() != Tuner::Stage::kReady) return desk.tuner.best() != nullptr;
  const Variant& active = desk.bench.active();
  if (active.entry == nullptr || active.is_edited()) return false;
  const auto run = tuned_run(desk);
  return (run && is_of(*run, *active.entry, active.extents, active.factors)) ||
         !desk.recorded.runs(*active.entry, active.extents, active.factors).empty();
}

// The way to a file, at the right end of the first line.
void draw_export(Sheet& sheet, float y) {
  const Rect button{sheet.width() - 56, y - 10, 56, 20};
  const Touch touch = sheet.control("export tuner", button);
  if (touch.hovered) sheet.canvas().fill_rect(button, ColourRole::kHover, 5);
  sheet.text(button.center().x, y, "export",
             styled(12, touch.hovered ? ColourRole::kStrong : ColourRole::kDim, Weight::kRegular,
                    Align::kCenter));
  sheet.explain(button, "Writes the table into a file: SVG, PDF, PNG, CSV or JSON.");
  if (touch.clicked) open_picture_export(sheet.desk(), PictureExport::Subject::kTuner);
}

}  // namespace

void draw_tuner_panel(Desk& desk) {
  Sheet sheet(desk);
  Tuner& tuner = desk.tuner;
  tuner.look();
  float y = 14;
  const std::string words = tuner_words(tuner, desk.bench.active(), device_name(desk));
  const bool knows = knows_times(desk);
  if (knows) draw_export(sheet, y);
  y = sheet.paragraph(0, y, sheet.width() - (knows ? 72 : 0), words,
                      styled(15, ColourRole::kStrong)) +
      12;
  const float left = std::clamp(sheet.width() * 0.24F, 180.0F, 260.0F);
  const float below_controls = draw_controls(sheet, y, left);
  float below_table = y;
  if (tuner.stage() == Tuner::Stage::kReady && tuner.count() && tuner.count()->legal > 0) {
    const float x = left + 28;
    sheet.text(x, y, "HOW IT GOES", heading_style());
    const float below =
        sheet.paragraph(x, y + 24, std::min(sheet.width() - x, 720.0F),
                        how_it_goes(!device_name(desk).empty()), styled(12, ColourRole::kDim));
    below_table = draw_known_combinations(sheet, {x, below + 16, sheet.width() - x, 0});
  }
  if (tuner.stage() != Tuner::Stage::kReady) {
    const Rect area{left + 28, y, sheet.width() - left - 28, sheet.height() - y};
    below_table = draw_story(sheet, area);
    below_table = draw_tuner_table(sheet, {area.x, below_table, area.w, area.h});
  }
  sheet.finish(std::max(below_controls, below_table) + 8);
}

}  // namespace tilescope
