#pragma once

#include <concepts>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tilescope {

// Where a number comes from. Every number that a person sees carries one of these four.
enum class Source {
  kMeasured,  // on a GPU, in this session        ● filled circle
  kRecorded,  // measured earlier on a named GPU   ○ ring
  kEmulated,  // exact, from the compiled code     ◆ filled diamond
  kModelled,  // estimated, with a stated error    ◇ open diamond
};
[[nodiscard]] std::string_view name_of(Source source);    // "measured" ...
[[nodiscard]] std::string_view marker_of(Source source);  // "●" ... (UTF-8)

enum class Unit {
  kNone,
  kBytes,
  kSeconds,
  kFlopPerSecond,
  kBytesPerSecond,
  kHertz,
  kPercent,  // 100 = the whole
  kCycles,
};

struct Quantity {
  double value = 0;
  Unit unit = Unit::kNone;
  Source source = Source::kEmulated;
};

// The one way numbers are written, everywhere: thousands separated ("1,048,576"), three to four
// significant digits with the SI or binary prefix the unit asks for ("46.8 TFLOP/s", "16.4 KiB",
// "0.918 ms", "12.5 %"). Not-a-number is written "–".
[[nodiscard]] std::string format(const Quantity& quantity);
[[nodiscard]] std::string format(double value, Unit unit);
// Times of one column: all in the unit that the shortest asks for, as long as the longest then has
// four digits at most before the point, else all in that of the longest; with equal decimals. One
// of which that would leave a digit or none has a unit of its own.
[[nodiscard]] std::vector<std::string> format_times(std::span<const double> seconds);
// A time by itself: three digits with the unit that fits, "41.0 µs", "783 ms", "12.0 ns".
[[nodiscard]] std::string format_time(double seconds);
[[nodiscard]] std::string format_count(std::uint64_t count);  // "67,108,864"
// "34", "1.7", "1.03": of a ratio. Whole within 2 % and from 99.5 on, else with one digit behind
// the point, near 1 and below 0.095 with two.
[[nodiscard]] std::string ratio_words(double ratio);
[[nodiscard]] std::string times_words(double ratio);  // "2,048 ×"
// Of a share of a whole, 1 = all. Of what is counted, three digits: "12.5 %".
[[nodiscard]] std::string percent_words(double share);
// Of what is modelled or measured, which is not known to more, two: "82 %", "4.1 %", "0.22 %".
[[nodiscard]] std::string about_percent_words(double share);

// "1 sector", "1,024 sectors", "0 sectors"; for nouns that take an s.
[[nodiscard]] std::string counted(std::uint64_t count, std::string_view noun);
template <std::signed_integral T>
[[nodiscard]] std::string counted(T count, std::string_view noun) {  // not below 0
  return counted(static_cast<std::uint64_t>(count), noun);
}

// The unit without a prefix, as files of numbers name it: "B", "s", "flop/s", "B/s", "Hz", "%",
// "cycles"; "" of a count or a ratio.
[[nodiscard]] std::string_view symbol_of(Unit unit);

// What numbers that stand on one axis are divided by, and the word at the axis: 1e12 and "TFLOP/s",
// 1e9 and "GB/s"; 1 and the symbol for the rest.
struct AxisUnit {
  double divisor = 1;
  std::string_view word;
};
[[nodiscard]] AxisUnit axis_unit(Unit unit);

}  // namespace tilescope
