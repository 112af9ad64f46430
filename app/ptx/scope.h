#pragma once
#include <string_view>
#include <unordered_map>
#include <vector>

#include "ptx/syntax.h"

namespace tilescope {

// Names that are visible at a point of a function: registers and variables, by nested braces.
// Registers of a range (%r<100>) get their index when they are first used, so a declared range
// costs nothing.
class PtxScopes {
 public:
  static constexpr std::uint32_t kMostDeclared = 1u << 22;  // registers of one range

  void reset(PtxFunction* function);
  void open();
  void close();
  [[nodiscard]] std::size_t depth() const { return open_.size(); }
  [[nodiscard]] std::uint32_t current() const { return open_.back(); }

  void declare_register(std::string_view name, DataType type);
  void declare_range(std::string_view prefix, std::uint32_t count, DataType type);
  void declare_variable(std::string_view name, std::uint32_t variable);
  [[nodiscard]] std::uint32_t find_register(std::string_view name);  // kNoIndex: none
  [[nodiscard]] std::uint32_t find_variable(std::string_view name) const;

  // A label belongs to the scope it stands in and is seen from the scopes inside.
  [[nodiscard]] bool declare_label(std::string_view name, std::uint32_t instruction);
  [[nodiscard]] std::uint32_t find_label(std::string_view name, std::uint32_t scope) const;

 private:
  struct Range {
    std::string_view prefix;
    std::uint32_t count = 0;
    DataType type = DataType::kB32;
    std::vector<std::uint32_t> index;  // by number, as far as used
  };
  struct Scope {
    std::uint32_t parent = kNoIndex;
    std::vector<Range> ranges;
    std::unordered_map<std::string_view, std::uint32_t> registers;
    std::unordered_map<std::string_view, std::uint32_t> variables;
    std::unordered_map<std::string_view, std::uint32_t> labels;
  };
  std::uint32_t add_register(std::string_view name, std::uint32_t number, DataType type);

  PtxFunction* function_ = nullptr;
  std::vector<Scope> scopes_;
  std::vector<std::uint32_t> open_;
};

}  // namespace tilescope
