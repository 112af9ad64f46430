#include "cli/launch_remarks.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <set>

#include "core/quantity.h"

namespace tilescope {
namespace {

using Lines = std::set<std::uint32_t>;

std::string lines_text(const Lines& lines) {
  return fmt::format("line{} {}", lines.size() == 1 ? "" : "s", fmt::join(lines, ", "));
}

bool writes_global(const StaticInstruction& instruction) {
  switch (instruction.operation) {
    case Operation::kBulkStore:
    case Operation::kBulkReduction:
    case Operation::kTensorStore:
    case Operation::kTensorReduction:
      return true;
    default:
      break;
  }
  const bool space =
      instruction.space == MemorySpace::kGlobal || instruction.space == MemorySpace::kGeneric;
  return space &&
         (instruction.access == AccessKind::kStore || instruction.access == AccessKind::kAtomic);
}

std::string on_missing_writes(const TraceReport& report) {
  const Program& program = *report.study->program;
  const std::vector<std::uint64_t>& lanes = report.written->executed.lanes;
  if (!report.written->whole_grid || !report.emulation->complete) return "";
  Lines lines;
  for (std::uint32_t i = 0; i < program.instructions().size(); ++i) {
    if (!writes_global(program.instructions()[i])) continue;
    if (i >= lanes.size() || lanes[i] != 0) return "";
    lines.insert(own_line(program, i));
  }
  lines.erase(0);
  if (lines.empty()) return "";
  return fmt::format(
      "The launch writes nothing: no thread comes to {}, where the kernel would write to global "
      "memory. Look at the condition before it, and whether a product in it exceeds 32 bits",
      lines_text(lines));
}

// LDL and STL of a place that R1, the stack's pointer, and a constant do not name.
bool is_indexed(const StaticInstruction& instruction) {
  return instruction.space == MemorySpace::kLocal && instruction.access != AccessKind::kNone &&
         instruction.text.find("[R1]") == std::string_view::npos &&
         instruction.text.find("[R1+") == std::string_view::npos;
}

std::string on_local_arrays(const TraceReport& report) {
  if (report.issued == nullptr) return "";
  const Program& program = *report.study->issued;
  Lines lines;
  std::uint64_t requests = 0;
  for (std::uint32_t i = 0; i < program.instructions().size(); ++i) {
    if (!is_indexed(program.instructions()[i]) || i >= report.issued->by_instruction.size())
      continue;
    lines.insert(own_line(program, i));
    requests += report.issued->by_instruction[i].requests;
  }
  lines.erase(0);
  if (lines.empty() || requests == 0) return "";
  return fmt::format(
      "A local array is indexed by a value that is known at run time alone ({}), so it lies in "
      "local memory: {} requests. Unroll the loop whose counter is the index, or keep the array in "
      "shared memory",
      lines_text(lines), format_count(requests));
}

}  // namespace

std::vector<std::string> remarks_on(const TraceReport& report) {
  std::vector<std::string> remarks;
  for (const auto remark_on : {on_missing_writes, on_local_arrays}) {
    if (std::string remark = remark_on(report); !remark.empty())
      remarks.push_back(std::move(remark));
  }
  return remarks;
}

}  // namespace tilescope
