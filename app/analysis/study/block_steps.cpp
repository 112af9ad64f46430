#include "analysis/study/block_steps.h"

#include <fmt/format.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "core/launch_limits.h"
#include "core/number_text.h"

namespace tilescope {
namespace {

constexpr std::uint64_t kWarp = 32;
constexpr std::uint64_t kLeastSide = 8;

struct Sides {
  std::uint64_t x = 0;
  std::optional<std::uint64_t> y;  // none: a line
};

std::optional<Sides> sides_of(std::string_view block) {
  const std::size_t comma = block.find(',');
  const auto x = parse_number<std::uint64_t>(block.substr(0, comma));
  if (!x) return std::nullopt;
  if (comma == std::string_view::npos) return Sides{*x, std::nullopt};
  const auto y = parse_number<std::uint64_t>(block.substr(comma + 1));
  if (!y) return std::nullopt;
  return Sides{*x, y};
}

std::string text_of(const Sides& sides) {
  return sides.y ? fmt::format("{},{}", sides.x, *sides.y) : std::to_string(sides.x);
}

}  // namespace

bool halve_block(std::string* block) {
  auto sides = sides_of(*block);
  if (!sides) return false;
  std::uint64_t& longer = sides->y && *sides->y > sides->x ? *sides->y : sides->x;
  if (longer <= (sides->y ? kLeastSide : kWarp)) return false;
  longer /= 2;
  *block = text_of(*sides);
  return true;
}

bool double_block(std::string* block) {
  auto sides = sides_of(*block);
  if (!sides) return false;
  sides->x *= 2;
  if (sides->y) *sides->y *= 2;
  if (sides->x * sides->y.value_or(1) > kMostThreadsOfBlock) return false;
  *block = text_of(*sides);
  return true;
}

}  // namespace tilescope
