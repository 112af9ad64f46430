#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/buffer_recipe.h"
#include "kernel/catalogue/catalogue.h"
#include "kernel/source/type_names.h"
#include "kernel/text/cuda_lexer.h"

namespace tilescope {

// A number or pointer in a structure.
struct StructureField {
  std::string name;  // "width", "corner.x", "weights[3]"
  std::string type;  // as declared: "const float*"
  bool is_pointer = false;
  bool is_const = false;               // a pointer to what is only read
  std::optional<ElementType> element;  // of the number, or behind the pointer; none: another type
  std::uint32_t offset = 0;            // bytes
};

struct StructureLayout {
  std::vector<StructureField> fields;
  std::uint32_t bytes = 0;
  std::uint32_t alignment = 1;
};

// The structures that a CUDA file defines, laid out as host and device compilers do (CUDA C++
// Programming Guide, "Built-in Vector Types", and the Itanium C++ ABI), and CUDA's own vectors.
class StructureTable {
 public:
  // `constants`: lengths of arrays, find_constants().
  StructureTable(const std::vector<CudaToken>& tokens, const ParameterSet& constants,
                 const TypeAliases& aliases);

  // By its name as a parameter has it: "Matrix", "const float4", "Ring<float, 4>". nullopt: not
  // defined in this text, or with what is not laid out here (unions, bit-fields, virtual
  // functions).
  [[nodiscard]] std::optional<StructureLayout> find(std::string_view type) const;
  // Of any size, as one in shared memory; nullopt: as above.
  [[nodiscard]] std::optional<std::uint64_t> bytes_of(std::string_view type) const;

 private:
  class Reader;
  // What a template's parameters stand for in one of its instances.
  struct Bound {
    ParameterSet numbers;
    std::map<std::string, std::string, std::less<>> types;
  };
  struct Parameter {
    std::string name;
    std::string argument;  // if none is given; empty: one has to be
  };
  struct Template {
    std::vector<Parameter> parameters;
    std::size_t first = 0;  // behind its brace
    std::size_t last = 0;   // the brace that closes it
    std::uint32_t alignment = 1;
  };
  void read_definitions(std::size_t first, std::size_t last);
  void read_template(std::size_t key, std::size_t open, std::uint32_t alignment,
                     const std::string& name);
  // Of a template's name with its arguments; `sizes_alone`: without fields, and of any size.
  [[nodiscard]] std::optional<StructureLayout> instance_of(std::string_view type,
                                                           bool sizes_alone) const;

  const std::vector<CudaToken>& tokens_;
  const ParameterSet& constants_;
  const TypeAliases& aliases_;
  std::map<std::string, std::optional<StructureLayout>, std::less<>> known_;
  std::map<std::string, Template, std::less<>> templates_;
  mutable int depth_ = 0;  // of instances in instances
};

inline constexpr std::uint32_t kMostParameterBytes = 32764;  // of a kernel, CUDA 12.1 and later

[[nodiscard]] constexpr std::uint32_t rounded_up(std::uint32_t bytes, std::uint32_t alignment) {
  return (bytes + alignment - 1) / alignment * alignment;
}

// Where an argument lies that is a member of a structure, handed to a kernel by value.
struct StructureMember {
  std::uint32_t parameter = 0;        // the structure's index among the kernel's parameters
  std::uint32_t offset = 0;           // of the member, in bytes
  std::uint32_t structure_bytes = 0;  // of the whole structure

  friend bool operator==(const StructureMember&, const StructureMember&) = default;
};

// Index among the kernel's parameters of each argument of a list in turn: one that is no member is
// a parameter by itself.
class ParameterIndex {
 public:
  [[nodiscard]] std::uint32_t next(const std::optional<StructureMember>& member) {
    const std::uint32_t index = member ? member->parameter : next_;
    next_ = index + 1;
    return index;
  }
  [[nodiscard]] std::uint32_t count() const { return next_; }  // of parameters so far

 private:
  std::uint32_t next_ = 0;
};

}  // namespace tilescope
