#include "core/quantity.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace tilescope {
namespace {

struct Scaled {
  double value;
  std::string_view prefix;
};

Scaled scale(double value, double base, std::array<std::string_view, 6> prefixes) {
  std::size_t index = 0;
  while (std::abs(value) >= base && index + 1 < prefixes.size()) {
    value /= base;
    ++index;
  }
  return {value, prefixes[index]};
}

// Whether what is not zero would be written as zero.
bool is_lost(double magnitude, double least) { return magnitude > 0 && magnitude < least; }

// Three significant digits, four above 1000; the integer part is separated by thousands.
std::string digits(double value) {
  const double magnitude = std::abs(value);
  if (magnitude >= 1000) {
    const std::string grouped = format_count(static_cast<std::uint64_t>(std::llround(magnitude)));
    return value < 0 ? "-" + grouped : grouped;
  }
  if (magnitude >= 99.95) return fmt::format("{:.0f}", value);
  if (magnitude >= 9.995) return fmt::format("{:.1f}", value);
  return is_lost(magnitude, 0.005) ? fmt::format("{:.2g}", value) : fmt::format("{:.2f}", value);
}

std::string with_prefix(double value, double base, std::array<std::string_view, 6> prefixes,
                        std::string_view unit) {
  const Scaled scaled = scale(value, base, prefixes);
  return fmt::format("{} {}{}", digits(scaled.value), scaled.prefix, unit);
}

std::string seconds(double value) {
  const double magnitude = std::abs(value);
  if (magnitude >= 1) return digits(value) + " s";
  if (magnitude >= 1e-4) return fmt::format("{:.3f} ms", value * 1e3);
  if (is_lost(magnitude, 0.9995e-6)) return digits(value * 1e9) + " ns";
  return fmt::format("{:.2f} µs", value * 1e6);
}

// GB/s stays GB/s up to 10,000: memory bandwidths are compared in that unit.
std::string bytes_per_second(double value) {
  if (!is_lost(std::abs(value), 0.995e8)) return digits(value / 1e9) + " GB/s";
  return with_prefix(value, 1000, {"", "k", "M", "G", "T", "P"}, "B/s");
}

// TFLOP/s stays TFLOP/s for the same reason.
std::string flop_per_second(double value) {
  if (std::abs(value) >= 1e12) return digits(value / 1e12) + " TFLOP/s";
  return with_prefix(value, 1000, {"", "k", "M", "G", "T", "P"}, "FLOP/s");
}

// Whole bytes below 1 KiB, else the binary prefix.
std::string bytes(double value) {
  if (std::abs(value) < 1024 && value == std::floor(value)) return fmt::format("{:.0f} B", value);
  return with_prefix(value, 1024, {"", "Ki", "Mi", "Gi", "Ti", "Pi"}, "B");
}

}  // namespace

std::string_view name_of(Source source) {
  switch (source) {
    case Source::kMeasured:
      return "measured";
    case Source::kRecorded:
      return "recorded";
    case Source::kEmulated:
      return "emulated";
    case Source::kModelled:
      return "modelled";
  }
  return "";
}

std::string_view marker_of(Source source) {
  switch (source) {
    case Source::kMeasured:
      return "●";
    case Source::kRecorded:
      return "○";
    case Source::kEmulated:
      return "◆";
    case Source::kModelled:
      return "◇";
  }
  return "";
}

std::vector<std::string> format_times(std::span<const double> times) {
  double shortest = 0;
  double longest = 0;
  for (const double time : times) {
    if (!std::isfinite(time) || time <= 0) continue;
    shortest = shortest == 0 ? time : std::min(shortest, time);
    longest = std::max(longest, time);
  }
  struct TimeUnit {
    std::string_view name;
    double from;   // seconds: shorter ones have the next unit
    double scale;  // in a second
    int decimals;
  };
  static constexpr std::array<TimeUnit, 3> kUnits{
      {{"s", 1, 1, 2}, {"ms", 1e-4, 1e3, 3}, {"µs", 0, 1e6, 2}}};
  const auto unit_for = [](double time) {
    return *std::ranges::find_if(kUnits, [&](const TimeUnit& unit) { return time >= unit.from; });
  };
  TimeUnit unit = unit_for(shortest);
  if (longest * unit.scale >= 9999.5) unit = unit_for(longest);
  const double most = longest * unit.scale;
  const int decimals = most >= 999.5 ? 0 : most >= 99.95 ? 1 : unit.decimals;
  const double least = 0.995 * std::pow(10, 1 - decimals);  // that has two digits
  std::vector<std::string> words;
  for (const double time : times) {
    const double value = time * unit.scale;
    words.push_back(!std::isfinite(time) || is_lost(value, least) ? format(time, Unit::kSeconds)
                    : decimals == 0                               ? fmt::format("{} {}",
                                                                                format_count(static_cast<std::uint64_t>(
                                                      std::llround(std::max(value, 0.0)))),
                                                                                unit.name)
                                    : fmt::format("{:.{}f} {}", value, decimals, unit.name));
  }
  return words;
}

std::string format_time(double time) {
  if (!std::isfinite(time)) return format(time, Unit::kSeconds);
  constexpr double kRounds = 0.9995;
  const double magnitude = std::abs(time);
  if (magnitude >= kRounds || magnitude == 0) return digits(time) + " s";
  if (magnitude >= kRounds * 1e-3) return digits(time * 1e3) + " ms";
  if (magnitude >= kRounds * 1e-6) return digits(time * 1e6) + " µs";
  return digits(time * 1e9) + " ns";
}

std::string format_count(std::uint64_t count) {
  const std::string plain = fmt::format("{}", count);
  std::string grouped;
  for (std::size_t i = 0; i < plain.size(); ++i) {
    if (i > 0 && (plain.size() - i) % 3 == 0) grouped += ',';
    grouped += plain[i];
  }
  return grouped;
}

std::string ratio_words(double ratio) {
  const bool near_one = std::abs(ratio - 1) >= 0.005 && ratio > 0.85 && ratio < 1.15;
  if (near_one) return fmt::format("{:.3g}", ratio);
  const double whole = std::round(ratio);
  if (ratio >= 99.5 || std::abs(ratio - whole) < 0.02 * ratio) {
    return format_count(static_cast<std::uint64_t>(std::llround(ratio)));
  }
  if (is_lost(ratio, 0.005)) return fmt::format("{:.2g}", ratio);
  return fmt::format("{:.{}f}", ratio, ratio < 0.095 ? 2 : 1);
}

std::string times_words(double ratio) { return ratio_words(ratio) + " ×"; }

std::string percent_words(double share) { return format(100 * share, Unit::kPercent); }

std::string about_percent_words(double share) {
  const double percent = 100 * share;
  const double magnitude = std::abs(percent);
  if (magnitude >= 9.95 || magnitude == 0) return fmt::format("{:.0f} %", percent);
  if (magnitude < 0.001) return "< 0.001 %";
  return fmt::format("{:.2g} %", percent);
}

std::string format(double value, Unit unit) {
  if (std::isnan(value)) return "–";
  if (std::isinf(value)) return value < 0 ? "-∞" : "∞";
  switch (unit) {
    case Unit::kNone:
      return digits(value);
    case Unit::kBytes:
      return bytes(value);
    case Unit::kSeconds:
      return seconds(value);
    case Unit::kFlopPerSecond:
      return flop_per_second(value);
    case Unit::kBytesPerSecond:
      return bytes_per_second(value);
    case Unit::kHertz:
      return fmt::format("{} MHz", digits(value / 1e6));
    case Unit::kPercent:
      return fmt::format("{} %", value >= 99.95 ? digits(std::round(value)) : digits(value));
    case Unit::kCycles:
      return fmt::format("{} cycles", digits(value));
  }
  return digits(value);
}

std::string format(const Quantity& quantity) { return format(quantity.value, quantity.unit); }

std::string counted(std::uint64_t count, std::string_view noun) {
  return fmt::format("{} {}{}", format_count(count), noun, count == 1 ? "" : "s");
}

std::string_view symbol_of(Unit unit) {
  switch (unit) {
    case Unit::kNone:
      return "";
    case Unit::kBytes:
      return "B";
    case Unit::kSeconds:
      return "s";
    case Unit::kFlopPerSecond:
      return "flop/s";
    case Unit::kBytesPerSecond:
      return "B/s";
    case Unit::kHertz:
      return "Hz";
    case Unit::kPercent:
      return "%";
    case Unit::kCycles:
      return "cycles";
  }
  return "";
}

AxisUnit axis_unit(Unit unit) {
  if (unit == Unit::kFlopPerSecond) return {1e12, "TFLOP/s"};
  if (unit == Unit::kBytesPerSecond) return {1e9, "GB/s"};
  return {1, symbol_of(unit)};
}

}  // namespace tilescope
