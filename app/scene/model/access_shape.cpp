#include "scene/model/access_shape.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <span>

#include "core/quantity.h"

namespace tilescope {
namespace {

struct Lanes {
  std::array<std::uint64_t, kWarpSize> address{};
  std::array<int, kWarpSize> lane{};
  int count = 0;
};

Lanes active_lanes(const WarpAccess& access) {
  Lanes lanes;
  for (int lane = 0; lane < kWarpSize; ++lane) {
    if ((access.active >> lane & 1U) == 0) continue;
    const auto at = static_cast<std::size_t>(lanes.count++);
    lanes.address[at] = access.address[static_cast<std::size_t>(lane)];
    lanes.lane[at] = lane;
  }
  return lanes;
}

std::int64_t difference(std::uint64_t a, std::uint64_t b) {
  return static_cast<std::int64_t>(a - b);
}

// The distance per lane when it is the same between all neighbours.
std::optional<std::int64_t> common_stride(const Lanes& lanes) {
  std::optional<std::int64_t> stride;
  for (std::size_t i = 1; i < static_cast<std::size_t>(lanes.count); ++i) {
    const std::int64_t distance = difference(lanes.address[i], lanes.address[i - 1]);
    const std::int64_t steps = lanes.lane[i] - lanes.lane[i - 1];
    if (distance % steps != 0) return std::nullopt;
    if (stride && *stride != distance / steps) return std::nullopt;
    stride = distance / steps;
  }
  return stride;
}

// The distance from each active lane to the next when it is the same for all.
std::optional<std::int64_t> common_distance(const Lanes& lanes) {
  const std::int64_t first = difference(lanes.address[1], lanes.address[0]);
  for (std::size_t i = 2; i < static_cast<std::size_t>(lanes.count); ++i) {
    if (difference(lanes.address[i], lanes.address[i - 1]) != first) return std::nullopt;
  }
  return first;
}

// Runs of neighbouring elements in the sorted distinct addresses.
void describe_runs(std::span<const std::uint64_t> sorted, std::uint64_t bytes, AccessShape& shape) {
  std::uint64_t run_start = sorted.front();
  int length = 0;
  int common_length = 0;
  bool equal_lengths = true;
  bool equal_distances = true;
  std::int64_t distance = 0;
  const auto close_run = [&] {
    if (shape.runs > 0 && length != common_length) equal_lengths = false;
    common_length = length;
    ++shape.runs;
  };
  for (std::size_t i = 0; i < sorted.size(); ++i) {
    if (i > 0 && sorted[i] != sorted[i - 1] + bytes) {
      close_run();
      const std::int64_t jump = difference(sorted[i], run_start);
      if (shape.runs > 1 && jump != distance) equal_distances = false;
      distance = jump;
      run_start = sorted[i];
      length = 0;
    }
    ++length;
  }
  close_run();
  shape.run_length = equal_lengths ? common_length : 0;
  shape.run_distance_bytes = equal_distances ? distance : 0;
}

std::string_view element_name(ElementType type) {
  switch (type) {
    case ElementType::kF32:
      return "float";
    case ElementType::kF64:
      return "double";
    case ElementType::kF16:
      return "half";
    case ElementType::kI32:
      return "int";
    default:
      return "";
  }
}

// How many lanes want each of the sorted addresses, when it is as many for all; else 0.
int lanes_of_each(std::span<const std::uint64_t> sorted, int distinct) {
  if (static_cast<int>(sorted.size()) % distinct != 0) return 0;
  const std::size_t each = sorted.size() / static_cast<std::size_t>(distinct);
  for (std::size_t i = 0; i < sorted.size(); i += each) {
    if (sorted[i] != sorted[i + each - 1]) return 0;
  }
  return static_cast<int>(each);
}

}  // namespace

AccessShape shape_of(const WarpAccess& access) {
  AccessShape shape;
  const Lanes lanes = active_lanes(access);
  shape.lanes = lanes.count;
  if (lanes.count == 0) return shape;
  std::array<std::uint64_t, kWarpSize> sorted = lanes.address;
  const auto end = sorted.begin() + lanes.count;
  std::sort(sorted.begin(), end);
  const std::array<std::uint64_t, kWarpSize> all = sorted;
  const auto distinct_end = std::unique(sorted.begin(), end);
  shape.distinct = static_cast<int>(distinct_end - sorted.begin());
  shape.lanes_each =
      lanes_of_each({all.data(), static_cast<std::size_t>(lanes.count)}, shape.distinct);
  shape.first = sorted.front();
  shape.last = *(distinct_end - 1);
  if (lanes.count == 1) {
    shape.pattern = LanePattern::kSingle;
    return shape;
  }
  if (shape.distinct == 1) {
    shape.pattern = LanePattern::kBroadcast;
    return shape;
  }
  if (auto stride = common_stride(lanes)) {
    // Elements of lanes that do not take part are gaps.
    const auto dense = static_cast<std::uint64_t>((lanes.count - 1) * access.bytes_per_lane);
    const bool gaps = shape.last - shape.first > dense;
    const bool next = std::llabs(*stride) == access.bytes_per_lane;
    if (next && gaps) stride = common_distance(lanes);
    if (stride) {
      shape.stride_bytes = *stride;
      shape.pattern = next && !gaps ? LanePattern::kContiguous : LanePattern::kStrided;
      return shape;
    }
  }
  describe_runs({sorted.data(), static_cast<std::size_t>(shape.distinct)}, access.bytes_per_lane,
                shape);
  if (shape.runs == 1) {
    shape.pattern = shape.distinct < shape.lanes ? LanePattern::kShared : LanePattern::kContiguous;
    shape.stride_bytes = access.bytes_per_lane;
  } else {
    const bool few = shape.runs * 2 <= shape.distinct;
    const bool apart =
        shape.run_length == 1 && shape.run_distance_bytes > 0 && shape.distinct < shape.lanes;
    shape.pattern = few     ? LanePattern::kRuns
                    : apart ? LanePattern::kApart
                            : LanePattern::kScattered;
  }
  return shape;
}

std::string elements_phrase(std::uint64_t count, ElementType type, int bytes_per_lane) {
  const std::string_view plural = count == 1 ? "" : "s";
  const std::string number = format_count(count);
  const std::string_view name = element_name(type);
  const auto size = static_cast<int>(size_of(type));
  if (!name.empty() && bytes_per_lane == size) return fmt::format("{} {}{}", number, name, plural);
  const int width = bytes_per_lane / std::max(size, 1);
  if (!name.empty() && (width == 2 || width == 4) && bytes_per_lane % size == 0) {
    return fmt::format("{} {}{}{}", number, name, width, plural);
  }
  return fmt::format("{} value{} of {} B", number, plural, bytes_per_lane);
}

std::string_view verb_of(AccessKind kind) {
  switch (kind) {
    case AccessKind::kStore:
    case AccessKind::kStmatrix:
      return "stores";
    case AccessKind::kAtomic:
      return "updates";
    case AccessKind::kAsyncCopy:
      return "copies";
    default:
      return "loads";
  }
}

std::string_view noun_of(AccessKind kind) {
  switch (kind) {
    case AccessKind::kStore:
      return "store";
    case AccessKind::kStmatrix:
      return "stmatrix";
    case AccessKind::kLdmatrix:
      return "ldmatrix";
    case AccessKind::kAtomic:
      return "atomic";
    case AccessKind::kAsyncCopy:
      return "async copy";
    default:
      return "load";
  }
}

std::optional<BufferPlace> buffer_of(const KernelStudy& study, std::uint64_t address) {
  const std::vector<Argument>& arguments = study.instance.arguments;
  for (std::size_t i = 0; i < arguments.size() && i < study.launch.arguments.size(); ++i) {
    if (!arguments[i].is_pointer) continue;
    const std::uint64_t start = study.launch.arguments[i].bits;
    if (address >= start && address < start + arguments[i].buffer.bytes()) {
      return BufferPlace{i, start, arguments[i].type, arguments[i].name};
    }
  }
  return std::nullopt;
}

}  // namespace tilescope
