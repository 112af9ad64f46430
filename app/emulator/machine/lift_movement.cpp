#include "emulator/machine/lifter.h"
#include "emulator/memory_map.h"

namespace tilescope::machine {
namespace {

// What PTX calls a special register, or the value that it always has here; nullptr: unknown.
const char* special(std::string_view name) {
  for (const auto& [word, ptx] : {std::pair<std::string_view, const char*>{"SR_TID.X", "%tid.x"},
                                  {"SR_TID.Y", "%tid.y"},
                                  {"SR_TID.Z", "%tid.z"},
                                  {"SR_CTAID.X", "%ctaid.x"},
                                  {"SR_CTAID.Y", "%ctaid.y"},
                                  {"SR_CTAID.Z", "%ctaid.z"},
                                  {"SR_NTID.X", "%ntid.x"},
                                  {"SR_NTID.Y", "%ntid.y"},
                                  {"SR_NTID.Z", "%ntid.z"},
                                  {"SR_NCTAID.X", "%nctaid.x"},
                                  {"SR_NCTAID.Y", "%nctaid.y"},
                                  {"SR_NCTAID.Z", "%nctaid.z"},
                                  {"SR_LANEID", "%laneid"},
                                  {"SR_EQMASK", "%lanemask_eq"},
                                  {"SR_LTMASK", "%lanemask_lt"},
                                  {"SR_LEMASK", "%lanemask_le"},
                                  {"SR_GTMASK", "%lanemask_gt"},
                                  {"SR_GEMASK", "%lanemask_ge"},
                                  {"SR_CLOCKLO", "%clock"},
                                  {"SR_CLOCKHI", "%clock_hi"},
                                  {"SR_GLOBALTIMERLO", "%globaltimer_lo"},
                                  {"SR_GLOBALTIMERHI", "%globaltimer_hi"},
                                  {"SR_VIRTUALSMID", "%smid"},
                                  {"SR_VIRTID", "%smid"},
                                  {"SRZ", "0"},
                                  {"SR_CgaCtaId", "0"}}) {
    if (word == name) return ptx;
  }
  return nullptr;
}

bool lift_special(InstructionWriter& writer) {
  if (writer.operand_count() < 2) return false;
  const std::string_view name = writer.operand(1).text;
  const Operand& to = writer.operand(0);
  // The halves of the addresses at which shared and local memory begin among the generic ones.
  for (const auto& [half, bits] : {std::pair{"SR_SWINLO", kSharedWindow},
                                   {"SR_SWINHI", kSharedWindow >> 32},
                                   {"SR_LWINLO", kLocalWindow},
                                   {"SR_LWINHI", kLocalWindow >> 32}}) {
    if (name != half) continue;
    writer.emit_main("mov.u32 {}, {};", writer.to(to), bits & 0xffffffffu);
    return true;
  }
  const char* value = special(name);
  if (value == nullptr) return false;
  if (name == "SR_CgaCtaId" && writer.listing().has_clusters()) value = "%cluster_ctarank";
  const bool pair = writer.instruction().mnemonic == "CS2R" && !writer.has("32");
  if (pair && name == "SR_CLOCKLO") {
    const std::string clock = writer.wide();
    writer.emit("mov.u64 {}, %clock64;", clock);
    writer.emit_main("mov.b64 {{{}, {}}}, {};", writer.to(to), writer.to(to, 1), clock);
    return true;
  }
  if (pair) writer.emit("mov.u32 {}, 0;", writer.to(to, 1));
  writer.emit_main("mov.u32 {}, {};", writer.to(to), value);
  return true;
}

// R2UR [P,] UR, R under a guard that lanes have each for themselves: all get the value of the first
// lane for which it holds, and P where a lane's own is another. Code that needs a uniform register
// for values that differ goes round with P until every lane has had its turn.
bool lift_first_lane(InstructionWriter& writer) {
  const bool compares = is_predicate(writer.operand(0));
  if (writer.operand_count() != (compares ? 3u : 2u)) return false;
  const std::string active = writer.word();
  const std::string mask = writer.word();
  const std::string first = writer.word();
  const std::string chosen = writer.word();
  const std::string any = writer.predicate();
  const std::string value = writer.raw(writer.operand(compares ? 2 : 1));
  writer.append_for_all(fmt::format("activemask.b32 {};", active));
  writer.append_for_all(
      fmt::format("vote.sync.ballot.b32 {}, {}, {};", mask, writer.guard_truth(), active));
  writer.append_for_all(fmt::format("setp.ne.u32 {}, {}, 0;", any, mask));
  writer.append_for_all(fmt::format("brev.b32 {}, {};", first, mask));
  writer.append_for_all(fmt::format("clz.b32 {}, {};", first, first));
  writer.append_for_all(
      fmt::format("shfl.sync.idx.b32 {}, {}, {}, 31, {};", chosen, value, first, active));
  const std::string differs = writer.predicate();
  writer.emit_main("setp.ne.u32 {}, {}, {};", differs, value, chosen);
  if (compares) writer.set_predicate(writer.operand(0), differs);
  const std::string to = writer.to(writer.operand(compares ? 1 : 0));
  writer.append_for_all(fmt::format("@{} mov.b32 {}, {};", any, to, chosen));
  return true;
}

// MOV, UMOV, R2UR d, a
bool lift_move(InstructionWriter& writer) {
  if (writer.operand_count() < 2) return false;
  const Operand& from = writer.operand(writer.operand_count() - 1);
  const Operand* source = &from;
  // MOV R, c, mask: the lanes' mask, always full.
  if (writer.operand_count() == 3 && from.kind == OperandKind::kInteger)
    source = &writer.operand(1);
  const Operand& to = writer.operand(0);
  if (writer.has("64")) {
    const std::string value = writer.wide_integer(*source);
    const std::string held = writer.wide();
    writer.emit("mov.b64 {}, {};", held, value);
    writer.emit_main("mov.b64 {{{}, {}}}, {};", writer.to(to), writer.to(to, 1), held);
    return true;
  }
  writer.emit_main("mov.b32 {}, {};", writer.to(to), writer.integer(*source));
  return true;
}

bool lift_select(InstructionWriter& writer) {
  if (writer.operand_count() != 4) return false;
  const std::string choice = writer.truth(writer.operand(3));
  if (writer.has("64")) {
    const std::string result = writer.wide();
    writer.emit("selp.b64 {}, {}, {}, {};", result, writer.wide_integer(writer.operand(1)),
                writer.wide_integer(writer.operand(2)), choice);
    const Operand& to = writer.operand(0);
    writer.emit_main("mov.b64 {{{}, {}}}, {};", writer.to(to), writer.to(to, 1), result);
    return true;
  }
  writer.emit_main("selp.b32 {}, {}, {}, {};", writer.to(writer.operand(0)),
                   writer.integer(writer.operand(1)), writer.integer(writer.operand(2)), choice);
  return true;
}

// QSPC.E.S P, d, [a]: whether a generic address lies in this space.
bool lift_space_query(InstructionWriter& writer) {
  const char* space = writer.has("S")   ? "shared"
                      : writer.has("L") ? "local"
                      : writer.has("G") ? "global"
                      : writer.has("D") ? "shared::cluster"
                                        : nullptr;
  if (space == nullptr) return false;
  const std::string inside = writer.predicate();
  writer.emit_main("isspacep.{} {}, {};", space, inside,
                   wide_address_of(writer, writer.operand(2)));
  writer.set_predicate(writer.operand(0), inside);
  return true;
}

// Between the blocks of a cluster: a block that is alone meets nobody.
void lift_cluster_barrier(InstructionWriter& writer, bool arrives) {
  if (writer.listing().has_clusters()) {
    writer.emit_main("barrier.cluster.{};", arrives ? "arrive" : "wait");
  } else {
    writer.emit_main("pmevent 0;");
  }
}

// Nothing that the memory's contents or addresses depend on.
bool is_without_effect(std::string_view name) {
  for (const std::string_view word :
       {"NOP", "MEMBAR", "LEPC", "ERRBAR", "CCTL", "CCTLL", "FENCE", "DEPBAR", "PREEXIT", "ACQBULK",
        "CGAERRBAR", "PMTRIG", "ENDCOLLECTIVE", "USETMAXREG"}) {
    if (word == name) return true;
  }
  return false;
}

}  // namespace

bool lift_movement(InstructionWriter& writer) {
  const std::string_view name = writer.instruction().mnemonic;
  if (name == "QSPC" && writer.operand_count() == 3) return lift_space_query(writer);
  if (name == "LDGDEPBAR") {
    writer.emit_main("cp.async.commit_group;");
    return true;
  }
  if (name == "DEPBAR" && writer.has("LE") && writer.operand_count() >= 2 &&
      writer.operand(0).text == "SB0") {
    writer.emit_main("cp.async.wait_group {};", writer.operand(1).value);
    return true;
  }
  if (name == "UCGABAR_ARV" || name == "UCGABAR_WAIT") {
    lift_cluster_barrier(writer, name == "UCGABAR_ARV");
    return true;
  }
  if (is_without_effect(name)) {
    writer.emit_main("pmevent 0;");
    return true;
  }
  if (name == "S2R" || name == "S2UR" || name == "CS2R") return lift_special(writer);
  if (name == "R2UR" && writer.operand_count() > 0 &&
      (writer.instruction().guarded || is_predicate(writer.operand(0)))) {
    return lift_first_lane(writer);
  }
  if (name == "MOV" || name == "UMOV" || name == "R2UR" || name == "MOV32I")
    return lift_move(writer);
  if (name == "SEL" || name == "USEL") return lift_select(writer);
  return false;
}

}  // namespace tilescope::machine
