#include "emulator/machine/lifter.h"

// The instructions of mbarriers and of bulk copies. The machine keeps an mbarrier in a form of its
// own, which code builds and reads: the high word of a state has the phase in its highest bit and
// 2^20 less the pending arrivals from bit 11 on; the low word of a new object is 2^21 less twice
// its arrivals. The emulator's form differs (emulator/common_executors/mbarrier.h), so these are
// translated.
namespace tilescope::machine {
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
  if (writer.operand_count() != 3 || writer.has("TMASK")) return false;
  const std::string at = address_of(writer, writer.operand(1));
  const std::string operand = writer.raw(writer.operand(2));
  if (writer.has("A0T1")) {  // what a cp.async will bring: ARRIVES counts it in
    writer.emit_main("pmevent 0;");
    return true;
  }
  if (writer.has("A0TR") || writer.has("A0TX")) {
    writer.emit_main("mbarrier.{}_tx.shared.b64 [{}], {};",
                     writer.has("A0TR") ? "expect" : "complete", at, operand);
    return true;
  }
  const std::string name = writer.has("OPTOUT") ? "arrive_drop" : "arrive";
  const std::string state = writer.wide();
  if (writer.has("A1T0")) {
    writer.emit_main("mbarrier.{}.shared.b64 {}, [{}];", name, state, at);
  } else if (writer.has("ART0")) {
    writer.emit_main("mbarrier.{}.shared.b64 {}, [{}], {};", name, state, at, operand);
  } else {
    writer.emit_main("mbarrier.{}.expect_tx.shared.b64 {}, [{}], {};", name, state, at, operand);
  }
  if (!writer.has("RED")) set_state(writer, state);
  return true;
}

// SYNCS.PHASECHK.TRANS64[.TRYWAIT] P, [mbarrier], r: whether the phase of r's highest bit is over.
bool lift_test(InstructionWriter& writer) {
  if (writer.operand_count() != 3) return false;
  const std::string parity = writer.word();
  writer.emit("shr.u32 {}, {}, 31;", parity, writer.raw(writer.operand(2)));
  const std::string over = writer.predicate();
  writer.emit_main("mbarrier.{}_wait.parity.shared.b64 {}, [{}], {};",
                   writer.has("TRYWAIT") ? "try" : "test", over,
                   address_of(writer, writer.operand(1)), parity);
  writer.set_predicate(writer.operand(0), over);
  return true;
}

// UBLKCP.S.G [target, mbarrier], [source], size / 16 into shared memory, UBLKCP.S.S from the
// block's own into a cluster's, UBLKCP.G.S [target], [source], size / 16 out of it: once for the
// warp. MULTICAST: the upper half of the size says which blocks of the cluster get it.
bool lift_bulk_copy(InstructionWriter& writer) {
  const bool to_all = writer.has("MULTICAST");
  if (writer.operand_count() != 3 || writer.modifiers().size() != (to_all ? 3u : 2u)) return false;
  const bool into_shared = writer.modifiers()[0] == "S";
  const bool from_shared = writer.modifiers()[1] == "S";
  const bool known = (into_shared || writer.modifiers()[0] == "G") &&
                     (from_shared || writer.modifiers()[1] == "G");
  if (!known || (!into_shared && !from_shared) || (to_all && from_shared)) return false;
  const std::string leader = writer.predicate();
  const std::string mask = writer.word();
  writer.emit("activemask.b32 {};", mask);
  writer.emit("elect.sync {}|{}, {};", writer.word(), leader, mask);
  writer.narrow_to(leader);
  const std::string bytes = writer.word();
  const std::uint32_t target = writer.operand(0).uniform;
  const std::uint32_t source = writer.operand(1).uniform;
  const std::string size = writer.raw(writer.operand(2));
  if (to_all) writer.emit("and.b32 {}, {}, 0xffff;", bytes, size);
  writer.emit("shl.b32 {}, {}, 4;", bytes, to_all ? bytes : size);
  const auto global = [&](std::uint32_t first) {
    std::string address = writer.wide();
    writer.emit("mov.b64 {}, {{%UR{}, %UR{}}};", address, first, first + 1);
    return address;
  };
  if (into_shared && from_shared) {
    writer.emit_main(
        "cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [%UR{}], [%UR{}], "
        "{}, [%UR{}];",
        target, source, bytes, target + 1);
    return true;
  }
  if (!into_shared) {
    writer.emit_main("cp.async.bulk.global.shared::cta.bulk_group [{}], [%UR{}], {};",
                     global(target), source, bytes);
    return true;
  }
  std::string blocks;
  if (to_all) {
    const std::string upper = writer.word();
    blocks = writer.half();
    writer.emit("shr.u32 {}, {}, 16;", upper, size);
    writer.emit("cvt.u16.u32 {}, {};", blocks, upper);
    blocks = ", " + blocks;
  }
  writer.emit_main(
      "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes{} [%UR{}], [{}], {}, "
      "[%UR{}]{};",
      to_all ? ".multicast::cluster" : "", target, global(source), bytes, target + 1, blocks);
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
  const bool wide = writer.has("64");
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
  const std::uint32_t words = writer.has("128") ? 4 : wide ? 2 : 1;
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

bool lift_mbarrier(InstructionWriter& writer) {
  const std::string_view name = writer.instruction().mnemonic;
  if (name == "UBLKCP") return lift_bulk_copy(writer);
  if (name == "STAS" || name == "REDAS") return lift_async_store(writer, name == "REDAS");
  if (name == "UTMACMDFLUSH") {
    writer.emit_main("cp.async.bulk.commit_group;");
    return true;
  }
  if (name == "ARRIVES" && writer.operand_count() == 1) {  // when this thread's copies are done
    writer.emit_main("cp.async.mbarrier.arrive{}.shared.b64 [{}];",
                     writer.has("TRANSCNT") ? "" : ".noinc", address_of(writer, writer.operand(0)));
    return true;
  }
  if (name != "SYNCS") return false;
  if (writer.has("EXCH")) return lift_initialisation(writer);
  if (writer.has("ARRIVE")) return lift_arrival(writer);
  if (writer.has("PHASECHK")) return lift_test(writer);
  if (writer.has("CCTL") && writer.has("IV") && writer.operand_count() == 1) {
    writer.emit_main("mbarrier.inval.shared.b64 [{}];", address_of(writer, writer.operand(0)));
    return true;
  }
  return false;
}

}  // namespace tilescope::machine
