#include "scene/drawn_numbers.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "scene/prepared_access.h"

namespace tilescope {
namespace {

struct ViewNumbers {
  View view;
  void (*add)(NumberList& list, const ViewContext& context);
};
constexpr std::array kNumbers{
    ViewNumbers{View::kTiling, add_tiling_numbers},
    ViewNumbers{View::kCoalescing, add_coalescing_numbers},
    ViewNumbers{View::kBanks, add_bank_numbers},
    ViewNumbers{View::kPipeline, add_pipeline_numbers},
    ViewNumbers{View::kDivergence, add_divergence_numbers},
    ViewNumbers{View::kOccupancy, add_occupancy_numbers},
    ViewNumbers{View::kRoofline, add_roofline_numbers},
    ViewNumbers{View::kCompare, add_compare_numbers},
};

}  // namespace

void NumberList::part(std::string name, Source source) {
  next_ = {};
  next_.part = std::move(name);
  next_.source = source;
}

void NumberList::item(std::string name, std::uint32_t line) {
  next_.item = std::move(name);
  next_.line = line;
}

void NumberList::put(std::string_view name, double value, std::string_view unit) {
  if (!std::isfinite(value)) return;
  DrawnNumber number = next_;
  number.name = name;
  number.value = value;
  number.unit = unit;
  numbers_.push_back(std::move(number));
}

std::vector<DrawnNumber> numbers_of(View view, const ViewContext& context) {
  NumberList list;
  const auto* found = std::ranges::find(kNumbers, view, &ViewNumbers::view);
  if (found == kNumbers.end() || context.study == nullptr || !context.study->traced()) return {};
  ViewContext prepared = context;
  prepared.prepared = prepared_of(context);
  found->add(list, prepared);
  return list.take();
}

}  // namespace tilescope
