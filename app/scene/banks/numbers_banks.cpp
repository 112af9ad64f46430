#include <fmt/format.h>

#include <bit>

#include "scene/banks/banks_scene.h"
#include "scene/banks/banks_words.h"
#include "scene/drawn_numbers.h"
#include "scene/prepared.h"

namespace tilescope {
namespace {

void add_wavefronts(NumberList& list, const SharedRequest& request) {
  for (std::size_t i = 0; i < request.wavefronts.size(); ++i) {
    const Wavefront& wavefront = request.wavefronts[i];
    for (std::size_t bank = 0; bank < kBankCount; ++bank) {
      if (wavefront.lanes[bank] == 0) continue;
      list.item(fmt::format("wavefront {} bank {}", i, bank), request.instruction->outermost.line);
      list.add("word of shared memory", wavefront.word[bank]);
      list.add("lanes served", std::popcount(wavefront.lanes[bank]));
      list.add("first lane", std::countr_zero(wavefront.lanes[bank]));
    }
  }
}

void add_layouts(NumberList& list, const LayoutStrip& strip) {
  for (const LayoutAlternative& layout : strip.layouts) {
    if (layout.count != LayoutAlternative::Count::kKnown) continue;
    list.item(layout.name);
    list.source(layout.source);
    list.add("wavefronts", layout.wavefronts);
    if (layout.worst) list.add("wavefronts of the worst access", layout.worst->wavefronts);
  }
}

}  // namespace

void add_bank_numbers(NumberList& list, const ViewContext& context) {
  const auto request = shared_request(context);
  if (!request) return;
  list.part("request");
  list.item("", request->instruction->outermost.line);
  list.add("warp", request->warp);
  list.add("active lanes", request->shape.lanes);
  list.add("bytes per lane", request->access.bytes_per_lane, "B");
  list.add("wavefronts", request->cost.wavefronts);
  list.add("ideal wavefronts", request->cost.ideal_wavefronts);
  list.add("bank conflicts", request->cost.conflicts());
  list.add("banks used", request->banks_used);
  if (request->region != nullptr && request->region->pitch_known) {
    list.add("pitch of a row", request->region->pitch_words, "words");
  }
  list.part("wavefronts");
  add_wavefronts(list, *request);
  const LayoutStrip strip = layouts_of(context, *request);
  list.part("what if", strip.source);
  add_layouts(list, strip);
}

}  // namespace tilescope
