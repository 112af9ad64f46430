
#include "core/number_text.h"
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
  const bool pair = writer.instruction().mnemonic == "CS2R" && !writer.take("32");
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
  if (writer.take("64")) {
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
  if (writer.take("64")) {
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
  const char* space = writer.take("S")   ? "shared"
                      : writer.take("L") ? "local"
                      : writer.take("G") ? "global"
                      : writer.take("D") ? "shared::cluster"
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

// USETMAXREG.TRY_ALLOC UP0, n: the code asks again until it gets the registers; here it always
// does.
void lift_register_limit(InstructionWriter& writer) {
  if (writer.operand_count() == 0 || !is_predicate(writer.operand(0))) {
    writer.emit_main("pmevent 0;");
    return;
  }
  const std::string granted = writer.predicate();
  writer.emit_main("setp.eq.b32 {}, 0, 0;", granted);
  writer.set_predicate(writer.operand(0), granted);
}

// Nothing that the memory's contents or addresses depend on.
bool is_without_effect(std::string_view name) {
  for (const std::string_view word :
       {"NOP", "LEPC", "ERRBAR", "CCTL", "CCTLL", "FENCE", "DEPBAR", "PREEXIT", "ACQBULK",
        "CGAERRBAR", "PMTRIG", "ENDCOLLECTIVE"}) {
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
  if (name == "DEPBAR" && writer.take("LE") && writer.operand_count() >= 2 &&
      writer.operand(0).text == "SB0") {
    writer.emit_main("cp.async.wait_group {};", writer.operand(1).value);
    return true;
  }
  if (name == "UCGABAR_ARV" || name == "UCGABAR_WAIT") {
    lift_cluster_barrier(writer, name == "UCGABAR_ARV");
    return true;
  }
  if (name == "USETMAXREG") {
    lift_register_limit(writer);
    return true;
  }
  if (name == "MEMBAR") {
    writer.emit_main("membar.{};", writer.take("CTA") ? "cta" : writer.take("SYS") ? "sys" : "gl");
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

namespace {

std::string active_mask(InstructionWriter& writer) {
  const std::string mask = writer.word();
  writer.emit("activemask.b32 {};", mask);
  return mask;
}

// SHFL.MODE P, d, a, b, c
bool lift_shuffle(InstructionWriter& writer) {
  if (writer.operand_count() != 5) return false;
  const char* mode = writer.take("UP")     ? "up"
                     : writer.take("DOWN") ? "down"
                     : writer.take("BFLY") ? "bfly"
                                           : "idx";
  const std::string mask = active_mask(writer);
  const std::string a = writer.word();
  writer.emit("mov.b32 {}, {};", a, writer.integer(writer.operand(2)));
  const std::string inside = writer.predicate();
  writer.emit_main("shfl.sync.{}.b32 {}|{}, {}, {}, {}, {};", mode, writer.to(writer.operand(1)),
                   inside, a, writer.integer(writer.operand(3)), writer.integer(writer.operand(4)),
                   mask);
  writer.set_predicate(writer.operand(0), inside);
  return true;
}

// VOTE.MODE [d,] P, p: the ballot of p, and whether all, any or equally many of both say so.
bool lift_vote(InstructionWriter& writer) {
  const bool has_ballot = writer.operand(0).kind == OperandKind::kRegister ||
                          writer.operand(0).kind == OperandKind::kUniform;
  const std::size_t at = has_ballot ? 1 : 0;
  if (writer.operand_count() < at + 2) return false;
  const std::string vote = writer.truth(writer.operand(writer.operand_count() - 1));
  const std::string mask = active_mask(writer);
  const std::string ballot = writer.word();
  const std::string result = writer.predicate();
  writer.emit("vote.sync.{}.pred {}, {}, {};",
              writer.take("ALL")  ? "all"
              : writer.take("EQ") ? "uni"
                                  : "any",
              result, vote, mask);
  writer.emit_main("vote.sync.ballot.b32 {}, {}, {};", ballot, vote, mask);
  if (has_ballot) writer.set(writer.operand(0), ballot);
  writer.set_predicate(writer.operand(at), result);
  return true;
}

// MATCH.ANY d, a; MATCH.ALL P, d, a
bool lift_match(InstructionWriter& writer) {
  const bool all = writer.take("ALL");
  const std::size_t at = writer.operand(0).kind == OperandKind::kPredicate ? 1 : 0;
  if (writer.operand_count() < at + 2) return false;
  const bool wide = writer.take("U64");
  const Operand& from = writer.operand(at + 1);
  const std::string value = wide ? writer.wide_integer(from) : writer.integer(from);
  const std::string mask = active_mask(writer);
  const std::string to = writer.to(writer.operand(at));
  if (all) {
    const std::string result = writer.predicate();
    writer.emit_main("match.all.sync.{} {}|{}, {}, {};", wide ? "b64" : "b32", to, result, value,
                     mask);
    if (at == 1) writer.set_predicate(writer.operand(0), result);
  } else {
    writer.emit_main("match.any.sync.{} {}, {}, {};", wide ? "b64" : "b32", to, value, mask);
  }
  return true;
}

// REDUX.OP[.S32] UR, R
bool lift_reduction(InstructionWriter& writer) {
  if (writer.operand_count() != 2) return false;
  const bool is_signed = writer.take("S32");
  const bool plain = writer.instruction().modifiers.empty();  // REDUX alone is the AND
  for (const auto& [word, name, logical] : {std::tuple{"SUM", "add", false},
                                            {"MIN", "min", false},
                                            {"MAX", "max", false},
                                            {"AND", "and", true},
                                            {"OR", "or", true},
                                            {"XOR", "xor", true}}) {
    if (!writer.take(word) && !(plain && std::string_view(word) == "AND")) continue;
    const std::string mask = active_mask(writer);
    writer.emit_main("redux.sync.{}.{} {}, {}, {};", name,
                     logical     ? "b32"
                     : is_signed ? "s32"
                                 : "u32",
                     writer.to(writer.operand(0)), writer.raw(writer.operand(1)), mask);
    return true;
  }
  return false;
}

// ELECT P, UR, PT: one of the active lanes is chosen, UR says which.
bool lift_elect(InstructionWriter& writer) {
  const std::string mask = active_mask(writer);
  const std::string chosen = writer.predicate();
  writer.emit_main("elect.sync {}|{}, {};", writer.to(writer.operand(1)), chosen, mask);
  writer.set_predicate(writer.operand(0), chosen);
  return true;
}

// BAR.SYNC id [, threads]; BAR.ARV; BAR.RED.OP id [, threads], p
bool lift_barrier(InstructionWriter& writer) {
  std::string text;
  std::string predicate;
  for (std::size_t i = 0; i < writer.operand_count(); ++i) {
    const Operand& operand = writer.operand(i);
    if (is_predicate(operand)) {
      predicate = writer.truth(operand);
      continue;
    }
    if (!text.empty()) text += ", ";
    text += writer.integer(operand);
  }
  if (text.empty()) text += '0';
  if (writer.take("RED")) {
    const char* operation = writer.take("POPC")  ? "popc.u32"
                            : writer.take("AND") ? "and.pred"
                                                 : "or.pred";
    if (writer.take("POPC")) {
      writer.emit_main("bar.red.{} %barrier_count, {}, {};", operation, text, predicate);
    } else {
      writer.emit_main("bar.red.{} %barrier_result, {}, {};", operation, text, predicate);
      writer.emit("selp.b32 %barrier_count, 1, 0, %barrier_result;");
    }
    return true;
  }
  if (writer.take("ARV")) {
    writer.emit_main("bar.arrive {};", text);
    return true;
  }
  writer.emit_main("bar.sync {};", text);
  return writer.take("SYNC") || writer.take("SYNCALL");
}

// What the last BAR.RED gave: B2R.RESULT d [, P]
bool lift_barrier_result(InstructionWriter& writer) {
  if (!writer.take("RESULT")) return false;
  if (writer.operand_count() > 1) {
    const std::string some = writer.predicate();
    writer.emit("setp.ne.u32 {}, %barrier_count, 0;", some);
    writer.set_predicate(writer.operand(1), some);
  }
  writer.emit_main("mov.b32 {}, %barrier_count;", writer.to(writer.operand(0)));
  return true;
}

}  // namespace

bool lift_warp(InstructionWriter& writer) {
  const std::string_view name = writer.instruction().mnemonic;
  if (name == "BAR") return lift_barrier(writer);
  if (writer.operand_count() < 1) return false;
  if (name == "B2R") return lift_barrier_result(writer);
  if (writer.operand_count() < 2) return false;
  if (name == "ELECT") return lift_elect(writer);
  if (name == "SHFL") return lift_shuffle(writer);
  if (name == "VOTE" || name == "VOTEU") return lift_vote(writer);
  if (name == "MATCH") return lift_match(writer);
  if (name == "REDUX" || name == "CREDUX") return lift_reduction(writer);
  return false;
}

// Where lanes that have parted meet again (emulator/execution/warp.h).
namespace {

// "B3": 3; -1: none of the convergence barriers.
int barrier_number(std::string_view text) {
  return text.starts_with('B') ? parse_number<int>(text.substr(1)).value_or(-1) : -1;
}

// BREAK [p,] B: under a guard of two predicates where there are two.
bool lift_break(InstructionWriter& writer, int barrier) {
  const Operand& first = writer.operand(0);
  if (!is_predicate(first)) {
    writer.emit_main("$break {};", barrier);
    return true;
  }
  writer.narrow_to(writer.truth(first));
  writer.emit_main("$break {};", barrier);
  return true;
}

// BMOV.32.CLEAR R, B; BMOV.32 B, R
bool lift_barrier_move(InstructionWriter& writer) {
  if (writer.operand_count() != 2) return false;
  const int from = barrier_number(writer.operand(1).text);
  const int to = barrier_number(writer.operand(0).text);
  if (from >= 0 && to < 0) {
    writer.emit_main("$bsave {}, {};", writer.to(writer.operand(0)), from);
  } else if (to >= 0 && from < 0) {
    const std::string lanes = writer.word();
    writer.emit("mov.b32 {}, {};", lanes, writer.integer(writer.operand(1)));
    writer.emit_main("$brestore {}, {};", to, lanes);
  } else {
    writer.emit_main("pmevent 0;");  // of the warp's state, which nothing here depends on
  }
  return true;
}

// WARPSYNC mask; WARPSYNC.ALL; WARPSYNC.COLLECTIVE mask, L: what follows up to ENDCOLLECTIVE is
// executed by all the lanes of the mask together. WARPSYNC.EXCLUSIVE mask: what follows up to BSYNC
// is executed by the lanes of each mask by themselves.
bool lift_warp_sync(InstructionWriter& writer) {
  const bool all = writer.take("ALL");
  if (!all && writer.operand_count() == 0) return false;
  writer.emit_main(
      "{} {};",
      writer.take("EXCLUSIVE") || writer.take("COLLECTIVE") ? "$warpexclusive" : "$warpsync",
      all ? "0xffffffff" : writer.integer(writer.operand(0)));
  return true;
}

}  // namespace

bool lift_convergence(InstructionWriter& writer) {
  const std::string_view name = writer.instruction().mnemonic;
  if (name == "YIELD" || name == "NANOSLEEP") {
    writer.emit_main("$yield;");
    return true;
  }
  if (name == "WARPSYNC") return lift_warp_sync(writer);
  if (name == "BMOV") return lift_barrier_move(writer);
  const bool starts = name.starts_with("BSSY");
  const bool ends = name.starts_with("BSYNC");
  if ((!starts && !ends && name != "BREAK") || writer.operand_count() == 0) return false;
  const bool last = name == "BREAK";
  const int barrier = barrier_number(writer.operand(last ? writer.operand_count() - 1 : 0).text);
  if (barrier < 0) return false;
  if (last) return lift_break(writer, barrier);
  writer.emit_main("{} {};", starts ? "$bssy" : "$bsync", barrier);
  return true;
}

}  // namespace tilescope::machine
