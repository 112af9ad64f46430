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

// By the threads themselves; a generic address may be a global one.
bool accesses_global(const StaticInstruction& instruction) {
  return instruction.access != AccessKind::kNone &&
         (instruction.space == MemorySpace::kGlobal || instruction.space == MemorySpace::kGeneric);
}

bool writes_global(const StaticInstruction& instruction) {
  return instruction.reads_in_bulk() ||
         (accesses_global(instruction) &&
          (instruction.access == AccessKind::kStore || instruction.access == AccessKind::kAtomic));
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

// A thread that works accesses global memory at least once, so that there are no more of these than
// accesses; the others do what all threads do, if that is little.
std::string on_idle_threads(const TraceReport& report) {
  constexpr std::size_t kLittle = 32;  // instructions
  const Program& program = *report.study->program;
  const ExecutionCounts& executed = report.written->executed;
  if (!report.written->whole_grid || !report.emulation->complete) return "";
  const std::uint64_t threads =
      report.study->launch.grid.count() * report.study->launch.block.count();
  std::uint64_t accesses = 0;
  std::size_t by_all = 0;
  for (std::uint32_t i = 0; i < program.instructions().size(); ++i) {
    const StaticInstruction& instruction = program.instructions()[i];
    const bool works_for_others = instruction.bulk_move != BulkMove::kNone;
    if (works_for_others || i >= executed.lanes.size()) return "";
    if (executed.threads[i] >= threads) ++by_all;
    if (accesses_global(instruction)) accesses += executed.lanes[i];
  }
  if (accesses == 0 || accesses * 2 > threads || by_all > kLittle) return "";
  return fmt::format(
      "At least {} of the {} threads have no work: they leave without an access to global memory. "
      "A grid that is no larger than the data spares them",
      format_count(threads - accesses), format_count(threads));
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
  for (const auto remark_on : {on_missing_writes, on_idle_threads, on_local_arrays}) {
    if (std::string remark = remark_on(report); !remark.empty())
      remarks.push_back(std::move(remark));
  }
  return remarks;
}

}  // namespace tilescope
