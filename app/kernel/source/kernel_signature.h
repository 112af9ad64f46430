#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/buffer_recipe.h"
#include "core/dim3.h"
#include "kernel/catalogue/catalogue.h"
#include "kernel/source/structure_layout.h"
#include "kernel/text/cuda_lexer.h"

namespace tilescope {

// One parameter of a kernel as it stands in its source, or a number or pointer in one that is a
// structure.
struct ParameterText {
  std::string name;  // of a member: "image.width"
  std::string type;  // "const float*", ".u64" in PTX
  bool is_pointer = false;
  bool is_const = false;               // a pointer to what the kernel only reads
  std::optional<ElementType> element;  // of the number, or behind the pointer; none: another type
  std::optional<StructureMember> member;  // none: a parameter by itself
  std::uint32_t pointee_bytes = 0;        // of a structure or vector behind a pointer; else 0
  // A number that the kernel compares with, or multiplies its place in the grid by, as a stride.
  bool is_bound = false;
  bool is_row = false;  // PTX: a number of elements that each block along x has to itself
  // Behind a pointer to what holds pointers itself: the members of one, to some depth.
  std::vector<ParameterText> behind = {};
};

// What can be said of a kernel without compiling it.
struct KernelSignature {
  std::string name;  // as find_kernels() gives it; an .entry's in PTX
  bool is_template = false;
  std::vector<ParameterText> parameters;      // structures that are known, member by member
  std::uint32_t most_threads = 0;             // of __launch_bounds__ or .maxntid; 0: not said
  std::string most_threads_text;              // as it is written, where only a template's number
                                              // says how many that are
  std::optional<Dim3> most_block;             // .maxntid's extents
  std::optional<Dim3> required_block;         // of __block_size__ or .reqntid
  Dim3 cluster{1, 1, 1};                      // blocks that the grid must be a multiple of
  bool is_plane = false;                      // its threads have a y
  bool is_plane_where_called = false;         // only those of functions that it calls
  std::optional<ElementType> dynamic_shared;  // elements of its extern __shared__ array
};

// Of the __global__ functions with a body, or the .entry functions, in order. Never fails: what is
// not understood is left empty.
[[nodiscard]] std::vector<KernelSignature> find_signatures(const std::string& path,
                                                           const std::string& source);

// What stands in a CUDA file from the first word of a kernel to its last }; of several of the name
// that a signature has, one after the other.
[[nodiscard]] std::string kernel_text(const std::string& source, std::string_view name);

// A parameter that is a structure, taken apart. `index`: among the kernel's parameters.
[[nodiscard]] std::vector<ParameterText> members_of(const ParameterText& parameter,
                                                    std::uint32_t index,
                                                    const StructureLayout& layout);

// What the parameter's pointer leads to, ParameterText::behind; empty: no pointers.
[[nodiscard]] std::vector<ParameterText> behind_pointer(const ParameterText& parameter,
                                                        const StructureTable& structures);

// Values of the file's macros and constants that are whole numbers: #define N 32, constexpr int.
// `given` stand as they are, and others follow from them.
[[nodiscard]] ParameterSet find_constants(const std::vector<CudaToken>& tokens,
                                          ParameterSet given = {});

}  // namespace tilescope
