#include "emulator/program.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <unordered_map>

#include "emulator/array_shapes.h"
#include "emulator/machine_text.h"
#include "emulator/program_implementation.h"
#include "emulator/source_phases.h"
#include "kernel/compile/device_code.h"
#include "ptx/parser.h"

namespace tilescope {
namespace {

constexpr std::size_t kMostText = std::size_t{1} << 28;

Error kernel_error(std::string message, std::string remedy = {}) {
  return Error{ErrorCode::kKernel, std::move(message), std::move(remedy), {}};
}

Result<std::uint32_t> find_entry(const PtxModule& module, std::string_view kernel) {
  std::string names;
  std::uint32_t entries = 0;
  std::uint32_t last = 0;
  for (std::uint32_t f = 0; f < module.functions.size(); ++f) {
    const PtxFunction& function = module.functions[f];
    if (!function.is_entry || !function.has_body) continue;
    if (function.name == kernel) return f;
    if (++entries <= 16) names += (names.empty() ? "" : ", ") + function.name;
    last = f;
  }
  if (entries == 0) return kernel_error("the PTX has no kernel (.entry)");
  if (kernel.empty() && entries == 1) return last;
  if (kernel.empty()) return kernel_error("the PTX has several kernels", "Choose one of: " + names);
  return kernel_error(fmt::format("the PTX has no kernel named '{}'", kernel), "It has: " + names);
}

// The lines that an instruction was inlined through, the kernel's own first.
std::vector<SourceLine> chain_of(const Program::Implementation& program, std::size_t instruction) {
  const std::vector<PtxLocation>& locations = program.module.locations;
  std::vector<SourceLine> chain;
  for (std::uint32_t at = program.decoded.locations[instruction];
       at != kNoIndex && chain.size() <= kDeepestInlining; at = locations[at].parent) {
    chain.push_back(locations[at].line);
  }
  std::reverse(chain.begin(), chain.end());
  return chain;
}

// Does it read or write memory, itself or by what runs beside the threads, or say when that is
// done?
bool touches_memory(const StaticInstruction& instruction) {
  if (instruction.bulk_move != BulkMove::kNone) return true;
  switch (instruction.operation) {
    case Operation::kAsyncStore:
    case Operation::kAsyncReduction:
    case Operation::kWarpgroupProduct:
      return true;
    default:
      break;
  }
  switch (instruction.synchronisation) {
    case Synchronisation::kStartMbarrier:
    case Synchronisation::kArriveMbarrier:
    case Synchronisation::kWaitMbarrier:
      return true;
    default:
      return instruction.access != AccessKind::kNone &&
             instruction.space != MemorySpace::kParameter &&
             instruction.space != MemorySpace::kConstant;
  }
}

// How many calls stand between the kernel and the code that a reader looks for: a kernel that hands
// all to one function of the same file, as templates often do, says nothing by its own line.
std::size_t shared_calls(const Program::Implementation& program,
                         const std::vector<std::vector<SourceLine>>& chains) {
  std::vector<const std::vector<SourceLine>*> accesses;
  for (std::size_t i = 0; i < chains.size(); ++i) {
    if (!chains[i].empty() && touches_memory(program.decoded.instructions[i])) {
      accesses.push_back(&chains[i]);
    }
  }
  const auto all = [&](auto holds) { return std::all_of(accesses.begin(), accesses.end(), holds); };
  std::size_t depth = 0;
  while (!accesses.empty() && all([&](const auto* chain) {
    return chain->size() > depth + 1 && (*chain)[depth] == (*accesses.front())[depth] &&
           (*chain)[depth + 1].file == (*chain)[depth].file;
  })) {
    ++depth;
  }
  const bool tells_nothing_apart =
      all([&](const auto* chain) { return (*chain)[depth] == (*accesses.front())[depth]; });
  return tells_nothing_apart ? 0 : depth;
}

// Where every instruction comes from, and the line of the kernel that it was inlined into. What a
// header's function does (cuda_fp16.hpp, cooperative_groups.h) is the doing of the line that calls
// it.
void place_in_source(Program::Implementation& program) {
  std::vector<std::vector<SourceLine>> chains;
  for (std::size_t i = 0; i < program.decoded.instructions.size(); ++i) {
    chains.push_back(chain_of(program, i));
  }
  const std::size_t skipped = shared_calls(program, chains);
  for (std::size_t i = 0; i < chains.size(); ++i) {
    const std::vector<SourceLine>& chain = chains[i];
    if (chain.empty()) continue;
    StaticInstruction& info = program.decoded.instructions[i];
    info.outermost = chain[std::min(skipped, chain.size() - 1)];
    info.source = *std::find_if(chain.rbegin(), chain.rend(), [&](const SourceLine& line) {
      return line.file == chain.front().file;
    });
  }
}

// Lines of value 0 ("no line") inside code take the line before, so that a row of instructions is
// not torn.
void fill_gaps(std::vector<StaticInstruction>& instructions) {
  SourceLine source;
  SourceLine outermost;
  for (StaticInstruction& info : instructions) {
    if (info.outermost.line == 0) {
      info.source = source;
      info.outermost = outermost;
    }
    source = info.source;
    outermost = info.outermost;
  }
}

void mark_phases(Program::Implementation& program, std::string_view source) {
  const std::vector<PhaseMarker> markers = find_phases(source, program.kernel);
  if (markers.empty()) return;
  std::unordered_map<std::string, std::int16_t> index;
  std::vector<std::int16_t> phase_of;
  for (const PhaseMarker& marker : markers) {
    const auto [entry, added] = index.emplace(marker.name, static_cast<std::int16_t>(index.size()));
    if (added) program.phases.push_back(marker.name);
    phase_of.push_back(entry->second);
  }
  // The source is the file of the kernel's own lines.
  std::uint16_t file = 0;
  for (const StaticInstruction& info : program.decoded.instructions) {
    if (info.outermost.line == 0) continue;
    file = info.outermost.file;
    break;
  }
  for (StaticInstruction& info : program.decoded.instructions) {
    if (info.outermost.file != file || info.outermost.line == 0) continue;
    const auto after = std::upper_bound(markers.begin(), markers.end(), info.outermost.line,
                                        [](std::uint32_t line, const PhaseMarker& marker) {
                                          return static_cast<int>(line) < marker.line;
                                        });
    if (after != markers.begin())
      info.phase = phase_of[static_cast<std::size_t>(after - markers.begin() - 1)];
  }
  hand_phases_to_callees(program.decoded);
}

}  // namespace

const PtxOperand* StaticInstruction::address() const {
  const auto found = std::ranges::find(operands, OperandKind::kAddress, &PtxOperand::kind);
  return found == operands.end() ? nullptr : &*found;
}

std::string_view name_of(InstructionClass instruction_class) {
  switch (instruction_class) {
    case InstructionClass::kMemory:
      return "memory";
    case InstructionClass::kFloat:
      return "float";
    case InstructionClass::kTensor:
      return "tensor";
    case InstructionClass::kInteger:
      return "integer";
    case InstructionClass::kConvert:
      return "convert";
    case InstructionClass::kControl:
      return "control";
    case InstructionClass::kSync:
      return "sync";
    case InstructionClass::kWarp:
      return "warp";
    case InstructionClass::kMove:
      return "move";
  }
  return "";
}

Program::Program() : implementation_(std::make_unique<Implementation>()) {}
Program::~Program() = default;
Program::Program(Program&&) noexcept = default;
Program& Program::operator=(Program&&) noexcept = default;

const std::string& Program::kernel() const { return implementation_->kernel; }
const std::string& Program::target() const { return implementation_->module.target; }
const std::vector<StaticInstruction>& Program::instructions() const {
  return implementation_->decoded.instructions;
}
const std::vector<Loop>& Program::loops() const { return implementation_->decoded.loops; }
const std::vector<std::string>& Program::files() const { return implementation_->module.files; }
const std::vector<std::string>& Program::phases() const { return implementation_->phases; }
const std::vector<KernelParameter>& Program::parameters() const {
  return implementation_->decoded.parameters;
}
std::uint32_t Program::register_count() const { return implementation_->decoded.register_count; }
std::uint32_t Program::static_shared_bytes() const {
  return implementation_->code().static_shared_bytes;
}
const Dim3& Program::cluster() const { return implementation_->code().cluster; }
bool Program::is_machine_code() const { return implementation_->listing != nullptr; }
const std::string& Program::machine_code() const { return implementation_->machine_code; }
const std::vector<std::uint32_t>& Program::unsupported() const {
  return implementation_->decoded.unsupported;
}

std::vector<InstructionSet> instruction_sets() {
  std::vector<InstructionSet> sets{{"portable", portable::find_executor}};
#if defined(TILESCOPE_HAS_avx2)
  if (runs_avx2()) sets.push_back({"avx2", avx2::find_executor});
#endif
#if defined(TILESCOPE_HAS_avx512)
  if (runs_avx512()) sets.push_back({"avx512", avx512::find_executor});
#endif
  return sets;
}

#if defined(__x86_64__)
bool runs_avx2() {
  return __builtin_cpu_supports("avx2") != 0 && __builtin_cpu_supports("fma") != 0 &&
         __builtin_cpu_supports("bmi2") != 0;
}
bool runs_avx512() {
  return runs_avx2() && __builtin_cpu_supports("avx512f") != 0 &&
         __builtin_cpu_supports("avx512bw") != 0 && __builtin_cpu_supports("avx512dq") != 0 &&
         __builtin_cpu_supports("avx512vl") != 0;
}
#else
bool runs_avx2() { return false; }
bool runs_avx512() { return false; }
#endif

bool lacks_instruction_set() { return runs_avx2() && instruction_sets().size() == 1; }

const InstructionSet& best_instruction_set() {
  static const InstructionSet best = [] {
    const std::vector<InstructionSet> sets = instruction_sets();
    const char* wanted = std::getenv("TILESCOPE_INSTRUCTION_SET");
    for (const InstructionSet& set : sets) {
      if (wanted != nullptr && set.name == wanted) return set;
    }
    return sets.back();
  }();
  return best;
}

Result<std::shared_ptr<Program>> decode_module(std::string_view ptx, std::string_view kernel,
                                               std::string_view source, const InstructionSet& set,
                                               bool is_lifted, const ProgramPlacement* placement) {
  if (ptx.size() > kMostText) return kernel_error("the PTX is too long");
  auto program = std::make_shared<Program>();
  Program::Implementation& made = program->implementation();
  made.ptx = std::string(ptx);
  Result<PtxModule> module = parse_ptx(made.ptx);
  if (!module) return module.error();
  made.module = std::move(*module);
  const Result<std::uint32_t> entry = find_entry(made.module, kernel);
  if (!entry) return entry.error();
  made.entry = *entry;
  made.kernel = made.module.functions[made.entry].name;
  Result<DecodedKernel> decoded =
      decode_kernel(made.module, made.entry, {set.find, is_lifted, placement});
  if (!decoded) return decoded.error();
  made.decoded = std::move(*decoded);
  find_array_shapes(source, made.decoded.code.shared_variables);
  place_in_source(made);
  fill_gaps(made.decoded.instructions);
  mark_phases(made, source);
  return program;
}

Result<std::shared_ptr<const Program>> decode_ptx_with(std::string_view ptx,
                                                       std::string_view kernel,
                                                       std::string_view source,
                                                       const InstructionSet& set) {
  Result<std::shared_ptr<Program>> program = decode_module(ptx, kernel, source, set);
  if (!program) return program.error();
  return std::shared_ptr<const Program>(*std::move(program));
}

Result<std::shared_ptr<const Program>> decode_ptx(std::string_view ptx, std::string_view kernel,
                                                  std::string_view source) {
  return decode_ptx_with(ptx, kernel, source, best_instruction_set());
}

Result<std::shared_ptr<const Program>> decode_placed_ptx(std::string_view ptx,
                                                         std::string_view kernel,
                                                         std::string_view source,
                                                         const ProgramPlacement& placement) {
  Result<std::shared_ptr<Program>> program =
      decode_module(ptx, kernel, source, best_instruction_set(),
                    machine_code_origin(ptx).has_value(), &placement);
  if (!program) return program.error();
  return std::shared_ptr<const Program>(*std::move(program));
}

Result<std::shared_ptr<const Program>> decode_ptx_file(std::string_view ptx,
                                                       std::string_view kernel,
                                                       std::string_view file_name) {
  const bool is_lifted = machine_code_origin(ptx).has_value();
  Result<std::shared_ptr<Program>> program =
      decode_module(ptx, kernel, "", best_instruction_set(), is_lifted);
  if (!program) {
    Error error = program.error();
    if (error.place.file.empty() && error.place.line != 0) error.place.file = file_name;
    return error;
  }
  Program::Implementation& made = (*program)->implementation();
  made.module.files = {std::string(file_name)};
  made.module.locations.clear();
  std::ranges::fill(made.decoded.locations, kNoIndex);
  const std::map<std::uint32_t, std::uint32_t> machine_lines =
      is_lifted ? machine_instructions(ptx, made.kernel) : std::map<std::uint32_t, std::uint32_t>();
  for (StaticInstruction& info : made.decoded.instructions) {
    info.source = info.outermost = {0, info.ptx_line};
    if (is_lifted) info.counts = machine_lines.contains(info.ptx_line);
  }
  return std::shared_ptr<const Program>(*std::move(program));
}

std::uint32_t own_line(const Program& program, std::uint32_t instruction) {
  if (instruction >= program.instructions().size()) return 0;
  const StaticInstruction& found = program.instructions()[instruction];
  return found.source.file == found.outermost.file ? found.source.line : found.outermost.line;
}

}  // namespace tilescope
