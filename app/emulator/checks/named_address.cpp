#include "emulator/checks/named_address.h"

#include <charconv>
#include <vector>

#include "emulator/checks/instruction_text.h"

namespace tilescope {
namespace {

std::vector<std::string_view> split(std::string_view operands) {
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

bool is_number(std::string_view word) {
  return !word.empty() && (word[0] == '-' || (word[0] >= '0' && word[0] <= '9'));
}

std::int64_t number(std::string_view word) {
  std::int64_t value = 0;
  std::from_chars(word.data(), word.data() + word.size(), value);
  return value;
}

}  // namespace

NamedAddresses::NamedAddresses(const Program& program) {
  for (const StaticInstruction& instruction : program.instructions()) {
    const InstructionParts parts = parts_of(instruction.text);
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

std::pair<std::string_view, std::int64_t> NamedAddresses::resolve(std::string_view address) const {
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

}  // namespace tilescope
