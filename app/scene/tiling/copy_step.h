#pragma once
#include <functional>
#include <map>
#include <string>
#include <string_view>

#include "scene/tiling/copy_flow.h"

namespace tilescope {

// Reads PTX text into CopySteps; remembers the number of each register's name.
class CopyStepReader {
 public:
  [[nodiscard]] CopyStep read(const StaticInstruction& instruction);
  [[nodiscard]] std::uint32_t registers() const {
    return static_cast<std::uint32_t>(number_of_.size());
  }

 private:
  std::uint32_t register_number(std::string_view name);
  void append_registers(std::string_view operand, std::vector<std::uint32_t>& out);
  std::map<std::string, std::uint32_t, std::less<>> number_of_;
};

}  // namespace tilescope
