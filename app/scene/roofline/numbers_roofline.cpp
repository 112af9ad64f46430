#include <fmt/format.h>

#include "core/unit_symbol.h"
#include "scene/drawn_numbers.h"
#include "scene/prepared.h"
#include "scene/roofline/roofline_scene.h"
#include "scene/roofline/roofline_words.h"

namespace tilescope {
namespace {

std::string_view rate_unit(const RooflineFigure& figure) {
  return symbol_of(figure.computes ? Unit::kFlopPerSecond : Unit::kBytesPerSecond);
}

void add_figure(NumberList& list, const RooflineFigure& figure) {
  list.part("kernel");
  if (figure.computes) list.add("work", figure.flop, "flop");
  list.add("moved by lanes", figure.moved_bytes, "B");
  list.add("each byte once", figure.bytes, "B");
  if (figure.computes) {
    list.add("intensity as moved", figure.intensity_moved(), "flop/B");
    list.add("intensity with each byte once", figure.intensity_once(), "flop/B");
  }
  list.source(Source::kModelled);
  if (figure.l2_bytes > 0) {
    list.add("moved past the L1", figure.l2_bytes, "B");
    if (figure.computes) list.add("intensity past the L1", figure.intensity_l2(), "flop/B");
  }
  list.add("modelled time", figure.modelled_seconds, "s");
  list.add("modelled rate", figure.rate_in(figure.modelled_seconds), rate_unit(figure));
  if (figure.known) {
    list.source(figure.known->source);
    list.add("time", figure.known->seconds, "s");
    list.add("rate", figure.rate(), rate_unit(figure));
    if (figure.known->reference_seconds > 0) {
      list.item(figure.known->reference);
      list.add("time", figure.known->reference_seconds, "s");
      list.add("rate", figure.rate_in(figure.known->reference_seconds), rate_unit(figure));
    }
  }
  list.part("roofs", Source::kModelled);
  list.add("DRAM bandwidth", figure.dram_bandwidth, "B/s");
  list.add("L2 bandwidth", figure.l2_bandwidth, "B/s");
  list.add("shared memory and L1 bandwidth", figure.l1_bandwidth, "B/s");
  if (figure.peak > 0) {
    list.add(figure.tensor ? "tensor cores" : "FP32 with FMA", figure.peak, "flop/s");
    if (!figure.tensor) list.add("FP32 without FMA", figure.peak / 2, "flop/s");
  }
  if (figure.computes) {
    list.add("allowed", figure.allowed(), "flop/s");
    list.add("share of what is allowed", 100 * figure.rate() / figure.allowed(), "%");
  }
}

void add_steps(NumberList& list, const RooflineFigure& figure, const RooflineData& data) {
  list.part("ladder");
  for (const LadderStep& step : data.steps) {
    list.item(step.name);
    list.source(step.time.source);
    list.add("time", step.time.seconds, "s");
    list.add("rate", (figure.computes ? step.flop : step.bytes) / step.time.seconds,
             rate_unit(figure));
    if (!figure.computes || step.moved_bytes <= 0) continue;
    list.source(Source::kEmulated);
    list.add("intensity as moved", step.flop / step.moved_bytes, "flop/B");
  }
}

void add_parts(NumberList& list, const TimeBounds& bounds) {
  list.part("time each part needs", Source::kModelled);
  for (std::size_t i = 0; i < kLimits; ++i) {
    list.item(std::string(name_of(static_cast<Limit>(i))));
    list.add("time", bounds.seconds[i], "s");
  }
  list.item("starting");
  list.add("time", bounds.launch, "s");
  list.item("all together");
  list.add("time", bounds.total(), "s");
}

}  // namespace

void add_roofline_numbers(NumberList& list, const ViewContext& context) {
  const auto& diagnosis = context.prepared->diagnosis;
  if (diagnosis == nullptr) return;
  const RooflineFigure figure = roofline_figure(context.study->instance, *context.study->device,
                                                *diagnosis, context.roofline.get());
  add_figure(list, figure);
  if (context.roofline != nullptr) add_steps(list, figure, *context.roofline);
  add_parts(list, diagnosis->bounds);
  list.part("why it is not faster", Source::kModelled);
  for (const Verdict& verdict : diagnosis->verdicts) {
    list.item(verdict.fact, verdict.line);
    list.add("worth", 100 * verdict.worth, "%");
  }
}

}  // namespace tilescope
