#include "ptx_case.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
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

Dim3 parse_extent(const std::string& text) {
  Dim3 extent;
  std::sscanf(text.c_str(), "%u,%u,%u", &extent.x, &extent.y, &extent.z);
  return extent;
}

// "7*29" -> 29 times "7"; "iota+5*4" -> 5 6 7 8.
void expand(const std::string& word, std::vector<std::string>* values) {
  const std::size_t star = word.find('*');
  const std::string what = word.substr(0, star);
  const int times = star == std::string::npos ? 1 : std::stoi(word.substr(star + 1));
  for (int i = 0; i < times; ++i) {
    if (what.starts_with("iota")) {
      values->push_back(std::to_string(i + (what.size() > 4 ? std::stoi(what.substr(4)) : 0)));
    } else {
      values->push_back(what);
    }
  }
}

void read_comment(const std::string& line, PtxCase* read) {
  const std::vector<std::string> words = words_of(line.substr(2));
  if (words.empty()) return;
  if (words[0] == "launch:") {
    for (std::size_t i = 1; i + 1 < words.size(); i += 2) {
      if (words[i] == "grid") read->grid = parse_extent(words[i + 1]);
      if (words[i] == "block") read->block = parse_extent(words[i + 1]);
      if (words[i] == "shared")
        read->dynamic_shared_bytes = static_cast<std::uint32_t>(std::stoul(words[i + 1]));
    }
  } else if (words[0] == "argument:") {
    const auto spec = parse_argument_spec(words.at(2));
    EXPECT_TRUE(spec.ok()) << read->name << ": " << line;
    if (spec) read->arguments.push_back({words[1], *spec});
  } else if (words[0] == "expect") {
    PtxCase::Expectation expectation;
    expectation.buffer = words.at(1).substr(0, words[1].size() - 1);
    for (std::size_t i = 2; i < words.size(); ++i) expand(words[i], &expectation.values);
    read->expectations.push_back(expectation);
  } else if (words[0] == "finding:") {
    const std::size_t quote = line.find('"');
    read->findings.push_back({words.at(1), line.substr(quote + 1, line.rfind('"') - quote - 1)});
  } else if (words[0] == "incomplete") {
    read->complete = false;
  }
}

template <class T>
T read_as(const std::byte* at) {
  T value;
  std::memcpy(&value, at, sizeof value);
  return value;
}

}  // namespace

std::vector<PtxCase> load_ptx_cases(const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> paths;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() == ".ptx") paths.push_back(entry.path());
  }
  std::sort(paths.begin(), paths.end());
  std::vector<PtxCase> cases;
  for (const auto& path : paths) {
    PtxCase read;
    read.name = path.stem().string();
    std::ifstream file(path);
    for (std::string line; std::getline(file, line);) {
      if (line.starts_with("//")) read_comment(line, &read);
      read.ptx += line + "\n";
    }
    cases.push_back(read);
  }
  return cases;
}

std::string element_text(const std::byte* at, ElementType type) {
  switch (type) {
    case ElementType::kI8:
      return std::to_string(read_as<std::int8_t>(at));
    case ElementType::kU8:
      return std::to_string(read_as<std::uint8_t>(at));
    case ElementType::kI16:
      return std::to_string(read_as<std::int16_t>(at));
    case ElementType::kU16:
    case ElementType::kF16:
    case ElementType::kBf16:
      return std::to_string(read_as<std::uint16_t>(at));
    case ElementType::kI32:
      return std::to_string(read_as<std::int32_t>(at));
    case ElementType::kU32:
      return std::to_string(read_as<std::uint32_t>(at));
    case ElementType::kI64:
      return std::to_string(read_as<std::int64_t>(at));
    case ElementType::kU64:
      return std::to_string(read_as<std::uint64_t>(at));
    case ElementType::kF32:
      return fmt::format("{}", read_as<float>(at));
    case ElementType::kF64:
      return fmt::format("{}", read_as<double>(at));
  }
  return {};
}

}  // namespace tilescope
