#include "ptx/opcode.h"

#include <charconv>
#include <unordered_map>

namespace tilescope {
namespace {

// "m16n8k16"; false: no shape of three extents.
bool read_shape(std::string_view word, ProductShape* shape) {
  const char* from = word.data();
  const char* const end = word.data() + word.size();
  ProductShape read;
  for (const auto& [letter, extent] :
       {std::pair{'m', &read.m}, std::pair{'n', &read.n}, std::pair{'k', &read.k}}) {
    if (from == end || *from != letter) return false;
    const auto [next, failure] = std::from_chars(from + 1, end, *extent);
    if (failure != std::errc{}) return false;
    from = next;
  }
  *shape = read;
  return true;
}

void read_product(std::string_view suffix, PtxOpcode* opcode) {
  bool is_first = true;
  while (!suffix.empty()) {
    suffix.remove_prefix(1);  // the dot
    const std::string_view word = suffix.substr(0, suffix.find('.'));
    suffix.remove_prefix(word.size());
    if (read_shape(word, &opcode->shape) || (word != "row" && word != "col")) continue;
    opcode->b_by_columns = word == "col";
    if (is_first) opcode->a_by_columns = opcode->b_by_columns;
    is_first = false;
  }
}

}  // namespace

Mnemonic parse_mnemonic(std::string_view word) {
  static const std::unordered_map<std::string_view, Mnemonic> kMnemonics{
#define MNEMONIC(name, word) {word, Mnemonic::name},
#include "ptx/mnemonics.inc"
#undef MNEMONIC
  };
  const auto found = kMnemonics.find(word);
  return found == kMnemonics.end() ? Mnemonic::kUnknown : found->second;
}

PtxOpcode read_opcode(std::string_view mnemonic, std::string_view suffix) {
  PtxOpcode opcode;
  opcode.text = {mnemonic.data(), mnemonic.size() + suffix.size()};
  opcode.mnemonic = mnemonic;
  opcode.suffix = suffix;
  opcode.kind = parse_mnemonic(mnemonic);
  opcode.modifiers = parse_modifiers(suffix, &opcode.unknown).value_or(Modifiers{});
  read_product(suffix, &opcode);
  return opcode;
}

}  // namespace tilescope
