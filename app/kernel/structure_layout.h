#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/buffer_recipe.h"
#include "kernel/catalogue.h"
#include "kernel/cuda_lexer.h"
#include "kernel/type_names.h"

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

  // By its name as a parameter has it: "Matrix", "const float4". nullopt: not defined in this text,
  // or with what is not laid out here (templates, unions, bit-fields, virtual functions).
  [[nodiscard]] std::optional<StructureLayout> find(std::string_view type) const;

 private:
  class Reader;
  void read_definitions(std::size_t first, std::size_t last);

  const std::vector<CudaToken>& tokens_;
  const ParameterSet& constants_;
  const TypeAliases& aliases_;
  std::map<std::string, std::optional<StructureLayout>, std::less<>> known_;
};

}  // namespace tilescope
