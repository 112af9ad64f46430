#include "kernel/guess/kernel_hints.h"

#include <algorithm>
#include <map>
#include <set>

#include "core/expression.h"
#include "core/launch_limits.h"
#include "kernel/text/cuda_lexer.h"
#include "kernel/text/declarations.h"

namespace tilescope {
namespace {

using Words = std::vector<std::string>;
constexpr std::array<const char*, 2> kThread{"threadIdx.x", "threadIdx.y"};
constexpr std::array<const char*, 2> kBlock{"blockIdx.x", "blockIdx.y"};

bool is_index(const std::string& word) {
  return word.starts_with("threadIdx.") || word.starts_with("blockIdx.");
}

// The kernel's tokens with threadIdx.x as one word, also where a variable stands for it.
Words words_of(const std::vector<CudaToken>& tokens, const Declaration& kernel) {
  Words words;
  for (std::size_t i = kernel.first; i < kernel.last; ++i) {
    const bool index = (tokens[i].is("threadIdx") || tokens[i].is("blockIdx")) &&
                       i + 2 < kernel.last && tokens[i + 1].is(".");
    words.emplace_back(tokens[i].text);
    if (!index) continue;
    words.back() += "." + std::string(tokens[i + 2].text);
    i += 2;
  }
  std::map<std::string, std::string> names;
  std::set<std::string> changed;  // i += 128 makes another of it
  for (std::size_t i = 0; i + 3 < words.size(); ++i) {
    if (words[i + 1] == "=" && is_index(words[i + 2]) &&
        (words[i + 3] == ";" || words[i + 3] == ",")) {
      names.emplace(words[i], words[i + 2]);
    }
    if (words[i + 1] == "+" && words[i + 2] == "=") changed.insert(words[i]);
  }
  for (std::string& word : words) {
    const auto name = names.find(word);
    if (name != names.end() && !changed.contains(word)) word = name->second;
  }
  return words;
}

class Reader {
 public:
  Reader(const Words& words, const ParameterSet& constants,
         const std::vector<std::string>& parameters)
      : words_(words), constants_(constants), parameters_(parameters) {}

  KernelHints run() const {
    KernelHints launch;
    const std::array<std::string, 2> along{tile(0), tile(1)};  // of threads side by side
    for (std::size_t axis = 0; axis < 2; ++axis) {
      launch.tile[axis] = along[axis].empty() ? offset(axis) : along[axis];
    }
    launch.threads = {stride(0), stride(1)};
    if (launch.threads[0].empty()) launch.threads[0] = asserted();
    if (launch.threads[0].empty()) launch.threads[0] = square(launch.tile);
    for (std::size_t axis = 0; axis < 2; ++axis) {
      if (launch.threads[axis].empty()) launch.threads[axis] = along[axis];
    }
    if (launch.threads[0].empty()) launch.threads[0] = cache();
    // A tile whose rows are taken some at a time has as many threads above each other.
    const std::string rows = rows_at_a_time(launch.threads[1]);
    if (!rows.empty()) launch.threads[1] = rows;
    launch.is_line = std::ranges::find(words_, kThread[1]) == words_.end();
    read_row(&launch);
    return launch;
  }

 private:
  [[nodiscard]] const std::string& at(std::size_t i) const {
    static const std::string kNone;
    return i < words_.size() ? words_[i] : kNone;
  }
  // Whether a word is a whole number that a block may be wide.
  [[nodiscard]] bool is_width(const std::string& word) const {
    const auto value = evaluate_expression(word, constants_);
    return value && *value >= 2 && *value <= kMostThreadsOfBlock;
  }

  // Whether it is one that many elements of a block's may be.
  [[nodiscard]] bool is_length(const std::string& word) const {
    const auto value = evaluate_expression(word, constants_);
    return value && *value >= 2 && *value <= 1 << 16;
  }

  // for (i = threadIdx.x; ...; i += 128)
  [[nodiscard]] std::string stride(std::size_t axis) const {
    for (std::size_t i = 1; i + 3 < words_.size(); ++i) {
      if (at(i) != kThread[axis] || at(i - 1) != "=" || at(i + 1) != ";") continue;
      std::size_t end = i + 2;
      while (end < words_.size() && at(end) != ";" && at(end) != "}") ++end;
      const bool steps = at(end + 1) == at(i - 2) && at(end + 2) == "+" && at(end + 3) == "=" &&
                         at(end + 5) == ")";
      if (steps && is_width(at(end + 4))) return at(end + 4);
    }
    return {};
  }

  // assert(TILE * TILE / 4 == blockDim.x)
  [[nodiscard]] std::string asserted() const {
    const std::string width = "blockDim.x";
    for (std::size_t i = 0; i + 2 < words_.size(); ++i) {
      if (at(i) != "assert" || at(i + 1) != "(") continue;
      std::string sides[2];
      std::size_t side = 0;
      int depth = 0;
      for (std::size_t j = i + 2; j < words_.size() && (depth > 0 || at(j) != ")"); ++j) {
        depth += at(j) == "(" ? 1 : at(j) == ")" ? -1 : 0;
        if (at(j) == "=" && at(j + 1) == "=" && side == 0) {
          side = 1;
          ++j;
        } else {
          sides[side] += at(j);
        }
      }
      for (const auto& [said, other] : {std::pair{sides[0], sides[1]}, {sides[1], sides[0]}}) {
        if (other == width && is_width(said)) return said;
      }
    }
    return {};
  }

  // A square tile that a line of threads takes apart: threadIdx.x / TILE and threadIdx.x % TILE.
  [[nodiscard]] std::string square(const std::array<std::string, 2>& tile) const {
    if (tile[0].empty() || tile[0] != tile[1]) return {};
    bool row = false;
    bool column = false;
    for (std::size_t i = 0; i + 2 < words_.size(); ++i) {
      if (at(i) != kThread[0] || at(i + 2) != tile[0]) continue;
      row |= at(i + 1) == "/";
      column |= at(i + 1) == "%";
    }
    std::string all = tile[0] + " * " + tile[0];
    return row && column && is_width(all) ? all : std::string();
  }

  // What a block begins at: blockIdx.x * TILE; or blockIdx.y * TILE * n.
  [[nodiscard]] std::string offset(std::size_t axis) const {
    for (std::size_t i = 0; i + 3 < words_.size(); ++i) {
      if (at(i) != kBlock[axis] || at(i + 1) != "*" || !is_length(at(i + 2))) continue;
      if (i > 0 && (at(i - 1) == "*" || at(i - 1) == "/")) continue;
      const std::string& next = at(i + 3);
      const bool of_row =
          next == "*" && std::ranges::find(parameters_, at(i + 4)) != parameters_.end();
      if (of_row || next == ";" || next == "," || next == "+" || next == ")") return at(i + 2);
    }
    return {};
  }

  // blockIdx.x * TILE + threadIdx.x, in any order, or + (threadIdx.x / TILE).
  [[nodiscard]] std::string tile(std::size_t axis) const {
    for (std::size_t i = 0; i + 2 < words_.size(); ++i) {
      if (at(i + 1) != "*" || (i > 0 && (at(i - 1) == "*" || at(i - 1) == "/"))) continue;
      const bool first = at(i) == kBlock[axis];
      if (!first && at(i + 2) != kBlock[axis]) continue;
      const std::string& width = at(first ? i + 2 : i);
      const bool behind =
          at(i + 3) == "+" && at(i + 4) == kThread[axis] && at(i + 5) != "*" && at(i + 5) != "/";
      const bool before = i > 1 && at(i - 1) == "+" && at(i - 2) == kThread[axis] &&
                          at(i + 3) != "*" && at(i + 3) != "/" && (i < 3 || at(i - 3) != "*");
      const bool apart = at(i + 3) == "+" && at(i + 4) == "(" && at(i + 5) == kThread[0] &&
                         (at(i + 6) == "/" || at(i + 6) == "%") && at(i + 7) == width;
      if ((behind || before || apart) && is_width(width)) return width;
    }
    return {};
  }

  // for (j = 0; j < TILE; j += 8), beside blockIdx.y * TILE + threadIdx.y
  [[nodiscard]] std::string rows_at_a_time(const std::string& tile) const {
    if (tile.empty()) return {};
    for (std::size_t i = 1; i + 9 < words_.size(); ++i) {
      const bool steps = at(i) == ";" && at(i + 2) == "<" && at(i + 3) == tile &&
                         at(i + 4) == ";" && at(i + 5) == at(i + 1) && at(i + 6) == "+" &&
                         at(i + 7) == "=" && at(i + 9) == ")" && at(i - 1) == "0";
      if (steps && is_width(at(i + 8))) return at(i + 8);
    }
    return {};
  }

  // __shared__ float cache[BM * BK]; cache[threadIdx.x]
  [[nodiscard]] std::string cache() const {
    for (std::size_t i = 0; i + 5 < words_.size(); ++i) {
      if (at(i) != "__shared__" || at(i + 3) != "[") continue;
      std::string length;
      std::size_t end = i + 4;
      while (end < words_.size() && at(end) != "]" && at(end) != ";") length += at(end++);
      if (at(end) != "]" || at(end + 1) == "[" || !is_width(length)) continue;
      for (std::size_t use = end + 1; use + 3 < words_.size(); ++use) {
        const bool whole = at(use) == at(i + 2) && at(use + 1) == "[" &&
                           at(use + 2) == kThread[0] && at(use + 3) == "]";
        if (whole) return length;
      }
    }
    return {};
  }

  // blockIdx.x * n
  void read_row(KernelHints* launch) const {
    for (std::size_t i = 0; i + 2 < words_.size(); ++i) {
      if (at(i + 1) != "*") continue;
      const bool first = at(i) == kBlock[0];
      if (!first && at(i + 2) != kBlock[0]) continue;
      const std::string& length = at(first ? i + 2 : i);
      if (std::ranges::find(parameters_, length) == parameters_.end()) continue;
      launch->row = length;
      const auto times = evaluate_expression(at(i + 4), constants_);
      if (at(i + 3) == "*" && times && *times > 0) launch->row_times = *times;
      return;
    }
  }

  const Words& words_;
  const ParameterSet& constants_;
  const std::vector<std::string>& parameters_;
};

}  // namespace

KernelHints read_kernel_hints(const std::string& source, const std::string& kernel,
                              const ParameterSet& constants,
                              const std::vector<std::string>& parameters) {
  const std::vector<CudaToken> tokens = tokenize(source);
  for (const Declaration& declaration : find_declarations(tokens)) {
    const std::string name =
        declaration.scope.empty() ? declaration.name : declaration.scope + "::" + declaration.name;
    if (!declaration.is_kernel || declaration.kind != Declaration::Kind::kFunction ||
        name != kernel) {
      continue;
    }
    const Words words = words_of(tokens, declaration);
    return Reader(words, constants, parameters).run();
  }
  return {};
}

}  // namespace tilescope
