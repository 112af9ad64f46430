#include "exec/program_input.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <map>
#include <string_view>
#include <system_error>
#include <vector>

#include "core/number_text.h"
#include "core/text.h"
#include "kernel/text/cuda_lexer.h"
#include "kernel/text/declarations.h"

namespace tilescope {
namespace {

constexpr std::size_t kMostArguments = 16;

// What main() may read an argument as, and an example of it.
struct Read {
  std::string_view as;
  std::string_view example;
};

// The function that reads what stands at `at`: the nearest word before it with a bracket behind, in
// the same statement; or the stream that is opened.
Read reader_of(const std::vector<CudaToken>& tokens, std::size_t at) {
  constexpr std::array<std::string_view, 11> kWhole{"atoi",    "atol",    "atoll", "strtol",
                                                    "strtoul", "strtoll", "stoi",  "stol",
                                                    "stoul",   "stoull",  "sscanf"};
  constexpr std::array<std::string_view, 6> kReal{"atof", "strtod", "strtof",
                                                  "stof", "stod",   "stold"};
  constexpr std::array<std::string_view, 8> kFile{"fopen",    "ifstream", "open",    "freopen",
                                                  "ofstream", "imread",   "fstream", "stbi_load"};
  for (std::size_t i = at; i-- > 0 && !tokens[i].is(";") && !tokens[i].is("{");) {
    if (is_one_of(tokens[i].text, kWhole)) return {"a whole number", "64"};
    if (is_one_of(tokens[i].text, kReal)) return {"a number", "0.5"};
    if (is_one_of(tokens[i].text, kFile)) return {"a file", "FILE"};
  }
  return {"", "TEXT"};
}

// By place what main() reads of its arguments.
std::map<std::size_t, Read> arguments_read(const std::vector<CudaToken>& tokens) {
  std::map<std::size_t, Read> read;
  for (const Declaration& declaration : find_declarations(tokens)) {
    const bool is_main = declaration.kind == Declaration::Kind::kFunction &&
                         declaration.name == "main" && declaration.scope.empty();
    for (std::size_t i = declaration.first; is_main && i + 3 < declaration.last; ++i) {
      const bool is_argument =
          (tokens[i].is("argv") || tokens[i].is("args") || tokens[i].is("av")) &&
          tokens[i + 1].is("[") && tokens[i + 3].is("]");
      const auto place = is_argument ? parse_number<std::size_t>(tokens[i + 2].text) : std::nullopt;
      if (!place || *place == 0 || *place > kMostArguments) continue;
      const Read reader = reader_of(tokens, i);
      if (read[*place].as.empty()) read[*place] = reader;
    }
  }
  return read;
}

// Names in the text of files that are opened for reading.
std::vector<std::string> files_opened(const std::vector<CudaToken>& tokens) {
  constexpr std::array<std::string_view, 4> kOpen{"fopen", "ifstream", "imread", "stbi_load"};
  std::vector<std::string> files;
  for (std::size_t i = 0; i + 2 < tokens.size(); ++i) {
    if (!is_one_of(tokens[i].text, kOpen)) continue;
    const std::size_t open = tokens[i + 1].is("(") ? i + 1 : i + 2;  // ifstream in("a.txt")
    if (open + 1 >= tokens.size() || !tokens[open].is("(")) continue;
    const CudaToken& name = tokens[open + 1];
    const bool writes = open + 3 < tokens.size() && tokens[open + 3].text.starts_with("\"w");
    const bool is_plain = name.text.size() > 2 && name.text.front() == '"' &&
                          name.text.find('\\') == std::string_view::npos;
    if (!writes && is_plain) files.emplace_back(name.text.substr(1, name.text.size() - 2));
  }
  return files;
}

}  // namespace

std::string missing_input(const std::string& source, const std::string& name, std::size_t given,
                          const std::filesystem::path& folder) {
  const std::vector<CudaToken> tokens = tokenize(source);
  const std::map<std::size_t, Read> read = arguments_read(tokens);
  std::vector<std::string> lacks;
  std::string command = fmt::format("tilescope exec {} --", name);
  const std::size_t last = read.empty() ? 0 : read.rbegin()->first;
  for (std::size_t place = 1; place <= last; ++place) {
    const auto found = read.find(place);
    command += fmt::format(" {}", found != read.end() ? found->second.example : "TEXT");
    if (found == read.end() || place <= given) continue;
    lacks.push_back(found->second.as.empty()
                        ? fmt::format("argv[{}]", place)
                        : fmt::format("argv[{}] ({})", place, found->second.as));
  }
  std::string text;
  if (!lacks.empty()) {
    text =
        fmt::format("It needs arguments, for main() reads {}: {}", fmt::join(lacks, ", "), command);
  }
  for (const std::string& file : files_opened(tokens)) {
    std::error_code failure;
    if (std::filesystem::exists(folder / file, failure)) continue;
    text += fmt::format("{}It opens {}, which is not in {}", text.empty() ? "" : ". ", file,
                        folder.string());
    break;
  }
  return text;
}

}  // namespace tilescope
