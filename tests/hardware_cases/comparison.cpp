#include "comparison.h"

#include <fmt/format.h>

#include <bit>
#include <cmath>
#include <limits>

#include "emulator/formats/narrow_floats.h"

namespace tilescope {
namespace {

constexpr std::uint64_t kShown = 4;

double number_of(std::uint64_t bits, const Form& form) {
  const std::string& kind = form.tolerance.kind;
  if (kind == "half" || kind == "bhalf")
    return decode(static_cast<std::uint32_t>(bits),
                  float_format(kind == "half" ? DataType::kF16 : DataType::kBf16));
  if (bytes_of_slot(form.result) == 8) return std::bit_cast<double>(bits);
  return static_cast<double>(std::bit_cast<float>(static_cast<std::uint32_t>(bits)));
}

double unit_in_last_place(double value) {
  const auto x = static_cast<float>(std::fabs(value));
  const float above = std::nextafter(x, std::numeric_limits<float>::infinity());
  return std::isfinite(above) ? static_cast<double>(above) - static_cast<double>(x)
                              : std::ldexp(1.0, 104);
}

double error_between(double emulated, double measured, const std::string& kind) {
  if (std::isnan(emulated) && std::isnan(measured)) return 0;
  if (emulated == measured) return 0;
  if (!std::isfinite(emulated) || !std::isfinite(measured))
    return std::numeric_limits<double>::infinity();
  const double difference = std::fabs(emulated - measured);
  if (kind == "ulp") return difference / unit_in_last_place(emulated);
  if (kind == "abs") return difference;
  if (kind == "absrel" || kind == "sum") return difference / std::max(1.0, std::fabs(emulated));
  // Where numbers are tiny, the last step of the format is the floor.
  const double floor = kind == "half" ? 0x1p-24 : kind == "bhalf" ? 0x1p-133 : 0x1p-126;
  return difference <= floor ? 0 : difference / std::max(std::fabs(emulated), floor);
}

bool is_nan_of_result(std::uint64_t bits, const Form& form) {
  if (form.result.type == "f64") return std::isnan(std::bit_cast<double>(bits));
  return form.result.type == "f32" &&
         std::isnan(std::bit_cast<float>(static_cast<std::uint32_t>(bits)));
}

std::string describe(const Form& form, const std::vector<std::vector<std::uint64_t>>& inputs,
                     std::size_t cell, std::uint64_t emulated, std::uint64_t measured) {
  std::string text = "\n      on";
  const std::size_t thread = cell / form.result.count;
  for (std::size_t o = 0; o < inputs.size(); ++o) {
    const unsigned count = form.operands[o].count;
    if (inputs[o].empty() || count > 1) continue;
    const unsigned bytes = bytes_of_slot(form.operands[o]);
    const std::uint64_t value = inputs[o][thread];
    text +=
        fmt::format(" {:#x}", bytes == 8 ? value : value & ((std::uint64_t{1} << (8 * bytes)) - 1));
  }
  return text + fmt::format(": emulator {:#x}, GPU {:#x}", emulated, measured);
}

}  // namespace

FormReport compare(const Form& form, const std::vector<std::vector<std::uint64_t>>& inputs,
                   const std::vector<std::uint64_t>& emulated,
                   const std::vector<std::uint64_t>& measured) {
  FormReport report;
  const std::string& kind = form.tolerance.kind;
  for (std::size_t cell = 0; cell < emulated.size(); ++cell) {
    ++report.lanes;
    if (emulated[cell] == measured[cell]) continue;
    bool good = false;
    if (kind == "sum16") {
      for (unsigned shift = 0; shift < 32; shift += 16) {
        const FloatFormat f16 = float_format(DataType::kF16);
        const double error = error_between(
            decode(static_cast<std::uint32_t>((emulated[cell] >> shift) & 0xffffu), f16),
            decode(static_cast<std::uint32_t>((measured[cell] >> shift) & 0xffffu), f16), "sum");
        report.largest_error = std::max(report.largest_error, error);
      }
      good = report.largest_error <= form.tolerance.limit;
    } else if (!kind.empty()) {
      const double error =
          error_between(number_of(emulated[cell], form), number_of(measured[cell], form), kind);
      report.largest_error = std::max(report.largest_error, error);
      good = error <= form.tolerance.limit;
    } else if (is_nan_of_result(emulated[cell], form) && is_nan_of_result(measured[cell], form)) {
      if (++report.nan_bits <= kShown)
        report.first_nan += describe(form, inputs, cell, emulated[cell], measured[cell]);
      good = true;
    }
    if (good) continue;
    if (++report.mismatches <= kShown)
      report.first += describe(form, inputs, cell, emulated[cell], measured[cell]);
  }
  return report;
}

}  // namespace tilescope
