#include "ptx/scope.h"

namespace tilescope {
namespace {

// Splits "%rd12" into "%rd" and 12; false when the name ends in no plain number.
bool split_number(std::string_view name, std::string_view* prefix, std::uint32_t* number) {
  std::size_t begin = name.size();
  while (begin > 0 && name[begin - 1] >= '0' && name[begin - 1] <= '9') --begin;
  const std::size_t digits = name.size() - begin;
  if (digits == 0 || digits > 9 || (digits > 1 && name[begin] == '0')) return false;
  *prefix = name.substr(0, begin);
  *number = 0;
  for (const char c : name.substr(begin)) {
    *number = *number * 10 + static_cast<std::uint32_t>(c - '0');
  }
  return true;
}

}  // namespace

void PtxScopes::reset(PtxFunction* function) {
  function_ = function;
  scopes_.clear();
  open_.clear();
}

void PtxScopes::open() {
  Scope scope;
  scope.parent = open_.empty() ? kNoIndex : open_.back();
  open_.push_back(static_cast<std::uint32_t>(scopes_.size()));
  scopes_.push_back(std::move(scope));
}

void PtxScopes::close() { open_.pop_back(); }

std::uint32_t PtxScopes::add_register(std::string_view name, std::uint32_t number, DataType type) {
  function_->registers.push_back({name, number, type});
  return static_cast<std::uint32_t>(function_->registers.size() - 1);
}

void PtxScopes::declare_register(std::string_view name, DataType type) {
  scopes_[current()].registers[name] = add_register(name, kNoIndex, type);
}

void PtxScopes::declare_range(std::string_view prefix, std::uint32_t count, DataType type) {
  scopes_[current()].ranges.push_back({prefix, count, type, {}});
}

void PtxScopes::declare_variable(std::string_view name, std::uint32_t variable) {
  scopes_[current()].variables[name] = variable;
}

std::uint32_t PtxScopes::find_register(std::string_view name) {
  std::string_view prefix;
  std::uint32_t number = 0;
  const bool numbered = split_number(name, &prefix, &number);
  for (std::uint32_t at = current(); at != kNoIndex; at = scopes_[at].parent) {
    Scope& scope = scopes_[at];
    if (numbered) {
      for (Range& range : scope.ranges) {
        if (range.prefix != prefix || number >= range.count) continue;
        if (number >= range.index.size()) range.index.resize(std::size_t{number} + 1, kNoIndex);
        std::uint32_t& index = range.index[number];
        if (index == kNoIndex) index = add_register(prefix, number, range.type);
        return index;
      }
    }
    if (scope.registers.empty()) continue;
    const auto found = scope.registers.find(name);
    if (found != scope.registers.end()) return found->second;
  }
  return kNoIndex;
}

std::uint32_t PtxScopes::find_variable(std::string_view name) const {
  for (std::uint32_t at = current(); at != kNoIndex; at = scopes_[at].parent) {
    const auto found = scopes_[at].variables.find(name);
    if (found != scopes_[at].variables.end()) return found->second;
  }
  return kNoIndex;
}

bool PtxScopes::declare_label(std::string_view name, std::uint32_t instruction) {
  return scopes_[current()].labels.emplace(name, instruction).second;
}

std::uint32_t PtxScopes::find_label(std::string_view name, std::uint32_t scope) const {
  for (std::uint32_t at = scope; at != kNoIndex; at = scopes_[at].parent) {
    const auto found = scopes_[at].labels.find(name);
    if (found != scopes_[at].labels.end()) return found->second;
  }
  return kNoIndex;
}

}  // namespace tilescope
