#pragma once
#include <cstdint>
#include <string_view>

#include "ptx/modifiers.h"

namespace tilescope {

// The mnemonics of mnemonics.inc.
enum class Mnemonic : std::uint8_t {
  kUnknown,
#define MNEMONIC(name, word) name,
#include "ptx/mnemonics.inc"
#undef MNEMONIC
};

[[nodiscard]] Mnemonic parse_mnemonic(std::string_view word);

struct ProductShape {
  std::uint16_t m = 0;
  std::uint16_t n = 0;
  std::uint16_t k = 0;
};

// "ld.global.nc.f32", taken apart once for all the instructions of a module that begin with it.
struct PtxOpcode {
  std::string_view text;      // as written
  std::string_view mnemonic;  // "ld"
  std::string_view suffix;    // ".global.nc.f32", may be empty
  Mnemonic kind = Mnemonic::kUnknown;
  Modifiers modifiers;        // none where a word is unknown
  std::string_view unknown;   // the first word of the suffix that is neither modifier nor type
  ProductShape shape;         // of a product of matrices: "m16n8k16"
  bool a_by_columns = false;  // of its layouts the first is "col"
  bool b_by_columns = false;  // ... the last
};

// Precondition: the suffix follows the mnemonic in memory.
[[nodiscard]] PtxOpcode read_opcode(std::string_view mnemonic, std::string_view suffix);

}  // namespace tilescope
