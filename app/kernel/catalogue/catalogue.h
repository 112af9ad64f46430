#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/result.h"
#include "kernel/catalogue/problem.h"

namespace tilescope {

struct ParameterSpec {
  std::string name;     // the macro's name
  std::string meaning;  // one phrase
  std::string unit;     // "rows", "floats", "stages" ...
  std::int64_t default_value = 0;
  std::vector<std::int64_t> values;  // every value a slider offers, ascending
};

// A condition over the parameters, the extents and the device's limits that must not be zero.
struct RuleSpec {
  std::string condition;  // expression, core/expression.h
  std::string message;    // "TILE_M must be a multiple of THREAD_M"
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
  Problem problem;
  std::string kernel;  // the __global__ function's name
  std::vector<ParameterSpec> parameters;
  std::vector<RuleSpec> rules;
  std::string grid[3];  // expressions
  std::string block[3];
  std::string dynamic_shared_bytes;
  std::vector<ArgumentTemplate> arguments;  // in the kernel's order
  std::string
      reference;  // ReferenceKind::kElements: an expression over in, row, col and the rest's names
  // ReferenceKind::kKernel: the kernel that says what comes out, without one of its own.
  std::string reference_id;
  std::shared_ptr<const CatalogueEntry> reference_entry;
  // "3xTF32" where the JSON says so, else the type of what is read first: "f32". Rates of kernels
  // that differ in it are not ranked together.
  std::string arithmetic;
  std::map<std::string, std::string> phases;  // phase name -> what it is called on screen
  ParameterSet default_extents;
  std::filesystem::path source_file;
  std::string source;  // the .cu as it stands
};

struct Catalogue {
  std::vector<CatalogueEntry> entries;  // by family, then step
  std::vector<Problem> problems;        // by name

  // nullptr when there is none; accepts "gemm/naive" only.
  [[nodiscard]] const CatalogueEntry* find(std::string_view id) const;
};

// Reads every NAME.problem.json and every NN_idea.json (with its .cu) under the folders, e.g.
// kernels/ and the user's own. A broken one fails with its file, its line and the path of the wrong
// value: a key that does not exist, an expression that cannot be understood or names what is no
// parameter, a default that is not among the values ... It never passes silently.
[[nodiscard]] Result<Catalogue> load_catalogue(const std::vector<std::filesystem::path>& folders);

// Names by which rules ask for the device's limits: compute_capability, max_threads_per_block,
// shared_bytes_per_block, shared_bytes_per_block_optin, registers_per_block, multiprocessors.
[[nodiscard]] const std::vector<std::string>& device_limit_names();

}  // namespace tilescope
