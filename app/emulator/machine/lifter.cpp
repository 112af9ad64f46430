#include "emulator/machine/lifter.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "ptx/place.h"

namespace tilescope::machine {
namespace {

constexpr std::size_t kMostInstructions = 400000;

// Writes the whole module: declarations, then the code. A called function is written once for each
// call, so that each copy returns to one place. Where functions are called through registers, or
// call themselves, each is written once and its return goes where the register says.
class KernelLifter {
 public:
  KernelLifter(const Listing& listing, std::string_view kernel, std::string_view target,
               const std::vector<KernelParameter>& parameters)
      : listing_(listing),
        kernel_(kernel),
        target_(target),
        parameters_(parameters),
        writer_(listing, parameters),
        graph_(call_graph_of(listing)),
        jumps_through_registers_(graph_.through_registers || graph_.recursive) {
    for (const auto& [name, at] : listing.labels) labels_at_[at].push_back(name);
  }

  Result<LiftedKernel> lift() {
    if (jumps_through_registers_) {
      for (const auto& [begin, end] : graph_.functions) {
        if (begin < end) places_.insert(begin);
      }
      places_.insert(graph_.returns.begin(), graph_.returns.end());
      for (const auto& [begin, end] : graph_.functions) write_function(begin, "", std::nullopt);
    } else {
      write_function(0, "", std::nullopt);
    }
    if (!error_.empty()) return Error{ErrorCode::kKernel, error_, "", {}};
    LiftedKernel lifted;
    const std::string head =
        module_head({listing_, kernel_, target_, parameters_, files_, writer_});
    const auto head_lines = static_cast<std::size_t>(std::count(head.begin(), head.end(), '\n'));
    lifted.instruction_of_line.assign(head_lines + 1, LiftedKernel::kNoInstruction);
    lifted.instruction_of_line.insert(lifted.instruction_of_line.end(), stands_for_.begin(),
                                      stands_for_.end());
    lifted.ptx = head + body_ + "}\n";
    return lifted;
  }

 private:
  struct Return {
    std::uint32_t to = 0;  // instruction
    std::string suffix;    // of the caller's labels
  };

  void line(const std::string& text, std::uint32_t stands_for = LiftedKernel::kNoInstruction) {
    body_ += text + "\n";
    stands_for_.push_back(stands_for);
  }

  void write_function(std::uint32_t begin, const std::string& suffix,
                      const std::optional<Return>& back) {
    const std::uint32_t end = graph_.functions.at(begin);
    for (std::uint32_t i = begin; i < end && error_.empty(); ++i) {
      if (stands_for_.size() > kMostInstructions) {
        error_ = "the machine code is too long to be emulated";
        return;
      }
      if (const auto names = labels_at_.find(i); names != labels_at_.end()) {
        for (const std::string_view name : names->second) line(label(name, suffix) + ":");
      }
      if (places_.contains(i)) line(place_label(i) + ":");
      write_place(listing_.instructions[i]);
      write_instruction(i, suffix, back);
    }
    line("trap;");
  }

  void write_place(const Instruction& instruction) {
    if (instruction.place == place_ || instruction.place == 0) return;
    place_ = instruction.place;
    // Outermost first, so that each can say what it was inlined into.
    const std::vector<Place>& chain = listing_.places[place_];
    for (std::size_t i = chain.size(); i-- > 0;) {
      const Place& at = chain[i];
      std::string text = fmt::format(".loc {} {} 0", file_number(at.file), at.line);
      if (i + 1 < chain.size()) {
        text += fmt::format(", function_name $F, inlined_at {} {} 0",
                            file_number(chain[i + 1].file), chain[i + 1].line);
      }
      line(text);
    }
  }

  std::size_t file_number(std::string_view file) {
    const auto found = std::find(files_.begin(), files_.end(), file);
    if (found != files_.end()) return static_cast<std::size_t>(found - files_.begin()) + 1;
    files_.push_back(file);
    return files_.size();
  }

  [[nodiscard]] std::string label(std::string_view name, const std::string& suffix) const {
    std::string text = "L";
    for (const char c : name) {
      text += std::isalnum(static_cast<unsigned char>(c)) != 0 ? c : '_';
    }
    return text + suffix;
  }
  [[nodiscard]] static std::string return_label(std::uint32_t at, const std::string& suffix) {
    return fmt::format("R{}{}", at, suffix);
  }
  [[nodiscard]] static std::string place_label(std::uint32_t at) { return fmt::format("A{}", at); }

  void write_instruction(std::uint32_t at, const std::string& suffix,
                         const std::optional<Return>& back) {
    const Instruction& instruction = listing_.instructions[at];
    writer_.begin(instruction);
    if (is_call_through_register(instruction)) return write_jump(at);
    if (is_call(instruction)) return write_call(at, suffix);
    if (instruction.mnemonic == "RET" && jumps_through_registers_) return write_jump(at);
    const bool computes = lift_video(writer_) || lift_integer(writer_) || lift_logic(writer_) ||
                          lift_float(writer_) || lift_half(writer_) || lift_conversion(writer_);
    const bool known = computes ? !writer_.left_a_modifier()
                                : write_control(at, suffix, back) || lift_memory(writer_) ||
                                      lift_atomic(writer_) || lift_warp(writer_) ||
                                      lift_matrix(writer_) || lift_warpgroup(writer_) ||
                                      lift_async(writer_) || lift_convergence(writer_) ||
                                      lift_movement(writer_);
    if (!known) {
      writer_.begin(instruction);
      writer_.refuse();
    }
    flush(at);
  }

  void flush(std::uint32_t at) {
    const std::vector<std::string>& lines = writer_.lines();
    const std::size_t main = std::min(writer_.main_line(), lines.size() - 1);
    for (std::size_t i = 0; i < lines.size(); ++i) {
      line(lines[i], i == main ? at : LiftedKernel::kNoInstruction);
    }
  }

  // Branches and ends.
  bool write_control(std::uint32_t at, const std::string& suffix,
                     const std::optional<Return>& back) {
    const Instruction& instruction = listing_.instructions[at];
    const std::string_view name = instruction.mnemonic;
    if (name == "EXIT") {  // @P0 EXIT P1: for lanes where both hold
      if (writer_.operand_count() > 1) return false;
      if (writer_.operand_count() == 1) writer_.narrow_to(writer_.truth(writer_.operand(0)));
      writer_.emit_main("exit;");
      return true;
    }
    if (name == "BPT" || name == "KILL") {
      writer_.emit_main("trap;");
      return true;
    }
    if (name == "RET" && back) {
      writer_.emit_main("bra {};", return_label(back->to, back->suffix));
      return true;
    }
    if (name == "CALL" && instruction.has("ABS")) return write_call_through_register();
    if (name == "BRX" || name == "BRXU" || name == "JMX" || name == "JMXU")
      return write_indexed_branch(suffix);
    if (name != "BRA" && name != "JMP" && name != "CALL") return false;
    if (instruction.operands.empty() || instruction.operands.back().kind != OperandKind::kLabel) {
      return false;
    }
    const std::string target = label(instruction.operands.back().text, suffix);
    const Operand& first = instruction.operands.front();
    if (instruction.has("DIV")) return write_branch_of_divided(first, target);
    if (is_predicate(first)) {
      writer_.narrow_to(writer_.truth(first));  // @P0 BRA P1, L: taken where both hold
    }
    if (instruction.has("ANY")) return write_common_branch(target);
    writer_.emit_main("bra {};", target);
    return true;
  }

  // CALL.ABS R2: of a function of the runtime. What printf prints is not shown, a failed assert
  // ends the lanes; a function of anybody else's is not known here.
  bool write_call_through_register() {
    const Instruction& instruction = writer_.instruction();
    if (instruction.operands.size() != 1 ||
        instruction.operands.front().kind != OperandKind::kRegister) {
      return false;
    }
    const std::string which = writer_.raw(instruction.operands.front());
    const std::string fails = writer_.predicate();
    const std::string unknown = writer_.predicate();
    writer_.emit("setp.eq.u32 {}, {}, {};", fails, which, kAssertFunction);
    writer_.emit("setp.gt.u32 {}, {}, {};", unknown, which, kAssertFunction);
    writer_.emit_main("pmevent 0;");
    writer_.append_for_all(fmt::format("@{} trap;", fails));
    writer_.append_for_all(fmt::format("@{} call_through_pointer;", unknown));
    return true;
  }

  // @P0 BRA.DIV mask, L: all go, where lanes of the mask are not here or have a false guard.
  bool write_branch_of_divided(const Operand& mask, const std::string& target) {
    const std::string apart = writer_.predicate();
    const std::string lanes = writer_.word();
    const std::string here = writer_.word();
    writer_.append_for_all(
        fmt::format("{} {}, {};", mask.inverted ? "not.b32" : "mov.b32", lanes, writer_.raw(mask)));
    writer_.append_for_all(fmt::format("activemask.b32 {};", here));
    writer_.append_for_all(
        fmt::format("vote.sync.ballot.b32 {}, {}, {};", here, writer_.guard_truth(), here));
    writer_.append_for_all(fmt::format("$bapart {}, {}, {};", apart, lanes, here));
    writer_.append_for_all(fmt::format("@{} bra {};", apart, target));
    return true;
  }

  // @P0 BRA.U.ANY L: all go, where one of them has reason to.
  bool write_common_branch(const std::string& target) {
    const std::string mask = writer_.word();
    const std::string any = writer_.predicate();
    writer_.append_for_all(fmt::format("activemask.b32 {};", mask));
    writer_.append_for_all(
        fmt::format("vote.sync.any.pred {}, {}, {};", any, writer_.guard_truth(), mask));
    writer_.append_for_all(fmt::format("@{} bra {};", any, target));
    return true;
  }

  // BRX R4 -0x830, BRXU UR4 -0x830 (*"BRANCH_TARGETS .L_x_1,.L_x_2"*): the register's 64 bits and
  // the displacement, from the next instruction on.
  bool write_indexed_branch(const std::string& suffix) {
    const Instruction& instruction = writer_.instruction();
    if (instruction.branch_targets.empty() || instruction.operands.size() < 2) return false;
    const std::string target = writer_.word();
    const std::int64_t displacement = instruction.operands[1].value + instruction.address + 16;
    writer_.emit("add.u32 {}, {}, {};", target, writer_.raw(instruction.operands[0]),
                 static_cast<std::uint32_t>(displacement));
    std::vector<std::string> branches;
    for (const std::string_view one : instruction.branch_targets) {
      const auto found = listing_.labels.find(one);
      if (found == listing_.labels.end()) return false;
      const std::string hit = writer_.predicate();
      writer_.emit("setp.eq.u32 {}, {}, {};", hit, target,
                   listing_.instructions[found->second].address);
      branches.push_back(fmt::format("@{} bra {};", hit, label(one, suffix)));
    }
    // Executed once for the lanes of each target (measured on an H200: docs/accuracy.md).
    if (!instruction.guarded) writer_.emit_main("$warpturns {};", target);
    for (const std::string& branch : branches) writer_.append(branch);
    return true;
  }

  // The callee's copy follows; it comes back to the next instruction.
  void write_call(std::uint32_t at, const std::string& suffix) {
    const Instruction& instruction = listing_.instructions[at];
    const auto callee = callee_of(instruction, listing_);
    if (!callee) {
      writer_.refuse();
      return flush(at);
    }
    if (jumps_through_registers_) {
      writer_.emit_main("bra {};", place_label(*callee));
      return flush(at);
    }
    const std::string copy = fmt::format("{}_{}", suffix, ++calls_);
    writer_.emit_main("bra C{};", copy);
    flush(at);
    if (instruction.guarded) {
      line(fmt::format("bra {};", return_label(at + 1, suffix)));
    }
    line(fmt::format("C{}:", copy));
    write_function(*callee, copy, Return{at + 1, suffix});
    place_ = 0;
    line(return_label(at + 1, suffix) + ":");
  }

  // To the place whose address, from the kernel's start on, the first operand holds. Executed once
  // for the lanes of each place (measured on an H200: docs/accuracy.md).
  void write_jump(std::uint32_t at) {
    const Instruction& instruction = listing_.instructions[at];
    if (instruction.operands.empty() ||
        instruction.operands.front().kind != OperandKind::kRegister) {
      writer_.refuse();
      return flush(at);
    }
    const std::string address = writer_.raw(instruction.operands.front());
    const std::string hit = writer_.predicate();
    const std::string turns = fmt::format("$warpturns {};", address);
    if (instruction.guarded) {
      writer_.emit_main("bra J{};", at);
      flush(at);
      line(fmt::format("bra K{};", at));
      line(fmt::format("J{}:", at));
      line(turns);
    } else {
      writer_.emit_main("{}", turns);
      flush(at);
    }
    for (const std::uint32_t place : places_) {
      const std::uint32_t held = listing_.instructions[place].address;
      line(fmt::format("setp.eq.u32 {}, {}, {};", hit, address, held));
      line(fmt::format("@{} bra {};", hit, place_label(place)));
    }
    line("call_through_pointer;");
    if (instruction.guarded) line(fmt::format("K{}:", at));
  }

  const Listing& listing_;
  std::string_view kernel_;
  std::string_view target_;
  const std::vector<KernelParameter>& parameters_;
  InstructionWriter writer_;
  std::map<std::uint32_t, std::vector<std::string_view>> labels_at_;
  CallGraph graph_;
  bool jumps_through_registers_ = false;
  std::set<std::uint32_t> places_;  // then: where calls and returns can lead
  std::vector<std::string_view> files_;
  std::string body_;
  std::vector<std::uint32_t> stands_for_;
  std::uint32_t place_ = 0;
  int calls_ = 0;
  std::string error_;
};

}  // namespace

Result<LiftedKernel> lift(const Listing& listing, std::string_view kernel, std::string_view target,
                          const std::vector<KernelParameter>& parameters) {
  return KernelLifter(listing, kernel, target, parameters).lift();
}

namespace {

bool comes_to_itself(std::uint32_t function, const CallGraph& graph, const Listing& listing) {
  std::set<std::uint32_t> seen;
  std::vector<std::uint32_t> open{function};
  while (!open.empty()) {
    const std::uint32_t caller = open.back();
    open.pop_back();
    for (std::uint32_t at = caller; at < graph.functions.at(caller); ++at) {
      const auto callee = callee_of(listing.instructions[at], listing);
      if (!callee) continue;
      if (*callee == function) return true;
      if (seen.insert(*callee).second) open.push_back(*callee);
    }
  }
  return false;
}

}  // namespace

bool is_call(const Instruction& instruction) {
  return instruction.mnemonic == "CALL" && !instruction.operands.empty() &&
         instruction.operands.back().kind == OperandKind::kLabel &&
         !instruction.operands.back().text.starts_with(".L");
}

// CALL.REL.NOINC R10 `(kernel)
bool is_call_through_register(const Instruction& instruction) {
  return is_call(instruction) && instruction.operands.size() > 1 &&
         instruction.operands.front().kind == OperandKind::kRegister;
}

std::optional<std::uint32_t> callee_of(const Instruction& instruction, const Listing& listing) {
  if (!is_call(instruction) || is_call_through_register(instruction)) return std::nullopt;
  const auto found = listing.labels.find(instruction.operands.back().text);
  if (found == listing.labels.end()) return std::nullopt;
  return found->second;
}

CallGraph call_graph_of(const Listing& listing) {
  CallGraph graph;
  const auto end = static_cast<std::uint32_t>(listing.instructions.size());
  std::set<std::uint32_t> starts{0};
  for (const auto& [name, at] : listing.labels) {
    if (name.starts_with('$')) starts.insert(at);
  }
  for (std::uint32_t at = 0; at < end; ++at) {
    const Instruction& instruction = listing.instructions[at];
    if (const auto callee = callee_of(instruction, listing)) starts.insert(*callee);
    if (is_call(instruction) && at + 1 < end) graph.returns.insert(at + 1);
    graph.through_registers |= is_call_through_register(instruction);
  }
  for (auto start = starts.begin(); start != starts.end(); ++start) {
    const auto next = std::next(start);
    graph.functions[*start] = next != starts.end() ? *next : end;
  }
  graph.recursive = std::any_of(starts.begin(), starts.end(), [&](std::uint32_t at) {
    return comes_to_itself(at, graph, listing);
  });
  return graph;
}

namespace {

std::string initialiser(const std::vector<std::byte>& image) {
  if (image.empty()) return "";
  std::string text = " = {";
  for (std::size_t i = 0; i < image.size(); ++i) {
    text.append(i == 0 ? "" : ", ").append(std::to_string(std::to_integer<int>(image[i])));
  }
  return text + "}";
}

// The same with addresses of variables, byte by byte ("0xff00(tens)").
std::string initialiser(const Listing& listing, const GlobalData& global) {
  if (global.addresses.empty()) return initialiser(global.image);
  std::string text = " = {";
  for (std::size_t i = 0; i < global.image.size(); ++i) {
    text += i == 0 ? "" : ", ";
    const auto last = global.addresses.upper_bound(i);
    const auto address = last == global.addresses.begin() ? last : std::prev(last);
    const bool is_address = last != global.addresses.begin() && i - address->first < 8 &&
                            std::ranges::find(listing.globals, address->second,
                                              &GlobalData::name) != listing.globals.end();
    text += is_address
                ? fmt::format("{:#x}({})", 0xffull << 8 * (i - address->first), address->second)
                : std::to_string(std::to_integer<int>(global.image[i]));
  }
  return text + "}";
}

std::string memory_of(const Listing& listing) {
  std::string text;
  for (const bool has_addresses : {false, true}) {  // PTX names what was declared before
    for (const GlobalData& global : listing.globals) {
      if (global.addresses.empty() == has_addresses) continue;
      text += fmt::format(".visible .global .align 16 .b8 {}[{}]{};\n", global.name, global.bytes,
                          initialiser(listing, global));
    }
  }
  for (const auto& [bank, image] : listing.banks) {
    // The machine reads whole words, those that an odd size cuts too.
    text += fmt::format(".visible .const .align 16 .b8 bank{}[{}]{};\n", bank,
                        image.size() / 16 * 16 + 16, initialiser(image));
  }
  if (!listing.symbols.empty()) {
    text += fmt::format(".visible .const .align 16 .u64 bank4[{}] = {{", listing.symbols.size());
    for (std::size_t i = 0; i < listing.symbols.size(); ++i) {
      text.append(i == 0 ? "" : ", ").append(symbol_at(listing, i));
    }
    text += "};\n";
  }
  return text + ".extern .shared .align 16 .b8 dynamic_shared[];\n";
}

std::string entry_of(const LiftedModule& module) {
  std::string text = fmt::format(".visible .entry {}(", module.kernel);
  for (std::size_t i = 0; i < module.parameters.size(); ++i) {
    const KernelParameter& parameter = module.parameters[i];
    text += fmt::format("{}.param .align {} .b8 {}[{}]", i == 0 ? "" : ", ",
                        std::max(parameter.alignment, 1u), parameter.name, parameter.bytes);
  }
  text += ")\n";
  if (module.listing.explicit_cluster) text += ".explicitcluster\n";
  const Dim3& cluster = module.listing.cluster;
  if (module.listing.has_clusters())
    text += fmt::format(".reqnctapercluster {}, {}, {}\n", cluster.x, cluster.y, cluster.z);
  return text + "{\n";
}

std::string registers_of(const InstructionWriter& writer) {
  std::string text =
      ".reg .b32 %R<256>;\n.reg .b32 %UR<256>;\n.reg .pred %P<8>;\n.reg .pred %UP<8>;\n";
  text += fmt::format(
      ".reg .b32 %w<{}>;\n.reg .b64 %d<{}>;\n.reg .b16 %h<{}>;\n.reg .pred %q<{}>;\n",
      writer.words() + 1, writer.wides() + 1, writer.halves() + 1, writer.predicates() + 1);
  return text + ".reg .pred %true, %barrier_result;\n.reg .b32 %barrier_count, %frame;\n";
}

// The thread's and the block's memory; naming it keeps it where the machine has it.
std::string frame_of(const Listing& listing) {
  std::string text;
  if (listing.shared_bytes > 0) {
    text += fmt::format(".shared .align 128 .b8 static_shared[{}];\n", listing.shared_bytes);
  }
  if (listing.local_bytes > 0) {
    text += fmt::format(".local .align 16 .b8 stack[{}];\n", listing.local_bytes);
    text += "mov.b32 %frame, stack;\n";
  }
  if (listing.shared_bytes > 0) text += "mov.b32 %frame, static_shared;\n";
  return text + "mov.b32 %frame, dynamic_shared;\nsetp.eq.u32 %true, 0, 0;\n";
}

}  // namespace

std::string module_head(const LiftedModule& module) {
  std::string text = fmt::format(".version 9.0\n.target {}\n.address_size 64\n", module.target);
  for (std::size_t i = 0; i < module.files.size(); ++i) {
    text += fmt::format(".file {} \"{}\"\n", i + 1, escaped_name(module.files[i]));
  }
  return text + memory_of(module.listing) + entry_of(module) + registers_of(module.writer) +
         frame_of(module.listing);
}

}  // namespace tilescope::machine
