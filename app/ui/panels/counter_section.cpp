#include "ui/panels/counter_section.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include "analysis/counter_check.h"

namespace tilescope {
namespace {

using Standing = CheckedCounter::Verdict;

constexpr float kSectionRow = 20;
constexpr float kButton = 170;
constexpr float kSign = 0;  // right edges, units from the sheet's
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

std::string read_text(const CheckedCounter& counter) {
  if (counter.least == counter.most) return format_count(counter.least);
  return "≥ " + format_count(counter.least);
}

const char* sign_of(Standing verdict) {
  switch (verdict) {
    case Standing::kEqual:
      return "=";
    case Standing::kByTurns:
      return "≈";
    case Standing::kContended:
      return "≥";
    case Standing::kDifferent:
      return "≠";
  }
  return "";
}

ColourRole tone_of(Standing verdict) {
  return verdict == Standing::kEqual       ? ColourRole::kIdeal
         : verdict == Standing::kDifferent ? ColourRole::kExcess
                                           : ColourRole::kSecond;
}

std::size_t count_of(const HardwareCounters& hardware, Standing verdict) {
  return static_cast<std::size_t>(std::ranges::count_if(
      hardware.counters,
      [&](const CheckedCounter& counter) { return counter.verdict() == verdict; }));
}

std::string summary_of(const HardwareCounters& hardware) {
  if (!hardware.whole_grid) return "read; the whole grid is still being counted here";
  const std::size_t contended = count_of(hardware, Standing::kContended);
  const std::size_t by_turns = count_of(hardware, Standing::kByTurns);
  const std::size_t different = count_of(hardware, Standing::kDifferent);
  std::string words = fmt::format("{} of {} equal on the {}", count_of(hardware, Standing::kEqual),
                                  hardware.counters.size(), hardware.device);
  if (by_turns > 0) words += fmt::format(", {} by turns", by_turns);
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
        " It depends on which warp is first at an atomic; emulated in another order it is {}, and "
        "on a GPU the order changes.",
        format_count(*counter.other_turns));
  }
  if (counter.verdict() == Standing::kContended) {
    words +=
        " Contended: with many warps at work the pipe to shared memory counts passes again that "
        "they lose to each other, another number at each reading.";
  }
  return words;
}

}  // namespace

float draw_hardware_state(Sheet& sheet, float y) {
  Desk& desk = sheet.desk();
  const CounterReading& reading = desk.bench.active().reading;
  const HardwareCounters* hardware = desk.hardware.counters().get();
  const std::optional<Error> why = desk.bench.why_no_counters();
  if (hardware != nullptr) {
    const bool wrong = hardware->whole_grid && count_of(*hardware, Standing::kDifferent) > 0;
    sheet.mark({5, y}, hardware->source, ColourRole::kText);
    sheet.fitted(16, sheet.width(), y, summary_of(*hardware),
                 styled(12, wrong ? ColourRole::kExcess : ColourRole::kText, Weight::kMedium));
  } else {
    const std::string words = reading.pending() ? "the GPU counts this launch"
                              : why             ? "no hardware counters: " + why->message
                                                : "hardware counters: not read from the GPU yet";
    sheet.fitted(0, sheet.width(), y, words, styled(12, ColourRole::kDim));
  }
  y += 24;
  if (!why) {
    const Rect button{0, y - 10, kButton, 24};
    const std::string words =
        reading.pending() ? fmt::format("reading {} of {} …", reading.values.size() + 1,
                                        CounterReading::kReadings)
        : hardware != nullptr && hardware->source == Source::kMeasured ? "Read them again"
                                                                       : "Read hardware counters";
    if (sheet.push("read counters", button, words, hardware == nullptr) && !reading.pending()) {
      desk.bench.read_counters();
    }
    sheet.explain(button,
                  "Has the GPU count this launch, through CUPTI, in launches of their own: several "
                  "passes, three times, for some counters change from one to the next.");
    y += 30;
  }
  if (reading.error && (!why || why->message != reading.error->message)) {
    y = sheet.paragraph(0, y, sheet.width(), reading.error->message + ".",
                        styled(12, ColourRole::kExcess));
    if (!reading.error->remedy.empty()) {
      y = sheet.paragraph(0, y, sheet.width(), reading.error->remedy + ".", styled(12));
    }
    y += 6;
  }
  return y;
}

float draw_hardware_counters(Sheet& sheet, float y) {
  const HardwareCounters* hardware = sheet.desk().hardware.counters().get();
  if (hardware == nullptr) return y;
  y += 12;
  const float width = sheet.width();
  const TextStyle head = styled(11, ColourRole::kDim, Weight::kRegular, Align::kRight);
  sheet.text(0, y, "Hardware counters", styled(13, ColourRole::kStrong, Weight::kSemibold));
  y += 22;
  sheet.text(width - kEmulated, y, "emulated", head);
  sheet.mark({width - kEmulated - sheet.canvas().text_width("emulated", head) - 8, y},
             Source::kEmulated, ColourRole::kDim);
  const char* read = hardware->source == Source::kMeasured ? "measured" : "recorded";
  sheet.text(width - kHardware, y, read, head);
  sheet.mark({width - kHardware - sheet.canvas().text_width(read, head) - 8, y}, hardware->source,
             ColourRole::kDim);
  y += 11;
  sheet.rule(0, width, y);
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
    const bool whole = sheet.canvas().text_width(counter.name, styled(12)) <= room;
    sheet.fitted(0, room, y, whole ? counter.name : short_name(counter.name), styled(12));
    sheet.text(width - kEmulated, y, format_count(counter.emulated), figure);
    sheet.text(width - kHardware, y, read_text(counter), figure);
    if (hardware->whole_grid) {
      sheet.text(width - kSign, y, sign_of(verdict),
                 styled(12, tone_of(verdict), Weight::kSemibold, Align::kRight));
    }
    sheet.explain({0, y - kSectionRow / 2, width, kSectionRow}, explained(*hardware, counter));
    y += kSectionRow;
  }
  if (zeros > 0) {
    sheet.text(0, y, fmt::format("and {} that are 0 on both sides", zeros),
               styled(11, ColourRole::kDim));
    y += kSectionRow;
  }
  return y;
}

}  // namespace tilescope
