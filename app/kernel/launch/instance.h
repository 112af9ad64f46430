#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/device_table.h"
#include "core/dim3.h"
#include "kernel/catalogue/catalogue.h"
#include "kernel/launch/tensor_shape.h"
#include "kernel/launch/texture_shape.h"
#include "kernel/source/structure_layout.h"

namespace tilescope {

// One argument with its numbers filled in: a parameter of the kernel, or a number or pointer in one
// that is a structure.
struct Argument {
  std::string name;     // of a member: "image.width"
  std::string operand;  // the problem's buffer that it is: "in"; pointers of the catalogue only
  Role role = Role::kNone;
  ElementType type = ElementType::kF32;
  bool is_pointer = false;
  bool written = false;
  std::string accumulates;              // ArgumentTemplate::accumulates
  BufferRecipe buffer;                  // pointers; of a texture, its texels
  std::optional<TextureShape> texture;  // is_pointer is set, but the kernel gets an object
  std::optional<TensorShape> tensor;    // likewise: the kernel gets a tensor map of the buffer
  std::uint64_t rows = 0;               // pointers; 0: the shape is not said
  std::uint64_t cols = 0;
  std::uint64_t leading = 0;              // elements
  std::uint64_t bits = 0;                 // scalars, little-endian in the low bytes
  std::optional<StructureMember> member;  // none: a parameter by itself
  // Pointers to structures that hold pointers: the members of each of them, which fill the buffer.
  // A pointer among them leads to a buffer of its own in every structure.
  std::vector<Argument> behind = {};

  // Of those that `behind` describes.
  [[nodiscard]] std::uint64_t structures() const {
    return behind.empty() ? 0 : buffer.bytes() / behind.front().member->structure_bytes;
  }
};
// Bytes that it takes among the kernel's parameters; a tensor map that is no member may be an
// address too, and counts as one.
[[nodiscard]] std::uint32_t parameter_bytes(const Argument& argument);

// Everything needed to compile and launch one kernel once: a catalogue entry at given parameters
// and extents, or a file of the user's with a launch of their own.
struct KernelInstance {
  std::string id;  // catalogue id, or the file's name
  std::string title;
  std::string file_name;   // as shown and as compilers report it
  std::string source;      // CUDA C++, or PTX where is_ptx()
  std::string kernel;      // function name, or a template's name expression
  std::string arithmetic;  // CatalogueEntry::arithmetic; "" of a file
  std::optional<Problem> problem;
  std::string reference;  // ReferenceKind::kElements only, CatalogueEntry::reference
  // ReferenceKind::kKernel only: what makes the right result, of the same size and inputs.
  std::shared_ptr<const KernelInstance> reference_kernel;
  ParameterSet parameters;  // the catalogue's become -DNAME=VALUE; a file's are in its text
                            // or in defines (kernel/launch/source_parameters.h)
  ParameterSet extents;     // M, N, K or ROWS, COLS; empty for a file
  std::vector<std::string> defines;  // further NAME=VALUE
  std::vector<std::string> include_directories;
  Dim3 grid;
  Dim3 block;
  std::uint32_t dynamic_shared_bytes = 0;
  std::vector<Argument> arguments;

  [[nodiscard]] bool is_ptx() const { return file_name.ends_with(".ptx"); }
  // Of the catalogue's problems: alpha A B + beta C; one whose rate is flop/s.
  [[nodiscard]] bool multiplies() const { return problem && (*problem)->multiplies(); }
  [[nodiscard]] bool rated_in_flop() const { return problem && (*problem)->rated_in_flop; }
};

// A rule that the parameters break, and the way back.
struct RuleViolation {
  std::string message;                  // the rule's own words with the present values
  std::vector<std::string> parameters;  // the parameters that the rule names
  std::map<std::string, std::vector<std::int64_t>>
      legal_values;            // per such parameter, the others as they are
  ParameterSet nearest_legal;  // fewest steps on the sliders away; empty: none exists
};

// Rules of the entry and of the device (threads per block, shared memory, grid extents). Empty:
// legal.
[[nodiscard]] std::vector<RuleViolation> check_rules(const CatalogueEntry& entry,
                                                     const ParameterSet& parameters,
                                                     const ParameterSet& extents,
                                                     const DeviceModel& device);

// Defaults, with `changes` on top; an unknown name or a value that is not offered is an error that
// lists what is.
[[nodiscard]] Result<ParameterSet> complete_parameters(const CatalogueEntry& entry,
                                                       const ParameterSet& changes);

// Fails with the first violation's message and remedy when a rule is broken.
[[nodiscard]] Result<KernelInstance> instantiate(const CatalogueEntry& entry,
                                                 const ParameterSet& parameters,
                                                 const ParameterSet& extents,
                                                 const DeviceModel& device);

// "2048x2048x1024"; "" of a file.
[[nodiscard]] std::string size_of(const KernelInstance& instance);

// Whether what the buffer held before the launch counts: C where beta is not 0, a sum that blocks
// add to.
[[nodiscard]] bool accumulates(const KernelInstance& instance, const Argument& argument);

// Floating-point operations of the problem (2MNK of a GEMM) and the bytes it must move at the least
// (each input read once, each output written once), as the problem states them.
struct ProblemCost {
  double flop = 0;
  double bytes = 0;
};
[[nodiscard]] ProblemCost problem_cost(const KernelInstance& instance);
// Of a size alone, with the buffers as the problem has them and nothing accumulated.
[[nodiscard]] ProblemCost problem_cost(const Problem& problem, const ParameterSet& extents);
// The error that rounding explains: Problem's tolerance of this instance, as a number.
[[nodiscard]] double rounding_tolerance(const KernelInstance& instance);

// Whether both launch the same text in the same way on the same inputs: a measurement of one is one
// of the other.
[[nodiscard]] bool same_instance(const KernelInstance& a, const KernelInstance& b);

}  // namespace tilescope
