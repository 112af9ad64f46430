#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "core/buffer_recipe.h"
#include "core/result.h"

namespace tilescope {

// Values of macros (TILE_M ...) or of a problem's extents (M, N, K; ROWS, COLS), by name.
using ParameterSet = std::map<std::string, std::int64_t>;

struct ParameterSpec {
  std::string name;     // the macro's name
  std::string meaning;  // one phrase
  std::string unit;     // "rows", "floats", "stages" ...
  std::int64_t default_value = 0;
  std::vector<std::int64_t> values;  // every value a slider offers, ascending
};

// A condition over the parameters, the extents and the device's limits that must not be zero.
struct RuleSpec {
  std::string condition;  // expression, kernel/catalogue/expression.h
  std::string message;    // "TILE_M must be a multiple of THREAD_M"
};

// What a kernel's result must be: alpha A B + beta C; `in` with rows and columns exchanged; `in` as
// it is; or an expression over each element of `in` and its place.
enum class Problem { kGemm, kTranspose, kCopy, kElementwise };
enum class Role { kNone, kA, kB, kC, kIn, kOut };

// A row-major matrix behind a pointer argument. Extents are expressions over problem extents.
struct MatrixShape {
  std::string rows;
  std::string cols;
  std::string leading;  // elements between rows; >= cols
};

struct ArgumentTemplate {
  std::string name;
  Role role = Role::kNone;
  ElementType type = ElementType::kF32;
  bool is_pointer = false;
  bool written = false;  // the kernel stores to it
  MatrixShape matrix;    // pointers only
  Fill fill = Fill::kRandom;
  std::uint64_t seed = 0;
  std::string value;  // scalars only: an expression, or a decimal number for floats
};

// What a kernel is worth looking at for: a view, and values to try there.
struct Watch {
  std::string view;         // as `tilescope export --view` names it: "banks"
  std::string words;        // what is to be seen there, a sentence or two
  ParameterSet parameters;  // to see it with; empty: as they stand
};

struct CatalogueEntry {
  std::string id;      // "gemm/register_tile"
  std::string family;  // "gemm"
  int step = 0;        // place on its family's ladder; the file's number
  std::string title;
  std::string idea;  // one sentence
  std::vector<std::string>
      seeds;                 // where the idea comes from: "000: Caching Data in Shared Memory"
  std::vector<Watch> watch;  // what to watch, the first thing first
  Problem problem = Problem::kGemm;
  std::string kernel;  // the __global__ function's name
  std::vector<ParameterSpec> parameters;
  std::vector<RuleSpec> rules;
  std::string grid[3];  // expressions
  std::string block[3];
  std::string dynamic_shared_bytes;
  std::vector<ArgumentTemplate> arguments;  // in the kernel's order
  std::string reference;  // elementwise only: an expression over in, row, col and the rest's names
  std::map<std::string, std::string> phases;  // phase name -> what it is called on screen
  ParameterSet default_extents;
  std::filesystem::path source_file;
  std::string source;  // the .cu as it stands
};

struct Catalogue {
  std::vector<CatalogueEntry> entries;  // by family, then step

  // nullptr when there is none; accepts "gemm/naive" only.
  [[nodiscard]] const CatalogueEntry* find(std::string_view id) const;
};

// Reads every NN_idea.json (with its .cu) under the folders, e.g. kernels/ and the user's own.
// A broken entry fails with its file and line; it never passes silently.
[[nodiscard]] Result<Catalogue> load_catalogue(const std::vector<std::filesystem::path>& folders);

// "1024", "512x768" (RxC) or "2048x2048x1024" (MxNxK) as this problem's extents.
[[nodiscard]] Result<ParameterSet> parse_size(Problem problem, std::string_view text);
// And back; "" where there are no such extents.
[[nodiscard]] std::string size_text(const ParameterSet& extents);

// Reads NN_idea.json and the NN_idea.cu beside it. Errors name the file, the line and the path of
// the wrong value: a key that does not exist, an expression that cannot be understood or names what
// is no parameter, a default that is not among the values ...
[[nodiscard]] Result<CatalogueEntry> load_entry(const std::filesystem::path& json_file);

// Names of a problem's extents: M, N, K or ROWS, COLS.
[[nodiscard]] std::vector<std::string> extent_names(Problem problem);

// Names by which rules ask for the device's limits: compute_capability, max_threads_per_block,
// shared_bytes_per_block, shared_bytes_per_block_optin, registers_per_block, multiprocessors.
[[nodiscard]] const std::vector<std::string>& device_limit_names();

}  // namespace tilescope
