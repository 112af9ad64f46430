#include "emulator/machine/lifter.h"

namespace tilescope::machine {
namespace {

std::string active_mask(InstructionWriter& writer) {
  const std::string mask = writer.word();
  writer.emit("activemask.b32 {};", mask);
  return mask;
}

// SHFL.MODE P, d, a, b, c
bool lift_shuffle(InstructionWriter& writer) {
  if (writer.operand_count() != 5) return false;
  const char* mode = writer.has("UP")     ? "up"
                     : writer.has("DOWN") ? "down"
                     : writer.has("BFLY") ? "bfly"
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
              writer.has("ALL")  ? "all"
              : writer.has("EQ") ? "uni"
                                 : "any",
              result, vote, mask);
  writer.emit_main("vote.sync.ballot.b32 {}, {}, {};", ballot, vote, mask);
  if (has_ballot) writer.set(writer.operand(0), ballot);
  writer.set_predicate(writer.operand(at), result);
  return true;
}

// MATCH.ANY d, a; MATCH.ALL P, d, a
bool lift_match(InstructionWriter& writer) {
  const bool all = writer.has("ALL");
  const std::size_t at = writer.operand(0).kind == OperandKind::kPredicate ? 1 : 0;
  if (writer.operand_count() < at + 2) return false;
  const bool wide = writer.has("U64");
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
  const bool is_signed = writer.has("S32");
  const bool plain = writer.instruction().modifiers.empty();  // REDUX alone is the AND
  for (const auto& [word, name, logical] : {std::tuple{"SUM", "add", false},
                                            {"MIN", "min", false},
                                            {"MAX", "max", false},
                                            {"AND", "and", true},
                                            {"OR", "or", true},
                                            {"XOR", "xor", true}}) {
    if (!writer.has(word) && !(plain && std::string_view(word) == "AND")) continue;
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
  if (writer.has("RED")) {
    const char* operation = writer.has("POPC")  ? "popc.u32"
                            : writer.has("AND") ? "and.pred"
                                                : "or.pred";
    if (writer.has("POPC")) {
      writer.emit_main("bar.red.{} %barrier_count, {}, {};", operation, text, predicate);
    } else {
      writer.emit_main("bar.red.{} %barrier_result, {}, {};", operation, text, predicate);
      writer.emit("selp.b32 %barrier_count, 1, 0, %barrier_result;");
    }
    return true;
  }
  if (writer.has("ARV")) {
    writer.emit_main("bar.arrive {};", text);
    return true;
  }
  writer.emit_main("bar.sync {};", text);
  return writer.has("SYNC") || writer.has("SYNCALL");
}

// What the last BAR.RED gave: B2R.RESULT d [, P]
bool lift_barrier_result(InstructionWriter& writer) {
  if (!writer.has("RESULT")) return false;
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

}  // namespace tilescope::machine
