#include "emulator/finding_place.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "emulator/program_implementation.h"

namespace tilescope {
// The compiler marks inline assembly by comments.
FindingPlaces::FindingPlaces(const Program& program) : program_(program) {
  constexpr std::string_view kMarks[] = {"// begin inline asm", "// end inline asm"};
  const std::string_view text = program.implementation().ptx;
  for (std::size_t at = text.find(kMarks[0]); at != std::string_view::npos;
       at = text.find(kMarks[assembly_.size() % 2], at)) {
    assembly_.push_back(at);
  }
}

bool FindingPlaces::is_assembly(std::uint32_t instruction) const {
  const std::string_view text = program_.implementation().ptx;
  const std::string_view own = program_.instructions()[instruction].opcode;
  const bool inside = own.data() >= text.data() && own.data() < text.data() + text.size();
  if (!inside) return false;
  const auto at = static_cast<std::size_t>(own.data() - text.data());
  const auto next = std::upper_bound(assembly_.begin(), assembly_.end(), at);
  return (next - assembly_.begin()) % 2 == 1;
}

FindingPlace FindingPlaces::of(std::uint32_t instruction) const {
  const Program::Implementation& program = program_.implementation();
  FindingPlace place;
  const StaticInstruction& found = program_.instructions()[instruction];
  place.line = program.module.locations.empty() ? SourceLine{0, found.ptx_line} : found.source;
  std::vector<SourceLine> lines;  // in the kernel's file, from within outwards
  std::size_t deep = 0;
  const std::uint32_t innermost = program.decoded.locations[instruction];
  for (std::uint32_t at = innermost; at != kNoIndex && deep <= kDeepestInlining;
       at = program.module.locations[at].parent) {
    ++deep;
    const SourceLine& line = program.module.locations[at].line;
    if (line.file == place.line.file && line.line != 0) lines.push_back(line);
  }
  if (lines.empty() || lines.front() != place.line) return place;
  const bool own = program.module.locations[innermost].line == place.line;
  std::size_t shown = 0;
  if (own && lines.size() > 1 && lines[1] != lines[0] && is_assembly(instruction)) {
    place.assembly_line = lines[0].line;
    place.line = lines[shown = 1];
  }
  for (std::size_t i = shown + 1; i < lines.size(); ++i) {
    if (lines[i] != lines[i - 1]) place.called_from.push_back(lines[i].line);
  }
  return place;
}

std::string describe_calls(const FindingPlace& place) {
  std::string words;
  if (place.assembly_line != 0)
    words = fmt::format("inline assembly of line {}", place.assembly_line);
  for (const std::uint32_t line : place.called_from)
    words += fmt::format("{}called from line {}", words.empty() ? "" : ", ", line);
  return words;
}

}  // namespace tilescope
