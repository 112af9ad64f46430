#include "scene/view/hardware_note.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>
#include <utility>
#include <vector>

#include "analysis/study/counter_check.h"

namespace tilescope {
namespace {

constexpr double kRealDifference = 0.01;

std::string count_text(const CheckedCounter& counter) {
  const std::string least = format_count(counter.least);
  return counter.least == counter.most ? least : least + " to " + format_count(counter.most);
}

// "bank conflicts of copies": what a counter counts, in words.
std::string subject_of(const CheckedCounter& counter) {
  using Names = std::array<std::pair<std::string_view, std::string_view>, 7>;
  const auto named = [&](std::string_view part) {
    return counter.name.find(part) != std::string::npos;
  };
  std::string words = named("bank_conflicts") ? "bank conflicts"
                      : named("wavefronts")   ? "wavefronts"
                      : named("sectors")      ? "sectors"
                      : named("requests")     ? "requests"
                                              : "instructions";
  static constexpr Names kNames{{{"op_ldgsts", "copies"},
                                 {"op_ldsm", "ldmatrix"},
                                 {"op_stsm", "stmatrix"},
                                 {"op_ld", "loads"},
                                 {"op_st", "stores"},
                                 {"op_atom", "atomics"},
                                 {"op_red", "reductions"}}};
  for (const auto& [part, name] : kNames) {
    if (!named(part)) continue;
    words += fmt::format(" of {}", name);
    break;
  }
  return words;
}

// Grey as long as it is little, or what warps in each other's way explain.
ColourRole tone_of(const HardwareCounters& hardware, std::span<const std::string_view> parts) {
  const CheckedCounter* worst = hardware.most_different(parts);
  if (!hardware.whole_grid || worst == nullptr || hardware.share_of(*worst) < kRealDifference) {
    return ColourRole::kDim;
  }
  return worst->may_be_contended() ? ColourRole::kSecond : ColourRole::kExcess;
}

// From the longest to the shortest.
std::vector<std::string> words_of(const HardwareCounters& hardware,
                                  std::span<const std::string_view> parts) {
  if (!hardware.whole_grid) {
    return {"comparing with hardware after all blocks are counted", "counting all blocks ..."};
  }
  switch (hardware.worst_of(parts)) {
    case CheckedCounter::Verdict::kEqual:
      return {fmt::format("equal to the hardware counters ({})", hardware.device),
              "equal to the hardware", "= hardware"};
    case CheckedCounter::Verdict::kByTurns:
      return {fmt::format("differs from the {}: depends on which warp runs first", hardware.device),
              "depends on which warp runs first", "varies with the warps' order"};
    case CheckedCounter::Verdict::kContended:
      return {
          fmt::format("the {} counts more, and differently each time (busy pipe)", hardware.device),
          "the hardware counts more (busy pipe)", "hardware counts more"};
    case CheckedCounter::Verdict::kDifferent: {
      const CheckedCounter& worst = *hardware.most_different(parts);
      const std::string emulated = format_count(worst.emulated);
      return {fmt::format("{}: {} emulated, {} on the {}", subject_of(worst), emulated,
                          count_text(worst), hardware.device),
              fmt::format("{}: hardware {}, emulated {}", subject_of(worst), count_text(worst),
                          emulated),
              fmt::format("hardware differs by {}",
                          format(100 * hardware.share_of(worst), Unit::kPercent))};
    }
  }
  return {};
}

std::string tooltip_of(const HardwareCounters& hardware, std::span<const std::string_view> parts) {
  std::string words = fmt::format("{} on the {}, in {}, compared with the emulation:",
                                  hardware.source == Source::kMeasured ? "Measured" : "Recorded",
                                  hardware.device, counted(hardware.readings, "reading"));
  for (const CheckedCounter& counter : hardware.counters) {
    if (!counter.is_one_of(parts) || (counter.emulated == 0 && counter.most == 0)) continue;
    words += fmt::format("\n{}: {}, emulated {}, {}", counter.name, count_text(counter),
                         format_count(counter.emulated), name_of(counter.verdict()));
    if (counter.other_turns) {
      words += fmt::format(" (another order of the warps: {})", format_count(*counter.other_turns));
    }
  }
  return words;
}

}  // namespace

float draw_hardware_note(Pen& pen, float left, float right, float y, const ViewContext& context,
                         std::span<const std::string_view> parts) {
  if (context.hardware == nullptr) return right;
  const HardwareCounters& hardware = *context.hardware;
  const TextStyle style = pen.style(11, tone_of(hardware, parts), Weight::kRegular, Align::kRight);
  for (const std::string& words : words_of(hardware, parts)) {
    const float x = right - pen.width(words, style) - pen.px(14);
    if (x < left) continue;
    pen.text(right, y, words, style);
    pen.source_mark({x + pen.px(4), y}, hardware.source, style.paint);
    pen.hit({x, y - pen.px(8), right - x, pen.px(16)}, HitKind::kNone, 0,
            tooltip_of(hardware, parts));
    return x;
  }
  return right;
}

}  // namespace tilescope
