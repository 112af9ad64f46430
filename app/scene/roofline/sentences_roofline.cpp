#include <fmt/format.h>

#include "analysis/fact_words.h"
#include "core/quantity.h"
#include "scene/prepared.h"
#include "scene/roofline/roofline_words.h"
#include "scene/view.h"

namespace tilescope {
namespace {

constexpr double kAsGoodAsReference = 0.95;

std::string roof_words(const RooflineFigure& figure) {
  switch (figure.roof()) {
    case RooflineFigure::Roof::kL1:
      return "shared memory and L1 could feed it";
    case RooflineFigure::Roof::kL2:
      return "the L2 could feed it";
    case RooflineFigure::Roof::kDram:
      return "DRAM could feed it";
    case RooflineFigure::Roof::kPeak:
      break;
  }
  return figure.tensor ? "the tensor cores could do" : "the FP32 units could do";
}

// What would have to change.
SentenceRun advice(const RooflineFacts& facts) {
  const std::string_view of = facts.figure.model_is_off() ? "modelled time" : "time";
  if (!facts.first_cause.empty()) {
    return {fmt::format(" {}: {}, worth {} of the {}.",
                        facts.nothing_big ? "The largest cause left" : "The largest cause",
                        inside_a_sentence(facts.first_cause), about_percent_words(facts.worth), of),
            false};
  }
  const auto& known = facts.figure.known;
  const double reached = known ? known->reference_seconds / known->seconds : 0;
  if (reached <= 0 || reached >= kAsGoodAsReference)
    return {" Nothing big is left to gain.", false};
  const std::string_view article = known->reference.starts_with("cuBLAS") ? "" : "the ";
  return {fmt::format(" No cause that the model knows is worth 2 %; the {} to {}{} are "
                      "unexplained.",
                      about_percent_words(1 - reached), article, known->reference),
          false};
}

Sentence bandwidth_sentence(const RooflineFacts& facts) {
  const RooflineFigure& figure = facts.figure;
  const std::string once = format(figure.bytes, Unit::kBytes);
  const double times = figure.moved_bytes / figure.bytes;
  const std::string moved =
      times > 1.05 ? fmt::format("Its lanes move {} for {} that must be moved. ",
                                 format(figure.moved_bytes, Unit::kBytes), once)
                   : fmt::format("Its lanes move {}, no more than must be moved. ", once);
  const double share = figure.rate() / figure.dram_bandwidth;
  return {{moved, false},
          {fmt::format("{} {} are {} of the datasheet's {}.",
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
      "Its lanes do {} flop for each byte that they move; were each byte moved once, it would be "
      "{}. ",
      format(figure.intensity_moved(), Unit::kNone), format(figure.intensity_once(), Unit::kNone));
  const std::string rate = format(figure.rate(), Unit::kFlopPerSecond);
  return {{start, false},
          {fmt::format("{} {} are {} of the {} that {}.", rate, name_of(figure.source()),
                       about_percent_words(figure.rate() / figure.allowed()),
                       format(figure.allowed(), Unit::kFlopPerSecond), roof_words(figure)),
           true},
          advice(facts)};
}

Sentence roofline_sentence(const ViewContext& context) {
  const auto prepared = prepared_of(context);
  if (prepared->diagnosis == nullptr) {
    if (auto reason = not_modelled(*context.study); !reason.empty()) return {{reason, false}};
    return {{"How fast this kernel can be is known once its registers are counted.", false}};
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

}  // namespace tilescope
