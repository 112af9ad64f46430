#pragma once
#include <cstdint>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "emulator/program.h"

namespace tilescope {

// A register's value as another register and a distance, where it is set once, by a move or by
// adding a constant. Views into the program's text.
class NamedAddresses {
 public:
  explicit NamedAddresses(const Program& program);

  // "[%rd4+8]" as a base and a distance; an empty base: no address.
  [[nodiscard]] std::pair<std::string_view, std::int64_t> resolve(std::string_view address) const;

 private:
  struct Origin {
    std::string_view base;
    std::int64_t distance = 0;
  };

  std::unordered_map<std::string_view, Origin> origins_;
};

}  // namespace tilescope
