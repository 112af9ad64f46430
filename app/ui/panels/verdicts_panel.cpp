#include "ui/panels/verdicts_panel.h"

#include <imgui.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "ui/state/layout.h"
#include "ui/state/panel_surface.h"

namespace tilescope {
namespace {

constexpr std::size_t kMostRows = 3;
constexpr float kRow = 40;
constexpr float kLine = 18;        // a line more of a fact or its detail
constexpr float kIndent = 18;      // behind the rank
constexpr float kMostWidth = 560;  // a figure stays in sight of its fact

std::string worth_words(double worth) { return "−" + about_percent_words(worth); }

float draw_verdict(PanelSurface& surface, float width, float y, std::size_t rank,
                   const Verdict& verdict, Variant& variant, bool model_is_off) {
  const bool chosen = verdict.line != 0 && variant.selection.line == verdict.line;
  const TextStyle detail_style = styled(12, ColourRole::kDim);
  const std::string worth = worth_words(verdict.worth);
  const TextStyle worth_style = styled(13,
                                       model_is_off || !variant.is_final() ? ColourRole::kDim
                                       : verdict.worth >= 0.1              ? ColourRole::kExcess
                                                                           : ColourRole::kSecond,
                                       Weight::kSemibold, Align::kRight);
  // Pale while the counts may still change.
  const TextStyle fact_style =
      styled(13, variant.is_final() ? ColourRole::kStrong : ColourRole::kDim, Weight::kSemibold);
  const float fact_room = width - surface.canvas().text_width(worth, worth_style) - 12 - kIndent;
  const auto more_lines = [&](const std::string& words, float room, const TextStyle& style) {
    const auto lines = surface.lines_of(words, room, style).size();
    return static_cast<float>(std::max<std::size_t>(lines, 1) - 1);
  };
  const float height = kRow + kLine * (more_lines(verdict.fact, fact_room, fact_style) +
                                       more_lines(verdict.detail, width - kIndent, detail_style));
  const Rect row{-8, y - 12, width + 16, height - 2};
  ImGui::PushID(static_cast<int>(rank));
  const Touch touch = surface.control("verdict", row);
  ImGui::PopID();
  WindowState& state = surface.state();
  if (touch.hovered && verdict.line != 0) state.touched_line = verdict.line;
  const bool lit = verdict.line != 0 && (touch.hovered || state.hovered_line == verdict.line);
  if (chosen || lit) {
    surface.canvas().fill_rect(row, chosen ? ColourRole::kRaised : ColourRole::kHover, 4);
  }
  if (touch.clicked && verdict.line != 0) variant.selection.line = chosen ? 0 : verdict.line;
  surface.text(0, y, std::to_string(rank), styled(12, ColourRole::kDim));
  surface.text(width, y, worth, worth_style);
  const float below = surface.paragraph(kIndent, y, fact_room, verdict.fact, fact_style);
  surface.paragraph(kIndent, below, width - kIndent, verdict.detail, detail_style);
  surface.explain(row, verdict.fact + ": " + verdict.detail +
                           ". Without it the launch would take " +
                           worth_words(verdict.worth).substr(std::string("−").size()) +
                           " less time, by the model. Causes overlap, so the gains do not add up.");
  return y + height;
}

// How far the modelled time can be trusted: the model's error, or whose time there is.
std::string trust_words(const WindowState& state, const Variant& variant,
                        const Diagnosis& diagnosis, const RooflineData* data) {
  std::string words;
  const bool timed = data != nullptr && data->known;
  if (variant.error) {
    words = "For the last version that compiled.";
  } else if (timed) {
    words = explained(diagnosis, data->known->seconds, data->known->source);
  } else {
    const std::string elsewhere = data != nullptr ? elsewhere_words(*data) : std::string();
    const bool is_range = range_of(diagnosis.bounds, diagnosis.rates).has_value();
    const std::string& date = diagnosis.calibrated;
    words = "By the model" + (date.empty() ? "" : ", calibrated " + date) +
            (is_range ? ": " + time_words(diagnosis.bounds, diagnosis.rates) : "") + "; " +
            (elsewhere.empty() ? "no measured or recorded time" : elsewhere) + ".";
  }
  if (!state.workbench.runs().cold()) words += timed ? " Both with a cold L2." : " With a cold L2.";
  return words + (diagnosis.verdicts.empty() ? "" : " Gain if removed:");
}

}  // namespace

void draw_verdicts_panel(WindowState& state) {
  PanelSurface surface(state);
  const float width = std::min(surface.width(), kMostWidth);
  Variant& variant = state.workbench.active();
  float y = 8;
  if (variant.study == nullptr || variant.prepared == nullptr ||
      variant.prepared->diagnosis == nullptr) {
    const std::string reason =
        variant.study == nullptr ? std::string() : not_modelled(*variant.study);
    surface.paragraph(0, y, surface.width(),
                      variant.error    ? "Computed after the kernel compiles and runs."
                      : reason.empty() ? "Computing …"
                                       : reason,
                      styled(12, ColourRole::kDim));
    return;
  }
  const Diagnosis& diagnosis = *variant.prepared->diagnosis;
  const auto& data = state.facts.shown().roofline;
  const bool timed = data != nullptr && data->known;
  // Where it comes from stands as marks: the words have the room.
  float source_left = width - 6;
  surface.mark({source_left, y}, Source::kModelled, ColourRole::kDim);
  if (timed) {
    source_left -= 16;
    surface.mark({source_left, y}, data->known->source, ColourRole::kDim);
  }
  surface.explain({source_left - 8, y - 9, width - source_left + 8, 18},
                  timed ? explained(diagnosis, data->known->seconds, data->known->source)
                        : std::string("Modelled: no measured or recorded time is known."));
  y = surface.paragraph(0, y, source_left - 12, diagnosis.limited_by,
                        styled(13, ColourRole::kStrong, Weight::kSemibold));
  // The model's error comes first, then its causes.
  const bool is_off = timed && misses(diagnosis.bounds.total(), data->known->seconds);
  y = surface.paragraph(0, y, width, trust_words(state, variant, diagnosis, data.get()),
                        styled(12, is_off ? ColourRole::kSecond : ColourRole::kDim));
  y += 9;
  if (diagnosis.verdicts.empty()) {
    surface.text(0, y, "No known cause costs 2 % of the time.", styled(13));
    y += kRow;
  }
  const std::size_t shown = std::min(kMostRows, diagnosis.verdicts.size());
  for (std::size_t i = 0; i < shown; ++i) {
    y = draw_verdict(surface, width, y, i + 1, diagnosis.verdicts[i], variant, is_off);
  }
  surface.finish(y - 12);
}

}  // namespace tilescope
