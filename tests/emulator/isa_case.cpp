#include "isa_case.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <fstream>
#include <sstream>

namespace tilescope {
namespace {

std::vector<std::string> words_of(const std::string& line) {
  std::istringstream stream(line);
  std::vector<std::string> words;
  for (std::string word; stream >> word;) words.push_back(word);
  return words;
}

std::string register_prefix(const std::string& type) {
  if (type == "pred") return "%p";
  return "%" + type + "_";
}

void read_file(const std::filesystem::path& path, std::vector<IsaCase>* cases) {
  std::ifstream file(path);
  std::string line;
  for (int number = 1; std::getline(file, line); ++number) {
    if (line.empty() || line[0] == '#') continue;
    const std::vector<std::string> words = words_of(line);
    const auto equals = std::find(words.begin(), words.end(), "=");
    if (words.empty() || equals == words.end()) continue;
    if (line[0] != ' ') {
      IsaCase header;
      header.file = path.filename().string();
      header.line = number;
      header.opcode = words[0];
      header.result_type = words[1];
      header.operand_types.assign(equals + 1, words.end());
      cases->push_back(header);
    } else {
      cases->back().rows.push_back({number, {words.begin(), equals}, words.back()});
    }
  }
}

}  // namespace

std::vector<IsaCase> load_isa_cases(const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> paths;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() == ".isa") paths.push_back(entry.path());
  }
  std::sort(paths.begin(), paths.end());
  std::vector<IsaCase> read;
  for (const auto& path : paths) read_file(path, &read);
  std::vector<IsaCase> cases;
  for (const IsaCase& whole : read) {
    const bool immediates =
        std::count(whole.operand_types.begin(), whole.operand_types.end(), "imm") != 0;
    IsaCase part = whole;
    part.rows.clear();
    for (const IsaCase::Row& row : whole.rows) {
      part.rows.push_back(row);
      if (!immediates) continue;
      part.line = row.line;
      cases.push_back(part);
      part.rows.clear();
    }
    if (!part.rows.empty()) cases.push_back(part);
  }
  return cases;
}

unsigned bytes_of_case_type(const std::string& type) {
  if (type == "b64" || type == "f64") return 8;
  return type == "b16" ? 2 : 4;
}

std::uint64_t parse_value(const std::string& text, const std::string& type) {
  std::uint64_t bits = 0;
  if (text.starts_with("0x")) {
    bits = std::strtoull(text.c_str() + 2, nullptr, 16);
  } else if (text.starts_with("0b")) {
    bits = std::strtoull(text.c_str() + 2, nullptr, 2);
  } else if (type == "f32") {
    bits = text == "nan" ? 0x7fc00000u
                         : std::bit_cast<std::uint32_t>(std::strtof(text.c_str(), nullptr));
  } else if (type == "f64") {
    bits = text == "nan" ? 0x7ff8000000000000u
                         : std::bit_cast<std::uint64_t>(std::strtod(text.c_str(), nullptr));
  } else {
    bits = text[0] == '-' ? static_cast<std::uint64_t>(std::strtoll(text.c_str(), nullptr, 10))
                          : std::strtoull(text.c_str(), nullptr, 10);
  }
  const unsigned bytes = bytes_of_case_type(type);
  return bytes == 8 ? bits : bits & ((std::uint64_t{1} << (8 * bytes)) - 1);
}

std::string module_for(const IsaCase& isa_case, std::uint32_t lanes) {
  std::string text =
      ".version 9.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 out";
  for (std::size_t i = 0; i < isa_case.operand_types.size(); ++i)
    text += fmt::format(", .param .u64 in{}", i);
  text +=
      ")\n{\n.reg .pred %p<9>;\n.reg .pred %on;\n.reg .b16 %b16_<9>;\n.reg .b32 %b32_<9>;\n.reg "
      ".b64 %b64_<9>;\n"
      ".reg .f32 %f32_<9>;\n.reg .f64 %f64_<9>;\n.reg .b32 %lane, %t;\n.reg .b64 %at, %offset;\n"
      "mov.u32 %lane, %laneid;\nmul.wide.u32 %offset, %lane, 8;\n";
  std::string operands;
  for (std::size_t i = 0; i < isa_case.operand_types.size(); ++i) {
    const std::string& type = isa_case.operand_types[i];
    if (type == "imm") {
      operands += ", " + isa_case.rows[0].operands[i];
      continue;
    }
    const std::string name = fmt::format("{}{}", register_prefix(type), i + 1);
    operands += ", " + name;
    text += fmt::format("ld.param.u64 %at, [in{}];\nadd.u64 %at, %at, %offset;\n", i);
    if (type == "pred") {
      text += fmt::format("ld.global.u32 %t, [%at];\nsetp.ne.u32 {}, %t, 0;\n", name);
    } else {
      text += fmt::format("ld.global.{} {}, [%at];\n", type, name);
    }
  }
  const std::string result = register_prefix(isa_case.result_type) + "0";
  // Lanes that are left out keep what they had: 0x55.
  if (isa_case.result_type == "pred") {
    text += fmt::format("setp.ne.u32 {}, %lane, %lane;\n", result);
  } else {
    const unsigned bytes = bytes_of_case_type(isa_case.result_type);
    text += fmt::format("mov.b{} {}, 0x55;\n", 8 * bytes, result);
  }
  const std::string instruction = fmt::format("{} {}{};\n", isa_case.opcode, result, operands);
  if (lanes == 0xffffffff) {
    text += instruction;
  } else {
    text +=
        fmt::format("shr.u32 %t, {}, %lane;\nand.b32 %t, %t, 1;\nsetp.eq.u32 %on, %t, 1;\n@%on {}",
                    lanes, instruction);
  }
  text += "ld.param.u64 %at, [out];\nadd.u64 %at, %at, %offset;\n";
  if (isa_case.result_type == "pred") {
    text += fmt::format("selp.b32 %t, 1, 0, {};\nst.global.u32 [%at], %t;\n", result);
  } else {
    text += fmt::format("st.global.{} [%at], {};\n", isa_case.result_type, result);
  }
  return text + "ret;\n}\n";
}

}  // namespace tilescope
