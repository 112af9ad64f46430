#pragma once
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "core/buffer_recipe.h"
#include "core/dim3.h"
#include "emulator/emulate.h"

namespace tilescope {

// A whole kernel with its launch and what must come of it, read from the comments of a .ptx file:
//   // launch: grid 2 block 64 [shared 128]
//   // argument: NAME SPEC          one per parameter, in order; SPEC as on the command line
//   // expect NAME: 1 2 3 7*29      values of a buffer; 7*29: 29 times 7; iota*32, iota+1*32:
//   rising
//   // finding: KIND on "TEXT"      the finding's instruction begins with TEXT; none otherwise
//   // incomplete                   complete must be false
struct PtxCase {
  std::string name;
  std::string ptx;
  Dim3 grid;
  Dim3 block;
  std::uint32_t dynamic_shared_bytes = 0;
  struct NamedArgument {
    std::string name;
    ArgumentSpec spec;
  };
  std::vector<NamedArgument> arguments;
  struct Expectation {
    std::string buffer;
    std::vector<std::string> values;  // words, expanded
  };
  std::vector<Expectation> expectations;
  struct ExpectedFinding {
    std::string kind;
    std::string text;
  };
  std::vector<ExpectedFinding> findings;
  bool complete = true;
};

[[nodiscard]] std::vector<PtxCase> load_ptx_cases(const std::filesystem::path& folder);

// A buffer's element as text: integers in decimal, floats shortest.
[[nodiscard]] std::string element_text(const std::byte* at, ElementType type);

}  // namespace tilescope
