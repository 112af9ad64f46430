#include "scene/drawing/hardware_note.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "analysis/counter_check.h"

namespace tilescope {
namespace {

// From the longest to the shortest.
std::vector<std::string> words_of(const HardwareCounters& hardware,
                                  std::span<const std::string_view> parts) {
  if (!hardware.whole_grid) {
    return {"the hardware's counters wait for the whole grid", "the whole grid is being counted"};
  }
  switch (hardware.worst_of(parts)) {
    case CheckedCounter::Verdict::kEqual:
      return {fmt::format("equal to the counters of the {}", hardware.device),
              "equal to the hardware's", "equal"};
    case CheckedCounter::Verdict::kContended:
      return {fmt::format("the {} counts more, and not the same twice", hardware.device),
              "contended on the hardware", "contended"};
    case CheckedCounter::Verdict::kDifferent: {
      const std::string distance = format(100 * hardware.distance_of(parts), Unit::kPercent);
      return {fmt::format("up to {} from the counters of the {}", distance, hardware.device),
              fmt::format("up to {} from the hardware's", distance),
              fmt::format("{} off", distance)};
    }
  }
  return {};
}

std::string count_text(const CheckedCounter& counter) {
  const std::string least = format_count(counter.least);
  return counter.least == counter.most ? least : least + " to " + format_count(counter.most);
}

std::string tooltip_of(const HardwareCounters& hardware, std::span<const std::string_view> parts) {
  std::string words =
      fmt::format("{} on the {}, in {} reading{}, beside what is emulated:",
                  hardware.source == Source::kMeasured ? "Measured" : "Recorded", hardware.device,
                  hardware.readings, hardware.readings == 1 ? "" : "s");
  for (const CheckedCounter& counter : hardware.counters) {
    if (!counter.is_one_of(parts) || (counter.emulated == 0 && counter.most == 0)) continue;
    words += fmt::format("\n{}: {}, emulated {}, {}", counter.name, count_text(counter),
                         format_count(counter.emulated), name_of(counter.verdict()));
  }
  return words;
}

}  // namespace

float draw_hardware_note(Pen& pen, float left, float right, float y, const ViewContext& context,
                         std::span<const std::string_view> parts) {
  if (context.hardware == nullptr) return right;
  const HardwareCounters& hardware = *context.hardware;
  const CheckedCounter::Verdict verdict = hardware.worst_of(parts);
  const bool wrong = hardware.whole_grid && verdict == CheckedCounter::Verdict::kDifferent;
  const TextStyle style = pen.style(11, wrong ? ColourRole::kExcess : ColourRole::kDim,
                                    Weight::kRegular, Align::kRight);
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
