#include "emulator/checks/instruction_notes.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>

#include "emulator/checks/address_origin.h"

namespace tilescope {
namespace {

// "@%p1 ld.volatile.shared.u32 %r1, [%r2+4];" in its parts.
struct Parts {
  std::string_view opcode;    // "ld.volatile.shared.u32"
  std::string_view operands;  // "%r1, [%r2+4];"

  [[nodiscard]] bool is(std::string_view mnemonic) const {
    return opcode.starts_with(mnemonic) &&
           (opcode.size() == mnemonic.size() || opcode[mnemonic.size()] == '.');
  }
  [[nodiscard]] bool has(std::string_view word) const {
    for (std::size_t at = opcode.find(word); at != std::string_view::npos;
         at = opcode.find(word, at + 1)) {
      const std::size_t end = at + word.size();
      if (at > 0 && opcode[at - 1] == '.' && (end == opcode.size() || opcode[end] == '.'))
        return true;
    }
    return false;
  }
};

bool is_space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

Parts parts_of(std::string_view text) {
  const auto skip = [&] {
    while (!text.empty() && is_space(text.front())) text.remove_prefix(1);
  };
  const auto word = [&] {
    const auto end = std::find_if(text.begin(), text.end(), is_space);
    const std::string_view found = text.substr(0, static_cast<std::size_t>(end - text.begin()));
    text.remove_prefix(found.size());
    return found;
  };
  skip();
  if (text.starts_with('@')) {
    word();
    skip();
  }
  Parts parts;
  parts.opcode = word();
  if (parts.opcode.ends_with(';')) parts.opcode.remove_suffix(1);
  skip();
  parts.operands = text;
  return parts;
}

// "[%r2+4]" among the operands; empty: none.
std::string_view address_text(const Parts& parts) {
  const std::size_t open = parts.operands.find('[');
  const std::size_t close = parts.operands.find(']', open);
  if (open == std::string_view::npos || close == std::string_view::npos) return {};
  return parts.operands.substr(open, close + 1 - open);
}

// The registers that a piece of text names.
template <class F>
void for_registers(std::string_view text, F see) {
  for (std::size_t at = text.find('%'); at != std::string_view::npos; at = text.find('%', at + 1)) {
    std::size_t end = at + 1;
    while (end < text.size() && (std::isalnum(static_cast<unsigned char>(text[end])) != 0 ||
                                 text[end] == '_' || text[end] == '$')) {
      ++end;
    }
    see(text.substr(at, end - at));
  }
}

std::uint32_t element_bytes(const StaticInstruction& instruction, const Parts& parts) {
  const std::uint32_t elements = parts.has("v8")   ? 8
                                 : parts.has("v4") ? 4
                                 : parts.has("v2") ? 2
                                                   : 1;
  return instruction.bytes_per_lane / elements;
}

InstructionNote::Fence fence_of(const Parts& parts) {
  if (parts.is("membar")) {
    return parts.has("cta") ? InstructionNote::Fence::kBlock : InstructionNote::Fence::kDevice;
  }
  if (parts.is("fence") && !parts.has("proxy") && !parts.has("mbarrier_init")) {
    return parts.has("cta") ? InstructionNote::Fence::kBlock : InstructionNote::Fence::kDevice;
  }
  return InstructionNote::Fence::kNone;
}

// shfl.sync and its like hold lanes until all the named ones have come.
InstructionNote::Members members_of(const Parts& parts) {
  using Members = InstructionNote::Members;
  if (!parts.has("sync")) return Members::kNone;
  if (parts.is("shfl")) return Members::kFurther;
  if (parts.is("vote") || parts.is("redux")) return Members::kRow2;
  if (parts.is("match")) return Members::kRow3;
  return Members::kNone;
}

// Loops that neither store nor synchronise: what they load, they wait for.
std::vector<bool> waiting_loops(const Program& program) {
  const auto& loops = program.loops();
  std::vector<bool> waits(loops.size() + 1, true);
  waits[0] = false;
  for (const StaticInstruction& instruction : program.instructions()) {
    const bool acts = instruction.access == AccessKind::kStore ||
                      instruction.access == AccessKind::kStmatrix ||
                      instruction.access == AccessKind::kAsyncCopy || instruction.is_barrier;
    if (!acts) continue;
    for (std::uint16_t loop = instruction.loop; loop != 0; loop = loops[loop - 1u].parent) {
      waits[loop] = false;
    }
  }
  return waits;
}

void note_memory(const StaticInstruction& instruction, const Parts& parts,
                 const std::vector<bool>& waits, InstructionNote& note) {
  const bool atomic = instruction.access == AccessKind::kAtomic;
  const bool acquires = parts.has("acquire");
  note.publishes = parts.has("release") || parts.has("acq_rel");
  note.strong = atomic || acquires || note.publishes || parts.has("volatile") ||
                parts.has("relaxed") || parts.has("mmio");
  note.polls = instruction.access == AccessKind::kLoad && note.strong && waits[instruction.loop];
  note.exchanges = atomic && parts.has("exch");
}

// A register's value as another register and a distance, where it is set once, by a move or by
// adding a constant.
class Addresses {
 public:
  explicit Addresses(const Program& program) {
    for (const StaticInstruction& instruction : program.instructions()) {
      const Parts parts = parts_of(instruction.text);
      std::vector<std::string_view> words = split(parts.operands);
      if (words.empty() || !words[0].starts_with('%')) continue;
      Origin origin;
      const bool adds = parts.is("add") && words.size() == 3 && is_number(words[2]);
      const bool moves = (parts.is("mov") || parts.is("cvta")) && words.size() == 2;
      if (adds || moves) {
        origin.base = words[1];
        origin.distance = adds ? number(words[2]) : 0;
      }
      const auto [entry, added] = origins_.emplace(words[0], origin);
      if (!added) entry->second = {};  // set twice: stands for itself
    }
  }

  // "[%rd4+8]" as a base and a distance; an empty base: no address.
  [[nodiscard]] std::pair<std::string_view, std::int64_t> resolve(std::string_view address) const {
    if (address.size() < 3) return {};
    address = address.substr(1, address.size() - 2);
    std::int64_t distance = 0;
    const std::size_t sign = address.find_first_of("+-", 1);
    if (sign != std::string_view::npos) {
      distance = number(address.substr(sign + (address[sign] == '+' ? 1 : 0)));
      address = address.substr(0, sign);
    }
    for (int steps = 0; steps < 16; ++steps) {
      const auto found = origins_.find(address);
      if (found == origins_.end() || found->second.base.empty()) break;
      address = found->second.base;
      distance += found->second.distance;
    }
    return {address, distance};
  }

 private:
  struct Origin {
    std::string_view base;
    std::int64_t distance = 0;
  };
  static std::vector<std::string_view> split(std::string_view operands) {
    std::vector<std::string_view> words;
    while (!operands.empty()) {
      const std::size_t end = operands.find_first_of(",;");
      std::string_view word = operands.substr(0, end);
      while (!word.empty() && is_space(word.front())) word.remove_prefix(1);
      while (!word.empty() && is_space(word.back())) word.remove_suffix(1);
      if (!word.empty()) words.push_back(word);
      if (end == std::string_view::npos) break;
      operands.remove_prefix(end + 1);
    }
    return words;
  }
  static bool is_number(std::string_view word) {
    return !word.empty() && (word[0] == '-' || (word[0] >= '0' && word[0] <= '9'));
  }
  static std::int64_t number(std::string_view word) {
    std::int64_t value = 0;
    std::from_chars(word.data(), word.data() + word.size(), value);
    return value;
  }

  std::unordered_map<std::string_view, Origin> origins_;
};

// A load whose address an atomic names again further on (the start of a compare-and-swap loop, or
// a look whether it is worth it) may be outdated without harm.
void find_rechecked(const Program& program, InstructionNotes& notes) {
  const auto& instructions = program.instructions();
  std::map<std::pair<std::string_view, std::int64_t>, std::uint32_t> first_atomic;
  const Addresses addresses(program);
  for (std::uint32_t i = 0; i < instructions.size(); ++i) {
    if (instructions[i].access != AccessKind::kAtomic) continue;
    first_atomic.emplace(addresses.resolve(address_text(parts_of(instructions[i].text))), i);
  }
  if (first_atomic.empty()) return;
  for (std::uint32_t i = 0; i < instructions.size(); ++i) {
    if (instructions[i].access != AccessKind::kLoad) continue;
    const auto found =
        first_atomic.find(addresses.resolve(address_text(parts_of(instructions[i].text))));
    notes.of[i].rechecked = found != first_atomic.end() && i < found->second;
  }
}

// Loads whose registers only ever appear as the data of stores. Copies of structures are compiled
// to these, with the gaps between members.
void find_copies(const Program& program, InstructionNotes& notes) {
  std::unordered_map<std::string_view, bool> stored;  // register -> used as data of stores alone
  std::vector<std::string_view> loaded;
  for (const StaticInstruction& instruction : program.instructions()) {
    const Parts parts = parts_of(instruction.text);
    const bool is_store = instruction.access == AccessKind::kStore;
    const std::size_t data = is_store ? parts.operands.find(']') : 0;
    const std::size_t result =
        instruction.access == AccessKind::kLoad ? parts.operands.find('[') : std::string_view::npos;
    std::size_t begin = 0;
    for_registers(parts.operands, [&](std::string_view name) {
      begin = static_cast<std::size_t>(name.data() - parts.operands.data());
      if (result != std::string_view::npos && begin < result) return;  // loaded here
      const bool good = is_store && begin > data;
      const auto [entry, added] = stored.emplace(name, good);
      if (!added) entry->second = entry->second && good;
    });
  }
  for (std::uint32_t i = 0; i < program.instructions().size(); ++i) {
    if (program.instructions()[i].access != AccessKind::kLoad) continue;
    const Parts parts = parts_of(program.instructions()[i].text);
    bool only = true;
    for_registers(parts.operands.substr(0, parts.operands.find('[')), [&](std::string_view name) {
      const auto found = stored.find(name);
      only = only && found != stored.end() && found->second;
    });
    const bool is_float = parts.opcode.ends_with(".f32") || parts.opcode.ends_with(".f64");
    notes.of[i].only_stored = only && !is_float;
  }
}

}  // namespace

InstructionNotes note_instructions(const Program& program) {
  InstructionNotes notes;
  const std::vector<bool> waits = waiting_loops(program);
  const std::vector<std::uint64_t> arrays = shared_arrays_of(program);
  notes.of.resize(program.instructions().size());
  for (std::uint32_t i = 0; i < notes.of.size(); ++i) {
    const StaticInstruction& instruction = program.instructions()[i];
    const Parts parts = parts_of(instruction.text);
    InstructionNote& note = notes.of[i];
    note.line = instruction.source.line;
    note.arrays = arrays[i];
    note.fence = fence_of(parts);
    note.members = members_of(parts);
    note.waits_for_copies = parts.is("cp") && (parts.has("wait_group") || parts.has("wait_all"));
    note.tests = parts.is("mbarrier") && (parts.has("test_wait") || parts.has("try_wait"));
    note.arrives = !note.tests &&
                   (parts.is("mbarrier") || parts.opcode.starts_with("cp.async.mbarrier.arrive"));
    note.whole_warp = parts.is("wmma");
    note.plain_store = parts.is("st") && element_bytes(instruction, parts) <= 8;
    note.copies = instruction.access == AccessKind::kAsyncCopy;
    const bool memory = instruction.access != AccessKind::kNone;
    if (memory) note_memory(instruction, parts, waits, note);
    note.watched = memory || note.fence != InstructionNote::Fence::kNone ||
                   note.members != InstructionNote::Members::kNone || note.waits_for_copies ||
                   note.arrives || note.tests || note.whole_warp;
    notes.device_fences |= note.fence == InstructionNote::Fence::kDevice || note.publishes;
    if (!memory) continue;
    const std::uint32_t bytes = std::max(1u, element_bytes(instruction, parts));
    const bool global =
        instruction.space != MemorySpace::kShared && instruction.space != MemorySpace::kLocal;
    if (instruction.space == MemorySpace::kShared || instruction.space == MemorySpace::kGeneric)
      notes.shared_cell_bytes = std::min(notes.shared_cell_bytes, bytes);
    if (instruction.space == MemorySpace::kGlobal || instruction.space == MemorySpace::kGeneric)
      notes.global_cell_bytes = std::min(notes.global_cell_bytes, bytes);
    notes.takes_tickets |= global && parts.is("atom");
    notes.polls_global |= global && (note.polls || (parts.is("atom") && waits[instruction.loop]));
  }
  find_rechecked(program, notes);
  find_copies(program, notes);
  return notes;
}

}  // namespace tilescope
