#include "scene/banks/banks_scene.h"

#include <algorithm>
#include <array>
#include <bit>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/async_copy_cost.h"
#include "scene/banks/banks_words.h"
#include "scene/drawing/empty_view.h"
#include "scene/prepared.h"
#include "scene/view.h"

namespace tilescope {
namespace {

void find_busiest_bank(const std::vector<Wavefront>& wavefronts, SharedRequest& request) {
  std::array<int, kBankCount> words{};
  std::array<std::uint32_t, kBankCount> lanes{};
  for (const Wavefront& wavefront : wavefronts) {
    for (std::size_t bank = 0; bank < kBankCount; ++bank) {
      if (wavefront.lanes[bank] == 0) continue;
      ++words[bank];
      lanes[bank] |= wavefront.lanes[bank];
    }
  }
  for (std::size_t bank = 0; bank < kBankCount; ++bank) {
    if (words[bank] > 0) ++request.banks_used;
    if (words[bank] <= request.busiest_words) continue;
    request.busiest_bank = static_cast<int>(bank);
    request.busiest_words = words[bank];
    request.busiest_lanes = std::popcount(lanes[bank]);
  }
}

bool lanes_walk_a_column(const SharedRequest& request) {
  if (request.region == nullptr || !request.region->pitch_known || request.shape.distinct < 2) {
    return false;
  }
  const std::uint64_t pitch = request.region->pitch_words;
  std::optional<std::uint64_t> column;
  for (std::size_t lane = 0; lane < kWarpSize; ++lane) {
    if ((request.access.active >> lane & 1U) == 0) continue;
    const std::uint64_t word = request.access.address[lane] / 4;
    if (!request.region->contains(word)) return false;
    const std::uint64_t col = (word - request.region->first_word) % pitch;
    if (column && *column != col) return false;
    column = col;
  }
  return true;
}

}  // namespace

std::optional<SharedRequest> shared_request(const ViewContext& context) {
  const auto event = access_event(context, MemorySpace::kShared);
  if (!event) return std::nullopt;
  const KernelStudy& study = *context.study;
  const TraceEvent& traced = study.trace->events[*event];
  SharedRequest request;
  request.event = *event;
  request.warp = traced.warp;
  request.instruction = &study.program->instructions()[traced.instruction];
  const SharedCost shared = shared_cost(study, *event);
  request.access = shared.access;
  request.cost = shared.cost;
  request.copy = shared.copy;
  request.lanes_meet = shared.lanes_meet;
  request.shape = shape_of(request.access);
  const std::vector<Wavefront> by_layout = wavefronts_of(request.access);
  request.wavefronts =
      shared.copy ? async_copy_wavefronts(shared.copy->source, shared.access, shared.copy->variant)
                  : by_layout;
  request.region = context.prepared->shared->region_at(request.shape.first);
  request.walks_column = lanes_walk_a_column(request);
  find_busiest_bank(by_layout, request);
  return request;
}

Sentence banks_sentence(const ViewContext& context) {
  ViewContext prepared = context;
  prepared.prepared = prepared_of(context);
  const auto request = shared_request(prepared);
  if (!request) {
    return {{"This kernel keeps nothing in shared memory, so there are no banks to share.", false}};
  }
  BankFacts facts;
  facts.line = request->instruction->outermost.line;
  facts.kind = request->instruction->access;
  facts.bytes_per_lane = request->access.bytes_per_lane;
  facts.shape = request->shape;
  facts.cost = request->cost;
  facts.lanes_meet = request->lanes_meet;
  if (request->copy) {
    facts.copy = BankFacts::Copy{
        request->copy->variant == AccessVariant::kBypass, request->copy->source_lines,
        request->shape.lanes - std::popcount(request->copy->source.active)};
  }
  if (request->region != nullptr) {
    const SharedRegion& region = *request->region;
    facts.array = region.declaration.empty() ? region.name + "'s tile" : region.name;
    if (request->region->pitch_known) {
      facts.pitch_words = static_cast<int>(request->region->pitch_words);
    }
  }
  facts.walks_column = request->walks_column;
  facts.busiest_bank = request->busiest_bank;
  facts.busiest_lanes = request->busiest_lanes;
  facts.banks_used = request->banks_used;
  return banks_sentence(facts);
}

void draw_banks(Canvas& canvas, const Rect& area, const ViewContext& context) {
  Pen pen(canvas, context);
  const auto request = shared_request(context);
  if (!request) {
    constexpr std::string_view kWhat = "This kernel uses no shared memory";
    if (pen.on_paper) {
      draw_empty(pen, area, kWhat,
                 "A kernel that keeps a tile in __shared__ memory fills this view: "
                 "transpose/tiled or gemm/shared_tile.");
      return;
    }
    draw_empty(pen, {area.x, area.y, area.w, area.h - pen.px(72)}, kWhat,
               "A kernel that keeps a tile in __shared__ memory fills this view.");
    std::vector<Offer> offers;
    for (const char* kernel : {"transpose/tiled", "gemm/shared_tile"}) {
      offers.push_back({std::string("open ") + kernel, std::string("kernel:") + kernel,
                        "In the place of the kernel that stands here."});
    }
    draw_offers(pen, area, offers);
    return;
  }
  const bool roomy = area.h >= pen.px(300);
  const float strip = roomy ? pen.px(84) : 0;
  const Rect upper{area.x, area.y, area.w, area.h - strip};
  const bool with_map = area.w >= pen.px(640) && request->region != nullptr;
  const float map_width = with_map ? std::clamp(area.w * 0.26f, pen.px(150), pen.px(300)) : 0;
  const float gap = with_map ? pen.px(28) : 0;
  draw_bank_grid(pen, {upper.x, upper.y, upper.w - map_width - gap, upper.h}, context, *request);
  if (with_map) {
    draw_shared_map(pen, {upper.right() - map_width, upper.y, map_width, upper.h}, context,
                    *request);
  }
  if (!roomy) return;
  const float top = upper.bottom() + pen.px(10);
  pen.rule(area.x, area.right(), top);
  draw_what_if(pen, {area.x, top + pen.px(12), area.w, area.bottom() - top - pen.px(12)}, context,
               *request);
}

}  // namespace tilescope
