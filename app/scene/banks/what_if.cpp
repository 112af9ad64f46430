#include "scene/banks/what_if.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <functional>

namespace tilescope {
namespace {

constexpr int kMostPad = 8;

struct LogicalPlace {
  std::uint64_t row = 0;
  std::uint64_t col = 0;  // words
};

WarpAccess moved(const WarpAccess& access, const std::array<LogicalPlace, kWarpSize>& places,
                 const std::function<std::uint64_t(LogicalPlace)>& word_of) {
  WarpAccess result = access;
  for (std::size_t lane = 0; lane < kWarpSize; ++lane) {
    if ((access.active >> lane & 1U) != 0) result.address[lane] = word_of(places[lane]) * 4;
  }
  return result;
}

}  // namespace

std::vector<LayoutAlternative> layout_alternatives(const SharedCost& shared,
                                                   const SharedRegion& region, int pad_now) {
  const WarpAccess& access = shared.access;
  if (!region.pitch_known || region.pitch_words <= static_cast<std::uint64_t>(pad_now)) return {};
  if (access.bytes_per_lane < 4 || region.rows() < 2 || region.moved_in_rows) return {};
  const std::uint64_t width = region.pitch_words - static_cast<std::uint64_t>(pad_now);
  std::array<LogicalPlace, kWarpSize> places{};
  for (std::size_t lane = 0; lane < kWarpSize; ++lane) {
    if ((access.active >> lane & 1U) == 0) continue;
    const std::uint64_t word = access.address[lane] / 4;
    if (!region.contains(word)) return {};
    const std::uint64_t inside = word - region.first_word;
    places[lane] = {inside / region.pitch_words, inside % region.pitch_words};
  }
  const std::uint64_t vector_words = access.bytes_per_lane / 4u;
  const auto cost = [&](LayoutAlternative& alternative,
                        const std::function<std::uint64_t(LogicalPlace)>& word_of) {
    const WavefrontCost there = shared.cost_at(moved(access, places, word_of));
    alternative.count = LayoutAlternative::Count::kKnown;
    alternative.wavefronts = there.wavefronts;
    alternative.ideal = there.ideal_wavefronts;
  };
  std::vector<LayoutAlternative> alternatives;
  for (int pad = 0; pad <= kMostPad; ++pad) {
    LayoutAlternative alternative;
    alternative.name = fmt::format("PAD {}", pad);
    alternative.pad = pad;
    alternative.count = LayoutAlternative::Count::kNotAligned;
    const std::uint64_t pitch = width + static_cast<std::uint64_t>(pad);
    if (pitch % vector_words == 0) {
      cost(alternative, [&](LogicalPlace at) { return at.row * pitch + at.col; });
    }
    alternatives.push_back(std::move(alternative));
  }
  LayoutAlternative swizzle;
  swizzle.name = "XOR";
  swizzle.swizzled = true;
  swizzle.count = LayoutAlternative::Count::kNotAligned;
  const std::uint64_t columns = width / vector_words;
  if (width % vector_words == 0 && std::has_single_bit(columns)) {
    cost(swizzle, [&](LogicalPlace at) {
      const std::uint64_t column = at.col / vector_words;
      const std::uint64_t twisted = column ^ (at.row % columns);
      return at.row * width + twisted * vector_words + at.col % vector_words;
    });
  }
  alternatives.push_back(std::move(swizzle));
  return alternatives;
}

void note_worst(const std::vector<LayoutAlternative>& other, std::uint32_t line,
                std::vector<LayoutAlternative>& alternatives) {
  constexpr auto kKnown = LayoutAlternative::Count::kKnown;
  for (std::size_t i = 0; i < other.size() && i < alternatives.size(); ++i) {
    LayoutAlternative& noted = alternatives[i];
    if (noted.count != kKnown || other[i].count != kKnown) continue;
    const int conflicts = other[i].wavefronts - other[i].ideal;
    const int before =
        noted.worst ? noted.worst->wavefronts - noted.worst->ideal : noted.wavefronts - noted.ideal;
    if (conflicts > before) {
      noted.worst = LayoutAlternative::Worst{other[i].wavefronts, other[i].ideal, line};
    }
  }
}

std::optional<int> skewed_wavefronts(const SharedCost& shared, const SharedRegion& region) {
  const WarpAccess& access = shared.access;
  if (!region.pitch_known || region.rows() != 1 || access.bytes_per_lane != 4) return std::nullopt;
  WarpAccess skewed = access;
  for (std::size_t lane = 0; lane < kWarpSize; ++lane) {
    if ((access.active >> lane & 1U) == 0) continue;
    const std::uint64_t word = access.address[lane] / 4;
    if (!region.contains(word)) return std::nullopt;
    const std::uint64_t inside = word - region.first_word;
    skewed.address[lane] = (inside + inside / kBankCount) * 4;
  }
  return shared.cost_at(skewed).wavefronts;
}

}  // namespace tilescope
