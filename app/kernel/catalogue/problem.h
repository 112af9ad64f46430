#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/buffer_recipe.h"
#include "core/expression.h"
#include "core/result.h"

namespace tilescope {

// What a buffer is to the problem: the operands of a product, else an input or an output.
enum class Role { kNone, kA, kB, kC, kIn, kOut };

// A row-major matrix behind a pointer argument. Expressions over problem extents and parameters.
struct MatrixShape {
  std::string rows;  // "1" of a buffer that is no matrix
  std::string cols;
  std::string leading;  // elements between rows; >= cols
};

// The tensor map through which a kernel gets a matrix: expressions over problem extents and
// parameters.
struct TensorTemplate {
  std::string box_cols;  // elements of one copy
  std::string box_rows;
  std::string swizzle_bytes;  // 0, 32, 64, 128
};

struct ArgumentTemplate {
  std::string name;
  std::string buffer;  // the problem's buffer that it is; pointers only
  Role role = Role::kNone;
  ElementType type = ElementType::kF32;
  bool is_pointer = false;
  bool written = false;  // the kernel stores to it
  // Whether what the buffer held before counts: "" never, "always", or the scalar argument that
  // must not be 0.
  std::string accumulates;
  MatrixShape matrix;                    // pointers only
  std::optional<TensorTemplate> tensor;  // is_pointer is set, but the kernel gets a tensor map
  Fill fill = Fill::kRandom;
  std::string expression;  // Fill::kExpression only: also over problem extents and parameters
  std::uint64_t seed = 0;
  std::string value;  // scalars only: an expression, or a decimal number for floats
};

struct ExtentSpec {
  std::string name;     // "ROWS", as expressions and files have it
  std::string label;    // "rows", as charts have it
  std::string meaning;  // one phrase
  std::int64_t default_value = 1;
};

// What a kernel's result is compared with.
enum class ReferenceKind {
  kNone,
  kProduct,    // alpha A B + beta C, by the host or cuBLAS
  kTranspose,  // `in` with rows and columns exchanged
  kCopy,       // `in` as it is
  kElements,   // an expression over each element of `in` and its place, that the kernel states
  kKernel,     // what another kernel of the catalogue makes of the same inputs
};

// A problem that kernels solve, as its NAME.problem.json says it.
struct ProblemSpec {
  std::string name;                 // "gemm"
  std::string title;                // "GEMM"
  std::string result;               // "C = alpha A B + beta C"
  std::vector<ExtentSpec> extents;  // in the order of a size's text
  // Parameters of its kernels that change the result: the reference gets the same values.
  std::vector<std::string> parameters;
  std::vector<ArgumentTemplate> buffers;
  bool rated_in_flop = false;  // its rate is flop/s, else bytes/s
  std::string flop;            // expression; empty: no arithmetic to count
  std::string bytes;           // expression; empty: each input read once, each output written once
  // Expression: the error that rounding explains, in units of 2^-24. Of a product absolute, of a
  // reference kernel relative to the largest element. 0: bit for bit.
  std::string tolerance = "0";
  ReferenceKind reference = ReferenceKind::kNone;
  std::string reference_kernel;  // kKernel: its id
  std::filesystem::path file;

  [[nodiscard]] bool multiplies() const { return reference == ReferenceKind::kProduct; }
};

// A problem, shared: cheap to copy. Equal are problems of one name.
class Problem {
 public:
  // One of which nothing is known: its rate is bytes/s, and nothing can be compared.
  Problem();
  explicit Problem(ProblemSpec spec);

  const ProblemSpec* operator->() const { return spec_.get(); }
  const ProblemSpec& operator*() const { return *spec_; }
  friend bool operator==(const Problem& a, const Problem& b) { return a->name == b->name; }

 private:
  std::shared_ptr<const ProblemSpec> spec_;
};

// Names of a problem's extents, in their order: M, N, K or ROWS, COLS.
[[nodiscard]] std::vector<std::string> extent_names(const Problem& problem);

// "1024", "512x768" (RxC) or "2048x2048x1024" (MxNxK) as this problem's extents; one number stands
// for all of them.
[[nodiscard]] Result<ParameterSet> parse_size(const Problem& problem, std::string_view text);
// And back; "" where there are no such extents.
[[nodiscard]] std::string size_text(const Problem& problem, const ParameterSet& extents);

// Reads NAME.problem.json. Errors name the file, the line and the path of the wrong value.
[[nodiscard]] Result<Problem> load_problem(const std::filesystem::path& json_file);

}  // namespace tilescope
