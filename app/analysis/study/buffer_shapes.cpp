#include "analysis/study/buffer_shapes.h"

#include <algorithm>
#include <map>
#include <utility>

namespace tilescope {
namespace {

constexpr std::uint32_t kExecutionsKept = 4;  // of each instruction, the block's together
constexpr std::uint64_t kMostElements = std::uint64_t{1} << 28;  // a bit each
constexpr std::uint64_t kLeastDivisor = 8;      // smaller numbers divide many distances by chance
constexpr std::uint64_t kLeastPlainPitch = 32;  // and widths, of a pitch that no argument has
constexpr std::uint64_t kLeastPlainWidth = 4;

// What a block's addresses in one buffer have to do with each other.
struct Reach {
  std::uint64_t address = 0;
  std::uint64_t bytes_each = 1;
  std::uint64_t count = 0;
  std::vector<bool> touched;  // by element
  std::uint64_t first = ~std::uint64_t{0};
  std::uint64_t last = 0;
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::vector<std::uint64_t>>
      together;  // by instruction and its how-manieth execution: where lanes begin
  std::map<std::uint32_t, std::uint64_t> wide;                              // elements of a lane
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint64_t> before;  // by instruction, warp
  std::map<std::uint64_t, std::uint64_t> steps;      // distances in time, how often
  std::map<std::uint64_t, std::uint64_t> between;    // from one instruction to the next
  std::map<std::uint64_t, std::uint64_t> spacings;   // of rows that are touched at once
  std::map<std::uint64_t, std::uint64_t> distances;  // both, for what no neighbour explains
};

struct Run {
  std::uint64_t first = 0;
  std::uint64_t length = 0;
};

std::vector<Run> runs_of(std::vector<std::uint64_t> elements, std::uint64_t wide) {
  std::ranges::sort(elements);
  std::vector<Run> runs;
  for (const std::uint64_t element : elements) {
    if (!runs.empty() && element <= runs.back().first + runs.back().length) {
      runs.back().length = std::max(runs.back().length, element + wide - runs.back().first);
    } else {
      runs.push_back({element, wide});
    }
  }
  return runs;
}

std::uint64_t distance(std::uint64_t a, std::uint64_t b) { return a > b ? a - b : b - a; }

class Finder {
 public:
  explicit Finder(const KernelStudy& study) : study_(study) {
    const std::vector<Argument>& arguments = study.instance.arguments;
    reaches_.resize(arguments.size());
    for (std::size_t i = 0; i < arguments.size() && i < study.launch.arguments.size(); ++i) {
      const Argument& argument = arguments[i];
      if (!argument.is_pointer || argument.rows != 0 || argument.buffer.count > kMostElements) {
        continue;
      }
      reaches_[i].address = study.launch.arguments[i].bits;
      reaches_[i].bytes_each = size_of(argument.type);
      reaches_[i].count = argument.buffer.count;
      reaches_[i].touched.resize(argument.buffer.count);
    }
    read_trace();
    for (Reach& reach : reaches_) weigh(reach);
  }

  std::vector<std::optional<BufferShape>> shapes() {
    std::vector<std::optional<BufferShape>> shapes(reaches_.size());
    std::vector<std::pair<std::uint64_t, std::string>> pitches = numbers();
    for (std::size_t i = 0; i < reaches_.size(); ++i) {
      shapes[i] = shape_by(reaches_[i], pitches);
    }
    // Without an argument: a plane of threads says it of one buffer, and that tells of the others.
    std::vector<std::pair<std::uint64_t, std::string>> plain;
    for (std::size_t i = 0; i < reaches_.size(); ++i) {
      if (shapes[i]) continue;
      if (const auto pitch = plain_pitch(reaches_[i])) {
        shapes[i] = shape(reaches_[i], *pitch, "");
        plain.emplace_back(*pitch, "");
      }
    }
    for (std::size_t i = 0; i < reaches_.size(); ++i) {
      if (!shapes[i]) shapes[i] = shape_by(reaches_[i], plain);
    }
    return shapes;
  }

 private:
  Reach* reach_of(std::uint64_t address) {
    for (Reach& reach : reaches_) {
      if (address >= reach.address && address < reach.address + reach.count * reach.bytes_each) {
        return &reach;
      }
    }
    return nullptr;
  }

  void read_trace() {
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> executed;
    for (const std::uint32_t index : study_.timeline->memory_events) {
      const TraceEvent& event = study_.trace->events[index];
      const WarpAccess access = study_.trace->access(event.access);
      if (access.space != MemorySpace::kGlobal || access.active == 0) continue;
      const std::uint32_t execution = executed[{event.instruction, event.warp}]++;
      bool first_lane = true;
      for (std::size_t lane = 0; lane < kWarpSize; ++lane) {
        if ((access.active >> lane & 1U) == 0) continue;
        Reach* reach = reach_of(access.address[lane]);
        if (reach == nullptr) continue;
        const std::uint64_t element = (access.address[lane] - reach->address) / reach->bytes_each;
        const std::uint64_t wide =
            std::max<std::uint64_t>(1, access.bytes_per_lane / reach->bytes_each);
        for (std::uint64_t e = element; e < std::min(element + wide, reach->count); ++e) {
          reach->touched[e] = true;
        }
        reach->first = std::min(reach->first, element);
        reach->last = std::max(reach->last, element + wide - 1);
        reach->wide[event.instruction] = wide;
        if (execution < kExecutionsKept) {
          reach->together[{event.instruction, execution}].push_back(element);
        }
        if (!std::exchange(first_lane, false)) continue;
        const auto [before, fresh] =
            reach->before.try_emplace({event.instruction, event.warp}, element);
        if (!fresh && before->second != element) ++reach->steps[distance(before->second, element)];
        before->second = element;
      }
    }
  }

  // From row to row of all that the block touches: a tile, whichever threads share it.
  static void count_tile_rows(Reach& reach) {
    std::optional<std::uint64_t> row;
    for (std::uint64_t e = reach.first; e <= reach.last && e < reach.count; ++e) {
      if (!reach.touched[e] || (e > 0 && reach.touched[e - 1])) continue;
      if (row) ++reach.distances[e - *row];
      row = e;
    }
  }

  // Distances from row to row among those that the block's addresses show: between rows that one
  // instruction touches at once; in time and between instructions where the block leaves out what
  // lies between.
  static void weigh(Reach& reach) {
    std::uint64_t longest = 0;
    bool leaves_out = false;
    std::vector<std::uint64_t> begins;
    for (const auto& [when, elements] : reach.together) {
      const std::vector<Run> runs = runs_of(elements, reach.wide[when.first]);
      for (std::size_t i = 0; i < runs.size(); ++i) {
        longest = std::max(longest, runs[i].length);
        const std::uint64_t behind = runs[i].first + runs[i].length;
        leaves_out = leaves_out || (behind < reach.count && !reach.touched[behind]);
        if (i > 0) ++reach.spacings[runs[i].first - runs[i - 1].first];
      }
      if (when.second == 0) begins.push_back(runs.front().first);
    }
    reach.distances = reach.spacings;
    count_tile_rows(reach);
    std::ranges::sort(begins);
    for (std::size_t i = 1; i < begins.size(); ++i) {
      const std::uint64_t between = begins[i] - begins[i - 1];
      if (between > longest) ++reach.between[between];
    }
    if (!leaves_out) return;
    for (const auto& [distance, times] : reach.between) reach.distances[distance] += times;
    for (const auto& [step, times] : reach.steps) {
      if (step > longest) reach.distances[step] += times;
    }
  }

  // The whole numbers among the arguments.
  [[nodiscard]] std::vector<std::pair<std::uint64_t, std::string>> numbers() const {
    std::vector<std::pair<std::uint64_t, std::string>> found;
    for (const Argument& argument : study_.instance.arguments) {
      const bool real = argument.type == ElementType::kF16 || argument.type == ElementType::kBf16 ||
                        argument.type == ElementType::kF32 || argument.type == ElementType::kF64;
      if (!argument.is_pointer && !real) found.emplace_back(argument.bits, argument.name);
    }
    return found;
  }

  static std::optional<BufferShape> shape_by(
      const Reach& reach, const std::vector<std::pair<std::uint64_t, std::string>>& pitches) {
    const std::pair<std::uint64_t, std::string>* best = nullptr;
    std::uint64_t most = 0;
    for (const auto& pitch : pitches) {
      if (!has_rows(reach, pitch.first)) continue;
      const auto hits = reach.distances.find(pitch.first);
      // A block that goes through whole rows shows their length by where it begins and ends.
      const bool whole = reach.first != ~std::uint64_t{0} && reach.first % pitch.first == 0 &&
                         reach.last + 1 - reach.first == pitch.first && reach.first != 0;
      const std::uint64_t times =
          (hits != reach.distances.end() ? hits->second : 0) + (whole ? 1 : 0);
      if (times <= most) continue;
      most = times;
      best = &pitch;
    }
    if (best == nullptr) best = divisor(reach, pitches);
    if (best == nullptr) return std::nullopt;
    return shape(reach, best->first, best->second);
  }

  // The one that divides every distance, of threads with several rows each. Of two that do, the one
  // by which the kernel's instructions lie apart.
  static const std::pair<std::uint64_t, std::string>* divisor(
      const Reach& reach, const std::vector<std::pair<std::uint64_t, std::string>>& pitches) {
    std::map<std::uint64_t, const std::pair<std::uint64_t, std::string>*> dividing;
    std::map<std::uint64_t, const std::pair<std::uint64_t, std::string>*> apart;
    for (const auto& pitch : pitches) {
      if (reach.distances.empty() || pitch.first < kLeastDivisor || !has_rows(reach, pitch.first)) {
        continue;
      }
      const bool divides = std::ranges::all_of(
          reach.distances, [&](const auto& entry) { return entry.first % pitch.first == 0; });
      if (!divides) continue;
      dividing.try_emplace(pitch.first, &pitch);
      if (reach.between.contains(pitch.first)) apart.try_emplace(pitch.first, &pitch);
    }
    if (apart.size() == 1) return apart.begin()->second;
    return dividing.size() == 1 ? dividing.begin()->second : nullptr;
  }

  [[nodiscard]] std::optional<std::uint64_t> plain_pitch(const Reach& reach) const {
    if (study_.launch.block.y < 2 || reach.spacings.size() != 1) return std::nullopt;
    const std::uint64_t pitch = reach.spacings.begin()->first;
    if (pitch < kLeastPlainPitch || !has_rows(reach, pitch) || reach.count % pitch != 0) {
      return std::nullopt;
    }
    for (const auto& [when, elements] : reach.together) {
      const std::vector<Run> runs = runs_of(elements, reach.wide.at(when.first));
      if (runs.size() == study_.launch.block.y && runs.front().length >= kLeastPlainWidth) {
        return pitch;
      }
    }
    return std::nullopt;
  }

  static bool has_rows(const Reach& reach, std::uint64_t pitch) {
    return pitch >= 2 && pitch <= reach.count / 2;
  }

  static BufferShape shape(const Reach& reach, std::uint64_t pitch, const std::string& name) {
    return {(reach.count + pitch - 1) / pitch, pitch, pitch, true, name};
  }

  const KernelStudy& study_;
  std::vector<Reach> reaches_;
};

}  // namespace

std::vector<std::optional<BufferShape>> buffer_shapes(const KernelStudy& study) {
  std::vector<std::optional<BufferShape>> shapes;
  const std::vector<Argument>& arguments = study.instance.arguments;
  const bool unknown =
      std::ranges::any_of(arguments, [](const Argument& a) { return a.is_pointer && a.rows == 0; });
  if (unknown && study.traced()) shapes = Finder(study).shapes();
  shapes.resize(arguments.size());
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    if (const auto& tensor = arguments[i].tensor; tensor && tensor->rank == 2) {
      shapes[i] = BufferShape{tensor->extent[1], tensor->extent[0], tensor->extent[0], false, ""};
      continue;
    }
    if (!arguments[i].is_pointer || arguments[i].rows <= 1) continue;
    shapes[i] = BufferShape{arguments[i].rows, arguments[i].cols,
                            std::max(arguments[i].leading, arguments[i].cols), false, ""};
  }
  return shapes;
}

}  // namespace tilescope
