#include "scene/view/drawn_numbers.h"

#include <cmath>
#include <utility>

namespace tilescope {

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

}  // namespace tilescope
