#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "emulator/program.h"

namespace tilescope {

// Where in the source a finding at an instruction is shown: at the line that a person must change.
// That is StaticInstruction::source, but for inline assembly in a function of the kernel's own file
// it is the line of the call: nobody mends `asm("bar.sync %0, %1;")` itself. Of PTX that names no
// source it is that of the PTX.
struct FindingPlace {
  SourceLine line;
  std::uint32_t assembly_line = 0;         // of the assembly, where that is another line; or 0
  std::vector<std::uint32_t> called_from;  // further out, in the kernel's own file
};

class FindingPlaces {
 public:
  explicit FindingPlaces(const Program& program);

  [[nodiscard]] FindingPlace of(std::uint32_t instruction) const;
  [[nodiscard]] std::uint32_t line_of(std::uint32_t instruction) const {
    return of(instruction).line.line;
  }

 private:
  [[nodiscard]] bool is_assembly(std::uint32_t instruction) const;

  const Program& program_;
  std::vector<std::size_t> assembly_;  // where in the text it begins and ends, in turns
};

// "inline assembly of line 1, called from line 30"; empty: nothing to add to the line itself.
[[nodiscard]] std::string describe_calls(const FindingPlace& place);

}  // namespace tilescope
