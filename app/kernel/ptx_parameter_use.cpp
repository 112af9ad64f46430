#include "kernel/ptx_parameter_use.h"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

namespace tilescope {
namespace {

struct PtxType {
  std::string_view name;
  ElementType type;
};
constexpr std::array<PtxType, 12> kTypes{{{".f32", ElementType::kF32},
                                          {".f64", ElementType::kF64},
                                          {".u32", ElementType::kI32},
                                          {".s32", ElementType::kI32},
                                          {".b32", ElementType::kI32},
                                          {".s64", ElementType::kI64},
                                          {".u16", ElementType::kU16},
                                          {".s16", ElementType::kI16},
                                          {".b16", ElementType::kU16},
                                          {".u8", ElementType::kU8},
                                          {".s8", ElementType::kI8},
                                          {".b8", ElementType::kU8}}};

constexpr std::string_view kNameCharacters =
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_$%.";

// "ld.global.f32 %f2, [%rd6+4]": the instruction and the names in its operands, in order.
std::vector<std::string_view> names_of(std::string_view statement) {
  std::vector<std::string_view> names;
  for (std::size_t at = 0; at < statement.size();) {
    const std::size_t first = statement.find_first_of(kNameCharacters, at);
    if (first == std::string_view::npos) break;
    const std::size_t end =
        std::min(statement.find_first_not_of(kNameCharacters, first), statement.size());
    // A predicate, and a label with its colon.
    const bool guards = first > 0 && (statement[first - 1] == '@' || statement[first - 1] == '!');
    const bool label = end < statement.size() && statement[end] == ':';
    if (!guards && !label) names.push_back(statement.substr(first, end - first));
    at = end;
  }
  return names;
}

bool has_modifier(std::string_view instruction, std::string_view modifier) {
  const std::size_t at = instruction.find(modifier);
  const std::size_t end = at + modifier.size();
  return at != std::string_view::npos && (end == instruction.size() || instruction[end] == '.');
}

class Uses {
 public:
  void read(std::string_view statement) {
    const std::vector<std::string_view> names = names_of(statement);
    if (names.size() < 2) return;
    const std::string_view instruction = names.front();
    if (instruction.starts_with("ld.param")) {
      load(names);
    } else if (instruction.starts_with("setp")) {
      compare(names);
    } else if (has_modifier(instruction, ".global") && !instruction.starts_with("cvta")) {
      access(instruction, names);
    } else {
      derive(instruction, names);
    }
  }

  PtxParameterUses found;

 private:
  struct Origin {
    std::string parameter;
    bool is_unchanged = true;  // the number that was handed over, however wide
    bool is_address = false;
  };

  // Of one number, from where the parameter begins.
  void load(const std::vector<std::string_view>& names) {
    if (names.size() != 3) return;
    origins_[std::string(names[1])] = {std::string(names[2])};
    found.try_emplace(std::string(names[2]));
  }

  void compare(const std::vector<std::string_view>& names) {
    for (const std::string_view name : names) {
      const Origin* origin = origin_of(name);
      if (origin != nullptr && origin->is_unchanged) found[origin->parameter].is_compared = true;
    }
  }

  void access(std::string_view instruction, const std::vector<std::string_view>& names) {
    for (const std::string_view name : names) {
      const Origin* origin = origin_of(name);
      if (origin == nullptr || !is_wide(name)) continue;
      PtxParameterUse& use = found[origin->parameter];
      use.is_address = true;
      use.is_written |= !instruction.starts_with("ld");
      if (use.element) return;
      const std::string_view type = instruction.substr(instruction.rfind('.'));
      // Bits of no type are a float's more often than not.
      use.element = type == ".b32" ? ElementType::kF32 : ptx_element_type(type);
      return;  // the address; what a store writes comes after it
    }
  }

  // What is worked out from an address leads to the same buffer; a copy is the same number.
  void derive(std::string_view instruction, const std::vector<std::string_view>& names) {
    const bool copies = instruction.starts_with("mov") || instruction.starts_with("cvt");
    const Origin* from = nullptr;
    for (std::size_t i = 2; i < names.size(); ++i) {
      const Origin* origin = origin_of(names[i]);
      if (origin == nullptr || !(copies || (is_wide(names[i]) && is_wide(names[1])))) continue;
      if (from == nullptr || (origin->is_address && !from->is_address)) from = origin;
    }
    if (from == nullptr) return;
    Origin next = *from;
    next.is_unchanged &= copies;
    if (instruction.starts_with("cvta")) {
      next.is_address = true;
      found[next.parameter].is_address = true;
    }
    origins_[std::string(names[1])] = std::move(next);
  }

  [[nodiscard]] const Origin* origin_of(std::string_view name) const {
    const auto origin = origins_.find(name);
    return origin == origins_.end() ? nullptr : &origin->second;
  }

  static bool is_wide(std::string_view name) { return name.starts_with("%rd"); }

  std::map<std::string, Origin, std::less<>> origins_;  // of a register
};

}  // namespace

std::optional<ElementType> ptx_element_type(std::string_view name) {
  const auto* const known = std::ranges::find(kTypes, name, &PtxType::name);
  if (known == kTypes.end()) return std::nullopt;
  return known->type;
}

PtxParameterUses find_ptx_parameter_uses(std::string_view body) {
  Uses uses;
  while (!body.empty()) {
    const std::size_t end = std::min(body.find_first_of(";\n"), body.size());
    const std::string_view statement = body.substr(0, end);
    uses.read(statement.substr(0, statement.find("//")));
    body.remove_prefix(std::min(end + 1, body.size()));
  }
  return std::move(uses.found);
}

}  // namespace tilescope
