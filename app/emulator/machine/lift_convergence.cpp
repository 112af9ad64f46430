#include <charconv>

#include "emulator/machine/lifter.h"

// Where lanes that have parted meet again (emulator/common_executors/convergence_barriers.h).
namespace tilescope::machine {
namespace {

// "B3": 3; -1: none of the convergence barriers.
int barrier_number(std::string_view text) {
  int number = -1;
  if (text.size() < 2 || text.front() != 'B') return -1;
  const auto read = std::from_chars(text.data() + 1, text.data() + text.size(), number);
  return read.ec == std::errc() && read.ptr == text.data() + text.size() ? number : -1;
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
  const bool all = writer.has("ALL");
  if (!all && writer.operand_count() == 0) return false;
  writer.emit_main(
      "{} {};",
      writer.has("EXCLUSIVE") || writer.has("COLLECTIVE") ? "$warpexclusive" : "$warpsync",
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
