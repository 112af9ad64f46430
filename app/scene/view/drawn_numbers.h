#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/quantity.h"

namespace tilescope {

// A number that a picture shows: as a figure, a length, a place or a shade.
struct DrawnNumber {
  std::string part;  // of the picture: "request", "what if"
  std::string item;  // what it belongs to there: "line 27 store", "PAD 4"; empty: the part itself
  std::string name;  // "sectors"
  double value = 0;  // in `unit`, as it was computed
  std::string unit;  // "B", "s", "flop/s", "cycles", "%"; empty: a count or a ratio
  Source source = Source::kEmulated;
  std::uint32_t line = 0;  // of the source; 0: of no single line
};

// Collects numbers part by part, item by item.
class NumberList {
 public:
  // What follows is of this part and has this source.
  void part(std::string name, Source source = Source::kEmulated);
  void item(std::string name, std::uint32_t line = 0);
  // The source of what follows in this part.
  void source(Source source) { next_.source = source; }
  template <typename Number>
  void add(std::string_view name, Number value, std::string_view unit = {}) {
    put(name, static_cast<double>(value), unit);
  }
  [[nodiscard]] std::vector<DrawnNumber> take() { return std::move(numbers_); }

 private:
  void put(std::string_view name, double value, std::string_view unit);
  DrawnNumber next_;
  std::vector<DrawnNumber> numbers_;
};

}  // namespace tilescope
