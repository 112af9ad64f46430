#include "ui/panels/counters_panel.h"

#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <array>
#include <string>
#include <utility>
#include <vector>

#include "analysis/study/counter_check.h"
#include "scene/pages/counters_page.h"
#include "session/glossary.h"
#include "ui/state/layout.h"
#include "ui/state/panel_surface.h"

namespace tilescope {
namespace {

using Standing = CheckedCounter::Verdict;

constexpr float kSectionRow = 20;
constexpr float kCountButton = 170;
constexpr float kSign = 0;  // right edges, units from the surface's
constexpr float kHardware = 24;
constexpr float kEmulated = 128;
constexpr float kNames = 216;

// "sectors global ld" for "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum": what tells it apart.
std::string short_name(std::string name) {
  static constexpr std::array<std::pair<std::string_view, std::string_view>, 9> kParts{{
      {".sum", ""},
      {"l1tex__t_requests_pipe_lsu_mem_", "requests "},
      {"l1tex__t_sectors_pipe_lsu_mem_", "sectors "},
      {"l1tex__data_pipe_lsu_wavefronts_mem_", "wavefronts "},
      {"l1tex__data_bank_conflicts_pipe_lsu_mem_", "conflicts "},
      {"smsp__inst_executed_op_", "executed "},
      {"smsp__thread_inst_executed", "thread instructions"},
      {"smsp__inst_executed", "instructions"},
      {"_op_", " "},
  }};
  for (const auto& [part, words] : kParts) {
    const std::size_t at = name.find(part);
    if (at != std::string::npos) name.replace(at, part.size(), words);
  }
  std::ranges::replace(name, '_', ' ');
  return name;
}

std::size_t count_of(const HardwareCounters& hardware, Standing verdict) {
  return static_cast<std::size_t>(std::ranges::count_if(
      hardware.counters,
      [&](const CheckedCounter& counter) { return counter.verdict() == verdict; }));
}

std::string summary_of(const HardwareCounters& hardware) {
  if (!hardware.whole_grid) return "read; all blocks are still being counted here";
  const std::size_t contended = count_of(hardware, Standing::kContended);
  const std::size_t by_turns = count_of(hardware, Standing::kByTurns);
  const std::size_t different = count_of(hardware, Standing::kDifferent);
  std::string words = fmt::format("{} of {} equal on the {}", count_of(hardware, Standing::kEqual),
                                  hardware.counters.size(), hardware.device);
  if (by_turns > 0) words += fmt::format(", {} depend on order", by_turns);
  if (contended > 0) words += fmt::format(", {} contended", contended);
  if (different > 0) words += fmt::format(", {} different", different);
  return words;
}

std::string explained(const HardwareCounters& hardware, const CheckedCounter& counter) {
  const char* mark = hardware.source == Source::kMeasured ? "measured" : "recorded";
  const std::string range = counter.least == counter.most
                                ? format_count(counter.least)
                                : format_count(counter.least) + " to " + format_count(counter.most);
  std::string words = fmt::format("{}: {} emulated, {} {} on the {}.", counter.name,
                                  format_count(counter.emulated), range, mark, hardware.device);
  if (counter.other_turns) {
    words += fmt::format(
        " It depends on which warp runs first at an atomic; emulated in another order it is {}, "
        "and on a GPU the order changes.",
        format_count(*counter.other_turns));
  }
  if (counter.verdict() == Standing::kContended) {
    words +=
        " Contended: with many active warps the shared-memory pipe counts retried passes too, and "
        "each reading differs.";
  }
  return words;
}

// The hardware's counters beside the emulated ones: how they stand together, the button that has
// them read, how far that is, or why it cannot be. Returns the y below.
float draw_hardware_state(PanelSurface& surface, float y) {
  WindowState& state = surface.state();
  const CounterReading& reading = state.workbench.active().reading;
  const HardwareCounters* hardware = state.facts.shown().hardware.get();
  const std::optional<Error> why = state.workbench.why_no_counters();
  if (hardware != nullptr) {
    const bool wrong = hardware->whole_grid && count_of(*hardware, Standing::kDifferent) > 0;
    surface.mark({5, y}, hardware->source, ColourRole::kText);
    surface.fitted(16, surface.width(), y, summary_of(*hardware),
                   styled(12, wrong ? ColourRole::kExcess : ColourRole::kText, Weight::kMedium));
  } else {
    const std::string words = reading.pending() ? "the GPU is counting this launch"
                              : why             ? "no hardware counters: " + why->message
                                                : "hardware counters: not read from the GPU yet";
    surface.fitted(0, surface.width(), y, words, styled(12, ColourRole::kDim));
  }
  y += 24;
  if (!why) {
    const Rect button{0, y - 10, kCountButton, 24};
    const std::string words =
        reading.pending() ? fmt::format("reading {} of {} …", reading.values.size() + 1,
                                        CounterReading::kReadings)
        : hardware != nullptr && hardware->source == Source::kMeasured ? "Read them again"
                                                                       : "Read hardware counters";
    if (surface.push("read counters", button, words, hardware == nullptr) && !reading.pending()) {
      state.workbench.read_counters();
    }
    surface.explain(
        button,
        "Reads the counters of this launch through CUPTI, in separate launches: several "
        "passes, three times, because some counters vary.");
    y += 30;
  }
  if (reading.error && (!why || why->message != reading.error->message)) {
    y = surface.paragraph(0, y, surface.width(), reading.error->message + ".",
                          styled(12, ColourRole::kExcess));
    if (!reading.error->remedy.empty()) {
      y = surface.paragraph(0, y, surface.width(), reading.error->remedy + ".", styled(12));
    }
    y += 6;
  }
  return y;
}

// A row for each: its name, ◆ emulated, ● measured or ○ recorded, and whether they are equal.
// Nothing where nobody has read them. Returns the y below.
float draw_hardware_counters(PanelSurface& surface, float y) {
  const HardwareCounters* hardware = surface.state().facts.shown().hardware.get();
  if (hardware == nullptr) return y;
  y += 12;
  const float width = surface.width();
  const TextStyle head = styled(11, ColourRole::kDim, Weight::kRegular, Align::kRight);
  surface.text(0, y, "Hardware counters", styled(13, ColourRole::kStrong, Weight::kSemibold));
  y += 22;
  surface.text(width - kEmulated, y, "emulated", head);
  surface.mark({width - kEmulated - surface.canvas().text_width("emulated", head) - 8, y},
               Source::kEmulated, ColourRole::kDim);
  const char* read = hardware->source == Source::kMeasured ? "measured" : "recorded";
  surface.text(width - kHardware, y, read, head);
  surface.mark({width - kHardware - surface.canvas().text_width(read, head) - 8, y},
               hardware->source, ColourRole::kDim);
  y += 11;
  surface.rule(0, width, y);
  y += 12;
  std::size_t zeros = 0;
  for (const CheckedCounter& counter : hardware->counters) {
    if (counter.emulated == 0 && counter.most == 0) {
      ++zeros;
      continue;
    }
    const Standing verdict = counter.verdict();
    const TextStyle figure = styled(12, ColourRole::kText, Weight::kMedium, Align::kRight);
    const float room = std::max(width - kNames, 60.0F);
    const bool whole = surface.canvas().text_width(counter.name, styled(12)) <= room;
    surface.fitted(0, room, y, whole ? counter.name : short_name(counter.name), styled(12));
    surface.text(width - kEmulated, y, format_count(counter.emulated), figure);
    surface.text(width - kHardware, y, read_words(counter), figure);
    if (hardware->whole_grid) {
      surface.text(width - kSign, y, sign_of(verdict),
                   styled(12, tone_of(verdict), Weight::kSemibold, Align::kRight));
    }
    surface.explain_term({0, y - kSectionRow / 2, width, kSectionRow},
                         explained(*hardware, counter),
                         surface.state().glossary.of_metric(counter.name));
    y += kSectionRow;
  }
  if (zeros > 0) {
    surface.text(0, y, fmt::format("and {} that are 0 in both columns", zeros),
                 styled(11, ColourRole::kDim));
    y += kSectionRow;
  }
  return y;
}

constexpr float kRow = 22;

struct Column {
  const char* title;
  float right;  // units from the right edge
  const char* meaning;
};
constexpr std::array kColumns{
    Column{"executed", 206, "Warp instructions of this line (smsp__inst_executed)."},
    Column{"cost", 122,
           "Sectors of 32 B moved by global accesses "
           "(l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum, …_st.sum), wavefronts that shared "
           "ones take (l1tex__data_pipe_lsu_wavefronts_mem_shared.sum)."},
    Column{"ideal", 42, "The minimum for the same bytes: full sectors, no bank conflicts."},
    Column{"×", 0, "Actual over ideal."},
};

void draw_cost(PanelSurface& surface, float y, std::uint64_t cost, std::uint64_t ideal) {
  const bool excess = cost > ideal;
  const float width = surface.width();
  surface.text(width - kColumns[1].right, y, short_count(cost),
               styled(12, excess ? ColourRole::kExcess : ColourRole::kStrong, Weight::kMedium,
                      Align::kRight));
  surface.text(width - kColumns[2].right, y, short_count(ideal),
               styled(12, ColourRole::kText, Weight::kRegular, Align::kRight));
  surface.text(width, y, ratio_words(cost, ideal),
               styled(12, excess ? ColourRole::kExcess : ColourRole::kIdeal, Weight::kMedium,
                      Align::kRight));
}

// One line of source and one kind of access: a row, or two for a copy that costs both.
float draw_line(PanelSurface& surface, float y, const LineCounters& line, Variant& variant) {
  const bool chosen = variant.selection.line == line.line.line;
  const bool both = line.memory.sectors > 0 && line.memory.wavefronts > 0;
  const float height = both ? 2 * kRow : kRow;
  const Rect row{-8, y - kRow / 2, surface.width() + 16, height};
  ImGui::PushID(static_cast<int>(y));
  const Touch touch = surface.control("line", row);
  ImGui::PopID();
  WindowState& state = surface.state();
  if (touch.hovered) state.touched_line = line.line.line;
  if (chosen || touch.hovered || state.hovered_line == line.line.line) {
    surface.canvas().fill_rect(row, chosen ? ColourRole::kRaised : ColourRole::kHover, 4);
  }
  if (touch.clicked) variant.selection.line = chosen ? 0 : line.line.line;
  surface.text(20, y, std::to_string(line.line.line),
               styled(12, ColourRole::kDim, Weight::kRegular, Align::kRight));
  const float words_right = surface.width() - 262;
  const bool global = line.space != MemorySpace::kShared;
  const std::string unit = global ? "sectors" : "wavefronts";
  const std::string what = access_words(line);
  surface.fitted(30, std::max(words_right, 90.0F), y, what, styled(12));
  surface.text(surface.width() - kColumns[0].right, y, short_count(line.executed),
               styled(12, ColourRole::kText, Weight::kRegular, Align::kRight));
  if (line.memory.sectors > 0) {
    draw_cost(surface, y, line.memory.sectors, line.memory.sectors_ideal);
    if (both) {
      y += kRow;
      surface.text(30, y, "wavefronts of the write", styled(12, ColourRole::kDim));
    }
  }
  if (line.memory.wavefronts > 0) {
    draw_cost(surface, y, line.memory.wavefronts, line.memory.wavefronts_ideal);
  }
  surface.explain_term(row,
                       "Line " + std::to_string(line.line.line) + ": " + what + ", in " + unit +
                           ". " + format_count(line.memory.requests) + " requests, " +
                           format_count(line.lanes) + " lanes in total.",
                       state.glossary.find(global ? "Sector" : "Wavefront"));
  return y + kRow;
}

std::string extent_of_counts(const Variant& variant, const LaunchCounters& counters) {
  if (counters.whole_grid) return "whole grid, exact";
  std::string words = format_count(counters.blocks_counted) + " of " +
                      format_count(variant.study->launch.grid.count()) + " blocks, scaled";
  if (variant.grid_pending) words += "; the rest is being counted";
  return words;
}

// "as issued | as written": whose instructions are counted.
void draw_choice_of_counts(PanelSurface& surface, float y, const Variant& variant) {
  WindowState& state = surface.state();
  const bool known = variant.study->issued_counters != nullptr;
  const struct {
    const char* words;
    bool issued;
    const char* meaning;
  } choices[] = {{"as written", false, "Counted in the PTX, before ptxas optimises it."},
                 {"as issued", true,
                  "Counted in the machine code (cubin), after ptxas merged, unrolled and removed "
                  "instructions; hardware counters show these."}};
  float right = surface.width();
  for (const auto& choice : choices) {
    const bool on = state.digest.issued == choice.issued;
    const bool can = known || !choice.issued;
    const TextStyle style = styled(11,
                                   on    ? ColourRole::kStrong
                                   : can ? ColourRole::kText
                                         : ColourRole::kFaint,
                                   on ? Weight::kSemibold : Weight::kRegular, Align::kCenter);
    const float width = surface.canvas().text_width(choice.words, style) + 16;
    const Rect rect{right - width, y - 10, width, 20};
    if (on) surface.canvas().fill_rect(rect, ColourRole::kHover, 5);
    surface.text(rect.center().x, y, choice.words, style);
    if (surface.control(choice.words, rect).clicked && can) state.as_issued = choice.issued;
    const std::string why = variant.study->why_not_issued.empty()
                                ? "The machine code is still being counted."
                                : variant.study->why_not_issued;
    surface.explain(rect, can ? choice.meaning : why);
    right -= width + 2;
  }
}

}  // namespace

void draw_counters_panel(WindowState& state) {
  PanelSurface surface(state);
  Variant& variant = state.workbench.active();
  float y = 8;
  surface.text(0, y, "What each line costs", styled(13, ColourRole::kStrong, Weight::kSemibold));
  if (variant.study == nullptr || !variant.study->counters) {
    surface.paragraph(0, y + 26, surface.width(), "Counted after a block is traced.",
                      styled(12, ColourRole::kDim));
    return;
  }
  draw_choice_of_counts(surface, y, variant);
  y += 24;
  const LaunchCounters& counters =
      state.digest.issued ? *variant.study->issued_counters : *variant.study->counters;
  const std::string extent = extent_of_counts(variant, counters);
  const TextStyle extent_style = styled(11, ColourRole::kDim, Weight::kRegular, Align::kRight);
  surface.text(surface.width(), y, extent, extent_style);
  const bool exact = counters.whole_grid;
  surface.mark({surface.width() - surface.canvas().text_width(extent, extent_style) - 10, y},
               exact ? Source::kEmulated : Source::kModelled, ColourRole::kDim);
  y += 26;
  y = draw_hardware_state(surface, y) + 2;
  surface.text(20, y, "line", styled(11, ColourRole::kDim, Weight::kRegular, Align::kRight));
  for (const Column& column : kColumns) {
    const float right = surface.width() - column.right;
    surface.text(right, y, column.title,
                 styled(11, ColourRole::kDim, Weight::kRegular, Align::kRight));
    surface.explain({right - 60, y - 9, 60, 18}, column.meaning);
  }
  y += 11;
  surface.rule(0, surface.width(), y);
  y += 13;
  for (const LineCounters& line : state.digest.lines) y = draw_line(surface, y, line, variant);
  y = draw_hardware_counters(surface, y);
  const Finding* wanted = nullptr;
  for (std::size_t i = 0; i < variant.study->findings.size(); ++i) {
    const Finding& finding = variant.study->findings[i];
    const ColourRole colour = is_advice(finding.kind) ? ColourRole::kDim : ColourRole::kExcess;
    const float top = y - 8;
    surface.canvas().fill_rect({-8, top, 2, 16}, colour, 0);
    y = surface.paragraph(0, y, surface.width(),
                          words_of(finding.kind) + ": " + message_of(finding, variant),
                          styled(12, colour)) +
        4;
    ImGui::PushID(static_cast<int>(i));
    const Rect row{-8, top, surface.width() + 16, y - top - 8};
    if (surface.control("finding", row, "Goes to its line and thread.").clicked) {
      wanted = &finding;
    }
    ImGui::PopID();
  }
  if (wanted != nullptr) state.workbench.go_to(Finding(*wanted));
  surface.finish(y);
}

}  // namespace tilescope
