#pragma once
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace tilescope {

// One instruction with operands and the results they must give; read from cases/*.isa.
struct IsaCase {
  std::string file;
  int line = 0;
  std::string opcode;                      // "add.sat.s32"
  std::string result_type;                 // b16 b32 b64 f32 f64 pred
  std::vector<std::string> operand_types;  // those, or imm
  struct Row {
    int line = 0;
    std::vector<std::string> operands;
    std::string result;
  };
  std::vector<Row> rows;  // at most 32; with imm operands: one
};

// Every case of a folder's .isa files. Rows whose immediates differ become cases of their own.
[[nodiscard]] std::vector<IsaCase> load_isa_cases(const std::filesystem::path& folder);

// "-5", "0x7f", "1.5", "inf" as the bits of a value of the type.
[[nodiscard]] std::uint64_t parse_value(const std::string& text, const std::string& type);

[[nodiscard]] unsigned bytes_of_case_type(const std::string& type);

// A module whose kernel computes row l in lane l, for the lanes of `lanes` only:
// kernel(out, operand 0, operand 1 ...), all of 64-bit cells.
[[nodiscard]] std::string module_for(const IsaCase& isa_case, std::uint32_t lanes);

}  // namespace tilescope
