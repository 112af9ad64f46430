#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "scene/drawing/stall_mark.h"
#include "scene/pipeline/pipeline_scene.h"

namespace tilescope {
namespace {

struct Share {
  std::string name;
  double share = 0;
  StallMark mark;
  std::string tooltip;
};

struct Key {
  const Share* share = nullptr;
  std::string words;
  float x = 0;  // from the bar's left end
  int line = 0;
};

constexpr double kLeastNamed = 0.005;
constexpr float kStallBar = 16;
constexpr float kKeyLine = 15;
constexpr float kLowStrip = 40;  // of alternatives: too low for their pictures

}  // namespace

const char* meaning_of(Stall stall) {
  switch (stall) {
    case Stall::kNone:
      return "an instruction is issued";
    case Stall::kLongScoreboard:
      return "a value from global or local memory, or a group of cp.async, is not there yet";
    case Stall::kShortScoreboard:
      return "a value from shared memory, a shuffle or a special function is not there yet";
    case Stall::kBarrier:
      return "other warps of the block have not come to the barrier";
    case Stall::kWait:
      return "the result of arithmetic before is not there yet";
    case Stall::kMathPipeThrottle:
      return "the arithmetic unit is taken by another warp";
    case Stall::kMioThrottle:
      return "the queue to the memory unit is full; the next instruction is for shared memory or a "
             "shuffle";
    case Stall::kLgThrottle:
      return "the queue to the memory unit is full; the next instruction is for global memory";
    case Stall::kBranchResolving:
      return "a branch is being followed";
    case Stall::kNotSelected:
      return "another warp of the scheduler was issued";
  }
  return "";
}

namespace {

std::vector<Share> shares_of(const WarpTiming& timing) {
  std::uint64_t all = timing.issued;
  for (const std::uint64_t cycles : timing.stalled) all += cycles;
  std::vector<Share> shares;
  if (all == 0) return shares;
  const auto share = [&](std::uint64_t cycles) {
    return static_cast<double>(cycles) / static_cast<double>(all);
  };
  shares.push_back(
      {"issued", share(timing.issued), mark_of(Stall::kNone), meaning_of(Stall::kNone)});
  for (std::size_t i = 1; i < kStallCount; ++i) {
    const auto stall = static_cast<Stall>(i);
    shares.push_back({name_of(stall), share(timing.stalled[i]), mark_of(stall), meaning_of(stall)});
  }
  std::ranges::stable_sort(shares.begin() + 1, shares.end(), std::greater<>(), &Share::share);
  // What is too small for a name of its own.
  Share rest{"other", 0, {ColourRole::kDim}, "reasons of less than half a per cent each"};
  const auto small = std::find_if(shares.begin() + 1, shares.end(),
                                  [](const Share& each) { return each.share < kLeastNamed; });
  for (auto each = small; each != shares.end(); ++each) rest.share += each->share;
  shares.erase(small, shares.end());
  if (rest.share > 0) shares.push_back(rest);
  return shares;
}

std::string about(const Share& share) {
  return fmt::format("{}: {} of the warps' time; {}.", share.name, about_percent_words(share.share),
                     share.tooltip);
}

// The names below the bar, in its order, on as many lines as they need in `width`.
std::vector<Key> keys_of(const Pen& pen, float width, const std::vector<Share>& shares) {
  const TextStyle label = pen.style(11, ColourRole::kDim);
  std::vector<Key> keys;
  float x = 0;
  int line = 0;
  for (const Share& share : shares) {
    if (share.share < kLeastNamed) continue;
    Key key{&share, share.name + " " + about_percent_words(share.share), 0, 0};
    const float wide = pen.px(16) + pen.width(key.words, label);
    if (x > 0 && x + wide > width) {
      x = 0;
      ++line;
    }
    key.x = x;
    key.line = line;
    keys.push_back(std::move(key));
    x += wide + pen.px(14);
  }
  return keys;
}

// Two thin rows: copies above, uses below, over the same cycles for every alternative.
void draw_small_picture(Pen& pen, const Rect& box, const Pipeline& pipeline, double first,
                        double cycles) {
  const float height = (box.h - pen.px(3)) / 2;
  const auto bar = [&](double begin, double end, float y, Paint paint) {
    const auto place = [&](double cycle) {
      const double share = std::clamp((cycle - first) / cycles, 0.0, 1.0);
      return box.x + box.w * static_cast<float>(share);
    };
    const float width = place(end) - place(begin);
    if (width < 0.5f) return;
    pen.canvas.fill_rect({place(begin), y, std::max(width - 1, 1.0f), height}, paint, 1);
  };
  for (const TileCopy& tile : pipeline.copies.tiles) {
    bar(tile.issue, tile.arrived, box.y, Paint(ColourRole::kFirst, 0.6f));
    if (tile.first_read == kNever) continue;
    bar(tile.first_read, tile.last_use, box.y + height + pen.px(3), ColourRole::kSecond);
  }
}

// Against the chosen number of stages. Only the ratio of the two is this model's to say: the
// kernel's time is the time model's (analysis/time_model.h).
std::string pace_words(double seconds, double chosen) {
  if (seconds <= 0 || chosen <= 0) return "–";
  const double change = seconds / chosen - 1;
  if (std::abs(change) < 0.005) return "as fast";
  return about_percent_words(std::abs(change)) + (change < 0 ? " faster" : " slower");
}

}  // namespace

float stall_bar_height(const Pen& pen, float width, const Pipeline& pipeline) {
  int lines = 1;
  for (const Key& key : keys_of(pen, width, shares_of(pipeline.timing))) {
    lines = std::max(lines, key.line + 1);
  }
  return pen.px(kStallBar + kKeyLine * static_cast<float>(lines));
}

void draw_stall_bar(Pen& pen, const Rect& area, float left, const Pipeline& pipeline) {
  const std::vector<Share> shares = shares_of(pipeline.timing);
  if (shares.empty()) return;
  const float heading = pen.heading(area.x, area.y + pen.px(8), "WARP TIME", "", area.right());
  left = std::max(left, heading + pen.px(6));
  const Rect bar{left, area.y + pen.px(2), area.right() - left, pen.px(12)};
  if (bar.w < pen.px(80)) return;
  float x = bar.x;
  for (const Share& share : shares) {
    const float width = bar.w * static_cast<float>(share.share);
    if (width < 1) continue;
    const Rect part{x, bar.y, width - 1, bar.h};
    draw_stall_mark(pen, part, share.mark);
    pen.hit(part, HitKind::kNone, 0, about(share));
    x += width;
  }
  const TextStyle label = pen.style(11, ColourRole::kDim);
  for (const Key& key : keys_of(pen, bar.w, shares)) {
    const float y = area.y + pen.px(kStallBar + kKeyLine * (static_cast<float>(key.line) + 0.5f));
    draw_stall_mark(pen, {bar.x + key.x, y - pen.px(4), pen.px(12), pen.px(8)}, key.share->mark);
    pen.text(bar.x + key.x + pen.px(16), y, key.words, label);
    pen.hit({bar.x + key.x, y - pen.px(8), pen.px(16) + pen.width(key.words, label), pen.px(16)},
            HitKind::kNone, 0, about(*key.share));
  }
}

void draw_stages_strip(Pen& pen, const Rect& area, const ViewContext& context) {
  const std::vector<PipelineAlternative>& all = *context.alternatives;
  const auto now_at = context.study->instance.parameters.find("STAGES");
  const std::int64_t now = now_at == context.study->instance.parameters.end() ? 0 : now_at->second;
  pen.rule(area.x, area.right(), area.y);
  // The same stretch of cycles for all: some tiles of the slowest, past its beginning.
  double cycles = 0;
  double fastest = 0;
  double chosen = 0;
  for (const PipelineAlternative& each : all) {
    const std::vector<TileCopy>& tiles = each.pipeline->copies.tiles;
    if (tiles.size() > 4) {
      const double span = tiles.back().issue - tiles.front().issue;
      cycles = std::max(cycles, 4 * span / static_cast<double>(tiles.size() - 1));
    }
    const double seconds = each.pipeline->kernel_seconds;
    if (seconds > 0 && (fastest == 0 || seconds < fastest)) fastest = seconds;
    if (each.stages == now) chosen = seconds;
  }
  if (cycles == 0) cycles = 4000;
  const float left = area.x + pen.px(92);
  const bool low = area.h < pen.px(kLowStrip);
  const float label_y = low ? area.y + pen.px(8) + (area.h - pen.px(10)) / 2 : area.y + pen.px(16);
  const TextStyle title = pen.style(11, ColourRole::kDim, Weight::kSemibold);
  pen.text(area.x, label_y, "STAGES", title);
  const float mark = area.x + pen.width("STAGES", title) + pen.px(12);
  pen.source_mark({mark, label_y}, Source::kModelled, ColourRole::kDim);
  pen.hit(
      {mark - pen.px(6), label_y - pen.px(8), pen.px(12), pen.px(16)}, HitKind::kNone, 0,
      "Modelled: the same block with each number of stages, compiled anew and issued by one SM.");
  const TextStyle dim = pen.style(11, ColourRole::kDim);
  if (!low) {
    pen.text_if_fits(area.x, area.y + pen.px(32),
                     fmt::format("{} cycles", format_count(static_cast<std::uint64_t>(cycles))),
                     dim, left - area.x - pen.px(6));
  }
  const float gap = pen.px(8);
  const auto count = static_cast<float>(all.size());
  const float width = (area.right() - left - gap * (count - 1)) / count;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const PipelineAlternative& each = all[i];
    const Pipeline& pipeline = *each.pipeline;
    const Rect box{left + (width + gap) * static_cast<float>(i), area.y + pen.px(8), width,
                   area.h - pen.px(10)};
    const bool current = each.stages == now;
    pen.canvas.fill_rect(box, current ? ColourRole::kHover : ColourRole::kRaised, 6);
    if (current) pen.outline(box, ColourRole::kFirst, 1.5f, 6);
    const float middle = low ? box.center().y : box.y + pen.px(14);
    const std::string name = std::to_string(each.stages);
    const TextStyle strong = pen.style(13, ColourRole::kStrong, Weight::kSemibold);
    pen.text(box.x + pen.px(9), middle, name, strong);
    const double seconds = pipeline.kernel_seconds;
    const Paint tone =
        seconds > 0 && seconds <= fastest * 1.02 ? ColourRole::kIdeal : Paint(ColourRole::kDim);
    const float room = box.w - pen.px(30) - pen.width(name, strong);
    const TextStyle right = pen.style(11, tone, Weight::kMedium, Align::kRight);
    const std::string pace = current ? std::string() : pace_words(seconds, chosen);
    pen.text_if_fits(box.right() - pen.px(9), middle, pace, right, room);
    const std::vector<TileCopy>& tiles = pipeline.copies.tiles;
    const double first = tiles.size() > 6 ? tiles[tiles.size() / 3].issue : 0;
    if (!low) {
      draw_small_picture(pen,
                         {box.x + pen.px(9), box.y + pen.px(28), box.w - pen.px(18),
                          std::max(box.h - pen.px(36), pen.px(10))},
                         pipeline, first, cycles);
    }
    Hit hit;
    hit.kind = HitKind::kParameter;
    hit.name = "STAGES";
    hit.value = each.stages;
    hit.tooltip = fmt::format("STAGES {}: {}{} at once on an SM.{}", each.stages,
                              pace.empty() ? pace : pace + " by the model of one SM, ",
                              counted(pipeline.timing.resident_blocks, "block"),
                              current ? "" : " Click to set it.");
    pen.canvas.hit(box, hit);
  }
}

}  // namespace tilescope
