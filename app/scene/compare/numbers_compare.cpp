#include <fmt/format.h>

#include "core/unit_symbol.h"
#include "scene/compare/compare_scene.h"
#include "scene/compare/compare_words.h"
#include "scene/compare/compared.h"
#include "scene/drawn_numbers.h"

namespace tilescope {
namespace {

void add_rows(NumberList& list, const ComparedSet& set) {
  for (const MetricRow& row : set.comparison.rows) {
    list.part(row.name);
    for (std::size_t i = 0; i < row.values.size(); ++i) {
      if (!row.values[i]) continue;
      list.item(letter_of(i) + " " + label_of(set, i));
      list.source(row.values[i]->source);
      list.add(row.name, row.values[i]->value, symbol_of(row.values[i]->unit));
    }
  }
}

// What each part of the work does to the time, against the base that was chosen.
void add_pairs(NumberList& list, const ViewContext& context) {
  const ComparedSet& set = *context.compared;
  const std::size_t base = base_of(context);
  for (std::size_t i = 0; i < set.variants.size(); ++i) {
    const PairComparison& pair = set.comparison.pairs[base][i];
    if (i == base || pair.speedup <= 0) continue;
    list.part(fmt::format("{} against {}", letter_of(i), letter_of(base)), pair.source);
    list.add(pair.comparable == Comparable::kOtherSize ? "speedup by rate, other size" : "speedup",
             pair.speedup);
    for (const Difference& difference : pair.differences) {
      list.source(Source::kModelled);
      list.item(difference.fact, difference.line);
      list.add("factor", difference.factor);
    }
  }
}

void add_waterfall(NumberList& list, const ViewContext& context) {
  const Waterfall waterfall = waterfall_of(context);
  list.part("waterfall");
  for (const WaterfallStep& step : waterfall.steps) {
    if (!step.on) continue;
    list.item(step.name);
    list.source(step.source);
    list.add("rate", step.rate, symbol_of(waterfall.unit));
  }
  if (waterfall.reference <= 0) return;
  list.item(waterfall.reference_name);
  list.source(waterfall.reference_source);
  list.add("rate", waterfall.reference, symbol_of(waterfall.unit));
}

}  // namespace

void add_compare_numbers(NumberList& list, const ViewContext& context) {
  if (context.compared == nullptr) return;
  add_rows(list, *context.compared);
  add_pairs(list, context);
  add_waterfall(list, context);
}

}  // namespace tilescope
