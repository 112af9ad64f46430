#include "export/palette_of_frame.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <unordered_map>
#include <utility>

namespace tilescope {
namespace {

// The most that two colours differ in a channel.
int distance(std::uint32_t a, std::uint32_t b) {
  int most = 0;
  for (const unsigned shift : {0U, 8U, 16U}) {
    const int difference =
        static_cast<int>(a >> shift & 0xffU) - static_cast<int>(b >> shift & 0xffU);
    most = std::max(most, std::abs(difference));
  }
  return most;
}

// Most frequent first; equally frequent ones by their value.
std::vector<std::uint32_t> colours_by_area(std::span<const std::uint32_t> pixels) {
  std::unordered_map<std::uint32_t, std::size_t> counts;
  for (const std::uint32_t pixel : pixels) ++counts[pixel];
  std::vector<std::pair<std::size_t, std::uint32_t>> order;
  for (const auto& [colour, count] : counts) order.emplace_back(count, colour);
  std::ranges::sort(order, [](const auto& a, const auto& b) {
    return a.first != b.first ? a.first > b.first : a.second < b.second;
  });
  std::vector<std::uint32_t> colours;
  for (const auto& [count, colour] : order) colours.push_back(colour);
  return colours;
}

// Colours such that each one has one within `radius`; empty: that takes more than `most`.
std::vector<std::uint32_t> covering(const std::vector<std::uint32_t>& colours, int radius,
                                    std::size_t most) {
  std::vector<std::uint32_t> chosen;
  for (const std::uint32_t colour : colours) {
    const bool covered = std::ranges::any_of(
        chosen, [&](std::uint32_t other) { return distance(colour, other) <= radius; });
    if (covered) continue;
    if (chosen.size() == most) return {};
    chosen.push_back(colour);
  }
  return chosen;
}

}  // namespace

IndexedPixels index_pixels(std::span<const std::uint32_t> pixels, std::size_t most) {
  IndexedPixels result;
  const std::vector<std::uint32_t> colours = colours_by_area(pixels);
  constexpr std::array kRadii = {0, 2, 4, 6, 8, 11, 15, 20, 27, 36, 48, 64, 85, 113, 150, 255};
  for (const int radius : kRadii) {
    if (radius == 0 && colours.size() > most) continue;
    result.distance = radius;
    result.palette = covering(colours, radius, most);
    if (!result.palette.empty()) break;
  }
  std::unordered_map<std::uint32_t, std::uint8_t> index;
  for (const std::uint32_t colour : colours) {
    const auto nearest = std::ranges::min_element(
        result.palette, {}, [&](std::uint32_t each) { return distance(colour, each); });
    index[colour] = static_cast<std::uint8_t>(nearest - result.palette.begin());
  }
  result.indices.reserve(pixels.size());
  for (const std::uint32_t pixel : pixels) result.indices.push_back(index[pixel]);
  return result;
}

}  // namespace tilescope
