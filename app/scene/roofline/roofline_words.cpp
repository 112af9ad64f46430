#include "scene/roofline/roofline_words.h"

#include <fmt/format.h>

#include "analysis/time/verdicts.h"
#include "core/quantity.h"
#include "scene/model/prepared.h"
#include "scene/roofline/roofline_scene.h"
#include "scene/view/drawn_numbers.h"
#include "scene/view/view.h"
#include "scene/view/view_descriptor.h"

namespace tilescope {
namespace {

constexpr double kAsGoodAsReference = 0.95;

std::string roof_words(const RooflineFigure& figure) {
  switch (figure.roof()) {
    case RooflineFigure::Roof::kL1:
      return "L1/shared-memory";
    case RooflineFigure::Roof::kL2:
      return "L2";
    case RooflineFigure::Roof::kDram:
      return "DRAM";
    case RooflineFigure::Roof::kPeak:
      break;
  }
  return figure.tensor ? "tensor-core" : "FP32";
}

// What would have to change.
SentenceRun advice(const RooflineFacts& facts) {
  const std::string_view of = facts.figure.model_is_off() ? "modelled time" : "time";
  if (!facts.first_cause.empty()) {
    return {fmt::format(" {}: {}; it costs {} of the {}.",
                        facts.nothing_big ? "The largest cause left" : "The largest cause",
                        inside_a_sentence(facts.first_cause), about_percent_words(facts.worth), of),
            false};
  }
  const auto& known = facts.figure.known;
  const double reached = known ? known->reference_seconds / known->seconds : 0;
  if (reached <= 0 || reached >= kAsGoodAsReference) return {" No large gain is left.", false};
  const std::string_view article = known->reference.starts_with("cuBLAS") ? "" : "the ";
  return {fmt::format(" No known cause costs 2 %; the {} to {}{} are unexplained.",
                      about_percent_words(1 - reached), article, known->reference),
          false};
}

Sentence bandwidth_sentence(const RooflineFacts& facts) {
  const RooflineFigure& figure = facts.figure;
  const std::string once = format(figure.bytes, Unit::kBytes);
  const double times = figure.moved_bytes / figure.bytes;
  const std::string moved = times > 1.05
                                ? fmt::format("It moves {}; the minimum is {}. ",
                                              format(figure.moved_bytes, Unit::kBytes), once)
                                : fmt::format("It moves {}, the minimum. ", once);
  const double share = figure.rate() / figure.dram_bandwidth;
  return {{moved, false},
          {fmt::format("It reaches {} ({}), {} of {} (datasheet).",
                       format(figure.rate(), Unit::kBytesPerSecond), name_of(figure.source()),
                       about_percent_words(share),
                       format(figure.dram_bandwidth, Unit::kBytesPerSecond)),
           true},
          advice(facts)};
}

}  // namespace

Sentence roofline_sentence(const RooflineFacts& facts) {
  const RooflineFigure& figure = facts.figure;
  if (!figure.computes) return bandwidth_sentence(facts);
  const std::string start = fmt::format(
      "Intensity: {} flop per byte of sectors moved; {} if every byte were moved only once. ",
      format(figure.intensity_moved(), Unit::kNone), format(figure.intensity_once(), Unit::kNone));
  const std::string rate = format(figure.rate(), Unit::kFlopPerSecond);
  return {
      {start, false},
      {fmt::format("It reaches {} ({}), {} of its {} roof of {}.", rate, name_of(figure.source()),
                   about_percent_words(figure.rate() / figure.allowed()), roof_words(figure),
                   format(figure.allowed(), Unit::kFlopPerSecond)),
       true},
      advice(facts)};
}

Sentence roofline_sentence(const ViewContext& context) {
  const auto prepared = prepared_of(context);
  if (prepared->diagnosis == nullptr) {
    if (auto reason = not_modelled(*context.study); !reason.empty()) return {{reason, false}};
    return {{"Waiting for the kernel's registers ...", false}};
  }
  const Diagnosis& diagnosis = *prepared->diagnosis;
  RooflineFacts facts;
  facts.figure = roofline_figure(context.study->instance, *context.study->device, diagnosis,
                                 context.roofline.get());
  facts.nothing_big = diagnosis.nothing_big();
  if (!diagnosis.verdicts.empty()) {
    facts.first_cause = diagnosis.verdicts.front().fact;
    facts.worth = diagnosis.verdicts.front().worth;
  }
  return roofline_sentence(facts);
}

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

// Times under other conditions, by what sets them apart; the picture draws them to no scale.
void add_elsewhere(NumberList& list, const RooflineData& data) {
  list.part("under other conditions");
  for (const KnownTime& time : data.elsewhere) {
    list.item(apart_words(time.under, data.under));
    list.source(time.source);
    list.add("time", time.seconds, "s");
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
  if (context.roofline != nullptr) {
    add_steps(list, figure, *context.roofline);
    add_elsewhere(list, *context.roofline);
  }
  add_parts(list, diagnosis->bounds);
  list.part("why it is not faster", Source::kModelled);
  for (const Verdict& verdict : diagnosis->verdicts) {
    list.item(verdict.fact, verdict.line);
    list.add("worth", 100 * verdict.worth, "%");
  }
}

ViewDescriptor roofline_view() {
  return {
      .title = "Roofline",
      .purpose = "How fast the kernel is, and what limits it",
      .least = {240, 200},
      .needs = {.registers = true, .issued = true, .times = true, .family = true},
      .sentence = roofline_sentence,
      .draw = draw_inside<draw_roofline>,
      .add_numbers = add_roofline_numbers,
      .parts = roofline_parts(),
  };
}

}  // namespace tilescope
