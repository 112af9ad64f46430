#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "emulator/machine/lifter.h"

namespace tilescope::machine {

// The instructions of mbarriers, of bulk copies and of tensor copies. The machine keeps an mbarrier
// in a form of its own, which code builds and reads: the high word of a state has the phase in its
// highest bit and 2^20 less the pending arrivals from bit 11 on; the low word of a new object is
// 2^21 less twice its arrivals. The emulator's form differs (emulator/execution/barriers.h), so
// these are translated.
namespace {

// SYNCS.EXCH.64 d, [mbarrier], object: makes it.
bool lift_initialisation(InstructionWriter& writer) {
  if (writer.operand_count() != 3) return false;
  const std::string count = writer.word();
  writer.emit("shr.u32 {}, {}, 1;", count, writer.raw(writer.operand(2)));
  writer.emit("sub.u32 {}, 0x100000, {};", count, count);
  writer.emit_main("mbarrier.init.shared.b64 [{}], {};", address_of(writer, writer.operand(1)),
                   count);
  return true;
}

// d, d+1 from the emulator's state before the arrival.
void set_state(InstructionWriter& writer, const std::string& state) {
  const std::string pending = writer.word();
  const std::string phase = writer.word();
  const std::string wide = writer.wide();
  writer.emit("mbarrier.pending_count.b64 {}, {};", pending, state);
  writer.emit("sub.u32 {}, 0x100000, {};", pending, pending);
  writer.emit("bfi.b32 {}, {}, 0, 11, 20;", pending, pending);
  writer.emit("shr.u64 {}, {}, 61;", wide, state);
  writer.emit("cvt.u32.u64 {}, {};", phase, wide);
  writer.emit("bfi.b32 {}, {}, {}, 31, 1;", writer.to(writer.operand(0), 1), phase, pending);
  writer.emit("mov.b32 {}, 0;", writer.to(writer.operand(0)));
}

// SYNCS.ARRIVE.TRANS64[.RED][.OPTOUT].AxTy d, [mbarrier], r: A: arrivals (1, or R: the register),
// T: bytes to expect (R) or that have come (X); neither: one arrival that expects r bytes.
bool lift_arrival(InstructionWriter& writer) {
  if (writer.operand_count() != 3 || writer.take("TMASK")) return false;
  const std::string at = address_of(writer, writer.operand(1));
  const std::string operand = writer.raw(writer.operand(2));
  if (writer.take("A0T1")) {  // what a cp.async will bring: ARRIVES counts it in
    writer.emit_main("pmevent 0;");
    return true;
  }
  if (writer.take("A0TR") || writer.take("A0TX")) {
    writer.emit_main("mbarrier.{}_tx.shared.b64 [{}], {};",
                     writer.take("A0TR") ? "expect" : "complete", at, operand);
    return true;
  }
  const std::string name = writer.take("OPTOUT") ? "arrive_drop" : "arrive";
  const std::string state = writer.wide();
  if (writer.take("A1T0")) {
    writer.emit_main("mbarrier.{}.shared.b64 {}, [{}];", name, state, at);
  } else if (writer.take("ART0")) {
    writer.emit_main("mbarrier.{}.shared.b64 {}, [{}], {};", name, state, at, operand);
  } else {
    writer.emit_main("mbarrier.{}.expect_tx.shared.b64 {}, [{}], {};", name, state, at, operand);
  }
  if (!writer.take("RED")) set_state(writer, state);
  return true;
}

// SYNCS.PHASECHK.TRANS64[.TRYWAIT] P, [mbarrier], r: whether the phase of r's highest bit is over.
bool lift_test(InstructionWriter& writer) {
  if (writer.operand_count() != 3) return false;
  const std::string parity = writer.word();
  writer.emit("shr.u32 {}, {}, 31;", parity, writer.raw(writer.operand(2)));
  const std::string over = writer.predicate();
  writer.emit_main("mbarrier.{}_wait.parity.shared.b64 {}, [{}], {};",
                   writer.take("TRYWAIT") ? "try" : "test", over,
                   address_of(writer, writer.operand(1)), parity);
  writer.set_predicate(writer.operand(0), over);
  return true;
}

// Statements after this are executed by one lane of the warp.
void narrow_to_one_lane(InstructionWriter& writer) {
  const std::string leader = writer.predicate();
  const std::string mask = writer.word();
  writer.emit("activemask.b32 {};", mask);
  writer.emit("elect.sync {}|{}, {};", writer.word(), leader, mask);
  writer.narrow_to(leader);
}

// The 64 bits of two uniform registers.
std::string uniform_pair(InstructionWriter& writer, std::uint32_t first) {
  std::string pair = writer.wide();
  writer.emit("mov.b64 {}, {{%UR{}, %UR{}}};", pair, first, first + 1);
  return pair;
}

// Which blocks of the cluster get it: the upper half of a word.
std::string blocks_of(InstructionWriter& writer, const std::string& word) {
  const std::string upper = writer.word();
  std::string blocks = writer.half();
  writer.emit("shr.u32 {}, {}, 16;", upper, word);
  writer.emit("cvt.u16.u32 {}, {};", blocks, upper);
  return blocks;
}

// The size of a bulk copy, which the lower half of a word has in units of 16 bytes.
std::string bytes_of(InstructionWriter& writer, const Operand& operand) {
  std::string bytes = writer.word();
  writer.emit("and.b32 {}, {}, 0xffff;", bytes, writer.raw(operand));
  writer.emit("shl.b32 {}, {}, 4;", bytes, bytes);
  return bytes;
}

// UBLKCP.S.G [target, mbarrier], [source], size into shared memory, UBLKCP.S.S from the block's own
// into a cluster's, UBLKCP.G.S [target], [source], size out of it. MULTICAST: the size says which
// blocks of the cluster get it.
bool lift_bulk_copy(InstructionWriter& writer) {
  const bool to_all = writer.take("MULTICAST");
  if (writer.operand_count() != 3 || writer.take_modifiers().size() != (to_all ? 3u : 2u))
    return false;
  const bool into_shared = writer.take_modifiers()[0] == "S";
  const bool from_shared = writer.take_modifiers()[1] == "S";
  const bool known = (into_shared || writer.take_modifiers()[0] == "G") &&
                     (from_shared || writer.take_modifiers()[1] == "G");
  if (!known || (!into_shared && !from_shared) || (to_all && from_shared)) return false;
  narrow_to_one_lane(writer);
  const std::uint32_t target = writer.operand(0).uniform;
  const std::uint32_t source = writer.operand(1).uniform;
  const std::string bytes = bytes_of(writer, writer.operand(2));
  if (into_shared && from_shared) {
    writer.emit_main(
        "cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [%UR{}], [%UR{}], "
        "{}, [%UR{}];",
        target, source, bytes, target + 1);
  } else if (into_shared) {
    const std::string blocks =
        to_all ? ", " + blocks_of(writer, writer.raw(writer.operand(2))) : "";
    writer.emit_main(
        "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes{} [%UR{}], [{}], {}, "
        "[%UR{}]{};",
        to_all ? ".multicast::cluster" : "", target, uniform_pair(writer, source), bytes,
        target + 1, blocks);
  } else {
    writer.emit_main("cp.async.bulk.global.shared::cta.bulk_group [{}], [%UR{}], {};",
                     uniform_pair(writer, target), source, bytes);
  }
  return true;
}

// A modifier and PTX's word for it.
using Word = std::pair<std::string_view, std::string_view>;

// PTX's word for the first of these modifiers that the instruction has; empty: none.
std::string_view ptx_of(InstructionWriter& writer, std::span<const Word> words) {
  const auto found =
      std::ranges::find_if(words, [&](const Word& word) { return writer.take(word.first); });
  return found == words.end() ? std::string_view() : found->second;
}

constexpr Word kReductions[] = {{"ADD", "add"}, {"MIN", "min"}, {"MAX", "max"}, {"INC", "inc"},
                                {"DEC", "dec"}, {"AND", "and"}, {"OR", "or"},   {"XOR", "xor"}};

// UBLKRED.G.S.OP.TYPE [target], [source], size; UBLKRED.S.S.OP [target, mbarrier] ...
bool lift_bulk_reduction(InstructionWriter& writer) {
  constexpr Word kTypes[] = {{"BF16", "bf16"}, {"F16", "f16"}, {"F32", "f32"}, {"F64", "f64"},
                             {"S64", "s64"},   {"U64", "u64"}, {"64", "u64"},  {"S32", "s32"}};
  const std::string_view operation = ptx_of(writer, kReductions);
  if (writer.operand_count() != 3 || operation.empty() || !writer.take("S")) return false;
  std::string_view type = ptx_of(writer, kTypes);
  const bool is_wide = type.ends_with("64");
  if (type.empty()) type = "u32";
  if (operation == "and" || operation == "or" || operation == "xor") type = is_wide ? "b64" : "b32";
  const bool is_number = type.find('f') != std::string_view::npos;
  if (writer.take("RN") && !is_number) return false;
  narrow_to_one_lane(writer);
  const std::uint32_t target = writer.operand(0).uniform;
  const std::uint32_t source = writer.operand(1).uniform;
  const std::string bytes = bytes_of(writer, writer.operand(2));
  if (writer.take("G")) {
    const bool is_half_sum = operation == "add" && type.ends_with("f16");
    writer.emit_main(
        "cp.reduce.async.bulk.global.shared::cta.bulk_group.{}{}.{} [{}], [%UR{}], {};", operation,
        is_half_sum ? ".noftz" : "", type, uniform_pair(writer, target), source, bytes);
  } else {
    writer.emit_main(
        "cp.reduce.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes.{}.{} "
        "[%UR{}], [%UR{}], {}, [%UR{}];",
        operation, type, target, source, bytes, target + 1);
  }
  return true;
}

// UMEMSETS.64 [target], value, size / 8: zeros, whatever the value's register is called.
bool lift_fill(InstructionWriter& writer) {
  if (writer.operand_count() != 3 || !writer.take("64") || writer.raw(writer.operand(1)) != "0")
    return false;
  narrow_to_one_lane(writer);
  const std::string bytes = writer.wide();
  writer.emit("mul.wide.u32 {}, {}, 8;", bytes, writer.raw(writer.operand(2)));
  writer.emit_main("st.bulk.shared::cta [%UR{}], {}, 0;", writer.operand(0).uniform, bytes);
  return true;
}

// The offsets of an im2col copy, which the lower half of a word holds: one of 16 bits, two of 8 or
// three of 5.
std::string offsets_of(InstructionWriter& writer, unsigned rank, const std::string& word) {
  const unsigned count = rank - 2;
  const unsigned bits = count == 1 ? 16 : count == 2 ? 8 : 5;
  std::string list;
  for (unsigned i = 0; i < count; ++i) {
    const std::string part = writer.word();
    const std::string offset = writer.half();
    writer.emit("bfe.u32 {}, {}, {}, {};", part, word, i * bits, bits);
    writer.emit("cvt.u16.u32 {}, {};", offset, part);
    list += (i == 0 ? "" : ", ") + offset;
  }
  return "{" + list + "}";
}

// UTMALDG.2D [target, mbarrier, x, y], [map]; UTMASTG.2D and UTMAREDG.2D.OP [source, x, y], [map];
// UTMAPF.L2.2D [x, y], [map]. A third operand holds IM2COL's offsets and above them MULTICAST's
// blocks. What a descriptor says of the L2 cache changes no result.
bool lift_tensor_copy(InstructionWriter& writer) {
  constexpr Word kRanks[] = {{"1D", "1"}, {"2D", "2"}, {"3D", "3"}, {"4D", "4"}, {"5D", "5"}};
  const std::string_view name = writer.instruction().mnemonic;
  const std::string_view rank_word = ptx_of(writer, kRanks);
  if (rank_word.empty() || writer.operand_count() < 2) return false;
  const auto rank = static_cast<unsigned>(rank_word[0] - '0');
  const bool im2col = writer.take("IM2COL");
  const bool to_all = writer.take("MULTICAST");
  const bool loads = name == "UTMALDG";
  if (im2col && rank < 3) return false;
  const std::string more =
      writer.operand_count() > 2 && writer.operand(2).kind == OperandKind::kUniform
          ? writer.raw(writer.operand(2))
          : "";
  if (more.empty() && (to_all || (im2col && loads))) return false;
  if (name == "UTMAPF") {
    writer.emit_main("pmevent 0;");
    return writer.take("L2");
  }
  narrow_to_one_lane(writer);
  const std::uint32_t box = writer.operand(0).uniform;
  const std::uint32_t first = box + (loads ? 2 : 1);
  std::string place = uniform_pair(writer, writer.operand(1).uniform) + ", {";
  for (unsigned i = 0; i < rank; ++i)
    place += fmt::format("{}%UR{}", i == 0 ? "" : ", ", first + i);
  place += "}";
  if (loads) {
    const std::string offsets = im2col ? ", " + offsets_of(writer, rank, more) : "";
    const std::string blocks = to_all ? ", " + blocks_of(writer, more) : "";
    writer.emit_main(
        "cp.async.bulk.tensor.{}d.shared::cluster.global.{}.mbarrier::complete_tx::bytes{} "
        "[%UR{}], [{}], [%UR{}]{}{};",
        rank, im2col ? "im2col" : "tile", to_all ? ".multicast::cluster" : "", box, place, box + 1,
        offsets, blocks);
    return true;
  }
  const char* layout = im2col ? "im2col_no_offs" : "tile";
  if (name == "UTMASTG") {
    writer.emit_main("cp.async.bulk.tensor.{}d.global.shared::cta.{}.bulk_group [{}], [%UR{}];",
                     rank, layout, place, box);
    return true;
  }
  const std::string_view operation = ptx_of(writer, kReductions);
  if (operation.empty()) return false;
  writer.emit_main(
      "cp.reduce.async.bulk.tensor.{}d.global.shared::cta.{}.{}.bulk_group [{}], [%UR{}];", rank,
      operation, layout, place, box);
  return true;
}

// STAS[.64|.128] [target, mbarrier], value; REDAS.ADD[.64] ... the same.
bool lift_async_store(InstructionWriter& writer, bool reduces) {
  if (writer.operand_count() != 2) return false;
  const Operand& place = writer.operand(0);
  if (place.index == kZeroRegister || place.uniform != kZeroRegister || place.value != 0)
    return false;
  const std::uint32_t target = place.index;
  const Operand& value = writer.operand(1);
  const bool wide = writer.take("64");
  if (reduces) {
    const char* operation = atomic_operation_of(writer);
    if (operation == nullptr) return false;
    writer.emit_main(
        "red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.{}.{} [%R{}], {}, "
        "[%R{}];",
        operation, atomic_type_of(writer, operation), target,
        wide ? writer.wide_integer(value) : writer.integer(value), target + 1);
    return true;
  }
  const std::uint32_t words = writer.take("128") ? 4 : wide ? 2 : 1;
  std::string data;
  for (std::uint32_t i = 0; i < words; ++i) {
    const std::string element = writer.word();
    writer.emit("mov.b32 {}, {};", element, writer.raw(value, i));
    data += (i == 0 ? "" : ", ") + element;
  }
  if (words > 1) data = "{" + data + "}";
  writer.emit_main(
      "st.async.shared::cluster.mbarrier::complete_tx::bytes{}.b32 [%R{}], {}, [%R{}];",
      words == 4   ? ".v4"
      : words == 2 ? ".v2"
                   : "",
      target, data, target + 1);
  return true;
}

}  // namespace

bool lift_async(InstructionWriter& writer) {
  const std::string_view name = writer.instruction().mnemonic;
  if (name == "UBLKCP") return lift_bulk_copy(writer);
  if (name == "UMEMSETS") return lift_fill(writer);
  if (name == "UBLKRED") return lift_bulk_reduction(writer);
  if (name == "UTMALDG" || name == "UTMASTG" || name == "UTMAREDG" || name == "UTMAPF")
    return lift_tensor_copy(writer);
  if (name == "UBLKPF" || name == "UTMACCTL") {  // a prefetch; a map is read anew
    writer.emit_main("pmevent 0;");
    return true;
  }
  if (name == "STAS" || name == "REDAS") return lift_async_store(writer, name == "REDAS");
  if (name == "UTMACMDFLUSH") {
    writer.emit_main("cp.async.bulk.commit_group;");
    return true;
  }
  if (name == "ARRIVES" && writer.operand_count() == 1) {  // when this thread's copies are done
    writer.emit_main("cp.async.mbarrier.arrive{}.shared.b64 [{}];",
                     writer.take("TRANSCNT") ? "" : ".noinc",
                     address_of(writer, writer.operand(0)));
    return true;
  }
  if (name != "SYNCS") return false;
  if (writer.take("EXCH")) return lift_initialisation(writer);
  if (writer.take("ARRIVE")) return lift_arrival(writer);
  if (writer.take("PHASECHK")) return lift_test(writer);
  if (writer.take("CCTL") && writer.take("IV") && writer.operand_count() == 1) {
    writer.emit_main("mbarrier.inval.shared.b64 [{}];", address_of(writer, writer.operand(0)));
    return true;
  }
  return false;
}

}  // namespace tilescope::machine
