#include "kernel/source/made_up_arguments.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdint>
#include <initializer_list>
#include <iterator>
#include <string_view>
#include <utility>

#include "core/expression.h"
#include "kernel/source/kernel_signature.h"
#include "kernel/source/type_names.h"

namespace tilescope {
namespace {

using Tokens = std::vector<CudaToken>;

std::string lower(std::string_view text) {
  std::string word(text);
  for (char& c : word) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return word;
}

// "block_m" of "block_size_m" and "block_tile_m".
std::string without_size(std::string name) {
  for (const std::string_view word : {"_size", "_tile"}) {
    if (const std::size_t at = name.find(word); at != std::string::npos)
      name.erase(at, word.size());
  }
  return name;
}

// What a number of this name usually is.
std::string usual_number(const TemplateParameter& parameter, const Tokens& tokens,
                         const Declaration& kernel, bool is_plane) {
  if (parameter.is_bool) return "false";
  const std::string name = lower(parameter.name);
  const auto any = [&](std::initializer_list<std::string_view> names) {
    return std::ranges::any_of(
        names, [&](std::string_view part) { return name.find(part) != std::string::npos; });
  };
  const std::string plain = without_size(name);
  const auto is = [&](std::initializer_list<std::string_view> names) {
    return std::ranges::find(names, plain) != names.end();
  };
  if (is({"bm", "bn", "block_m", "block_n"})) return "64";
  if (is({"bk", "block_k", "tm", "tn", "thread_m", "thread_n", "thread_x", "thread_y"})) return "8";
  if (any({"depth", "each"})) return "8";
  if (any({"headdim", "head_dim", "head_size"})) return "64";
  if (any({"unroll", "vec", "items", "per_thread", "coarse", "stage"})) return "4";
  // A tile's edge is taken apart or has two axes; a line's length has not.
  for (std::size_t i = kernel.first; i + 1 < kernel.last; ++i) {
    if ((tokens[i].is("%") || tokens[i].is("/")) && tokens[i + 1].is(parameter.name)) return "32";
  }
  if (!is_plane && any({"thread", "block", "tpb", "size"})) return "256";
  return "16";
}

// Arguments of the calls of an object of this type in a kernel, op(a, b) or Op()(a, b); 0: there is
// none.
std::size_t called_with(const Tokens& tokens, const Declaration& kernel, std::string_view type) {
  const auto count_from = [&](std::size_t open) {
    const std::size_t close = closing_bracket(tokens, open, kernel.last);
    if (close == kernel.last || close == open + 1) return std::size_t{0};
    std::size_t count = 1;
    int depth = 0;
    for (std::size_t i = open + 1; i < close; ++i) {
      depth += tokens[i].is("(") || tokens[i].is("[")   ? 1
               : tokens[i].is(")") || tokens[i].is("]") ? -1
                                                        : 0;
      count += depth == 0 && tokens[i].is(",") ? 1U : 0U;
    }
    return count;
  };
  std::vector<std::string_view> objects;
  for (std::size_t i = kernel.first; i + 4 < kernel.last; ++i) {
    if (tokens[i].is(type)) {
      const bool made = (tokens[i + 1].is("(") && tokens[i + 2].is(")")) ||
                        (tokens[i + 1].is("{") && tokens[i + 2].is("}"));
      if (made && tokens[i + 3].is("(")) return count_from(i + 3);
      const std::size_t name = tokens[i + 1].is("&") ? i + 2 : i + 1;
      if (is_word(tokens[name])) objects.push_back(tokens[name].text);
    } else if (std::ranges::find(objects, tokens[i].text) != objects.end() &&
               tokens[i + 1].is("(")) {
      return count_from(i + 1);
    }
  }
  return 0;
}

// Parameters of a class's operator(); 0: it has none.
std::size_t taken_by(const Tokens& tokens, const Declaration& declaration) {
  for (std::size_t i = declaration.first; i + 3 < declaration.last; ++i) {
    if (!tokens[i].is("operator") || !tokens[i + 1].is("(") || !tokens[i + 2].is(")") ||
        !tokens[i + 3].is("(")) {
      continue;
    }
    const std::size_t close = closing_bracket(tokens, i + 3, declaration.last);
    std::size_t count = close == i + 4 ? 0 : 1;
    for (std::size_t j = i + 4; j < close; ++j) count += tokens[j].is(",") ? 1U : 0U;
    return count;
  }
  return 0;
}

// The file's first class whose objects are called with as much: "Add<float>", "ops::Larger".
std::string functor(const Tokens& tokens, const Declaration& kernel, std::string_view type) {
  const std::size_t wanted = called_with(tokens, kernel, type);
  if (wanted == 0) return {};
  for (const Declaration& declaration : find_declarations(tokens)) {
    if (declaration.kind != Declaration::Kind::kClass || declaration.name.empty() ||
        taken_by(tokens, declaration) != wanted) {
      continue;
    }
    const std::string scope = declaration.scope.empty() ? "" : declaration.scope + "::";
    return scope + declaration.name + (declaration.is_template ? "<float>" : "");
  }
  return {};
}

// "Mode::kFast" of "enum class Mode { kFast, ... };" for Mode.
std::string first_enumerator(const Tokens& tokens, std::string_view type) {
  for (const Declaration& declaration : find_declarations(tokens)) {
    for (std::size_t i = declaration.first; i + 3 < declaration.last; ++i) {
      if (!tokens[i].is("enum")) continue;
      std::size_t name = i + 1;
      if (tokens[name].is("class") || tokens[name].is("struct")) ++name;
      if (!tokens[name].is(type)) continue;
      while (name + 1 < declaration.last && !tokens[name].is("{")) ++name;
      const std::string scope = declaration.scope.empty() ? "" : declaration.scope + "::";
      return fmt::format("{}{}::{}", scope, type, tokens[name + 1].text);
    }
  }
  return {};
}

// What must hold where each thread of a line of them fills one element of every tile:
//   tile[threadIdx.x] = ...              tiles that are as long as the block
//   row = threadIdx.x / WIDE; row * EACH  and rows of a block, blockIdx.y * ROWS, that it covers
class FilledTiles {
 public:
  explicit FilledTiles(const Tokens& body) : body_(body) {
    for (std::size_t i = 0; i + 4 < body_.size(); ++i) {
      const bool is_index = body_[i + 1].is("=") && body_[i + 2].is("threadIdx") &&
                            body_[i + 3].is(".") && body_[i + 4].is("x");
      const bool ends = i + 5 < body_.size() && (body_[i + 5].is(";") || body_[i + 5].is(","));
      if (is_index && ends) thread_ = body_[i].text;
    }
  }

  [[nodiscard]] std::vector<std::string> conditions() const {
    if (thread_.empty()) return {};
    std::vector<std::string> all;
    std::string block;
    for (std::size_t i = 0; i + 3 < body_.size(); ++i) {
      if (!body_[i].is("__shared__") || !body_[i + 3].is("[")) continue;
      const std::size_t close = closing_bracket(body_, i + 3, body_.size());
      if (close + 1 >= body_.size() || body_[close + 1].is("[")) continue;  // of two axes
      if (!is_filled(body_[i + 2].text)) continue;
      const std::string length = "(" + joined(body_, i + 4, close) + ")";
      all.push_back(length + " <= 1024");
      if (!block.empty()) all.push_back(block + " == " + length);
      block = length;
    }
    const auto [row, wide] = rows_of_threads();
    const std::string each = factor_of(row);
    const std::string rows = rows_of_block();
    if (!block.empty() && !each.empty() && !rows.empty()) {
      all.push_back(block + " / " + wide + " * " + each + " == " + rows);
    }
    return all;
  }

 private:
  // name[thread] = ...
  [[nodiscard]] bool is_filled(std::string_view name) const {
    for (std::size_t i = 0; i + 4 < body_.size(); ++i) {
      if (body_[i].is(name) && body_[i + 1].is("[") && body_[i + 2].is(thread_) &&
          body_[i + 3].is("]") && body_[i + 4].is("=")) {
        return true;
      }
    }
    return false;
  }

  // row = thread / WIDE
  [[nodiscard]] std::pair<std::string_view, std::string> rows_of_threads() const {
    for (std::size_t i = 0; i + 4 < body_.size(); ++i) {
      if (body_[i + 1].is("=") && body_[i + 2].is(thread_) && body_[i + 3].is("/")) {
        return {body_[i].text, std::string(body_[i + 4].text)};
      }
    }
    return {};
  }

  // row * EACH
  [[nodiscard]] std::string factor_of(std::string_view row) const {
    for (std::size_t i = 0; !row.empty() && i + 2 < body_.size(); ++i) {
      if (body_[i].is(row) && body_[i + 1].is("*")) return std::string(body_[i + 2].text);
    }
    return {};
  }

  // blockIdx.y * ROWS
  [[nodiscard]] std::string rows_of_block() const {
    for (std::size_t i = 0; i + 4 < body_.size(); ++i) {
      if (body_[i].is("blockIdx") && body_[i + 2].is("y") && body_[i + 3].is("*")) {
        return std::string(body_[i + 4].text);
      }
    }
    return {};
  }

  const Tokens& body_;
  std::string_view thread_;  // the variable that threadIdx.x is put into; empty: none
};

// Numbers of a template that were made up, changed until the kernel's static_asserts hold and its
// tiles are filled.
class AssertedNumbers {
 public:
  AssertedNumbers(const Tokens& tokens, const Declaration& kernel, const ParameterSet& constants)
      : body_(tokens.begin() + static_cast<std::ptrdiff_t>(kernel.first),
              tokens.begin() + static_cast<std::ptrdiff_t>(kernel.last)),
        constants_(constants) {
    for (std::size_t i = 0; i + 1 < body_.size(); ++i) {
      if (!body_[i].is("static_assert") || !body_[i + 1].is("(")) continue;
      const std::size_t close = closing_bracket(body_, i + 1, body_.size());
      std::size_t end = i + 2;
      for (int depth = 0; end < close && (depth > 0 || !body_[end].is(",")); ++end) {
        depth += body_[end].is("(") ? 1 : body_[end].is(")") ? -1 : 0;
      }
      conditions_.push_back(joined(body_, i + 2, end));
    }
    std::ranges::move(FilledTiles(body_).conditions(), std::back_inserter(conditions_));
    // const int threads = WIDTH / EACH; is meant to be one at least.
    for (std::size_t i = 0; i + 4 < body_.size(); ++i) {
      const bool is_quotient = body_[i].is("=") && is_word(body_[i + 1]) && body_[i + 2].is("/") &&
                               is_word(body_[i + 3]) && body_[i + 4].is(";");
      if (is_quotient)
        conditions_.push_back(fmt::format("{} >= {}", body_[i + 1].text, body_[i + 3].text));
    }
  }

  // `made_up`: names in `numbers` that may change.
  void fit(const std::vector<std::string>& made_up, ParameterSet* numbers) const {
    std::array<std::int64_t, 10> usual{1, 2, 4, 8, 16, 32, 64, 128, 256, 0};
    constexpr int kRounds = 3;  // one number may need another
    std::size_t broken = broken_by(*numbers);
    for (int round = 0; round < kRounds && broken > 0; ++round) {
      for (const std::string& name : made_up) {
        std::int64_t best = (*numbers)[name];
        std::ranges::stable_sort(usual, {}, [near = best](std::int64_t value) {
          return std::max(value, near) / std::max<std::int64_t>(std::min(value, near), 1);
        });
        for (const std::int64_t value : usual) {
          (*numbers)[name] = value;
          const std::size_t now = broken_by(*numbers);
          if (now < broken) {
            broken = now;
            best = value;
          }
        }
        (*numbers)[name] = best;
      }
    }
  }

 private:
  // What cannot be evaluated counts as held.
  [[nodiscard]] std::size_t broken_by(const ParameterSet& numbers) const {
    if (conditions_.empty()) return 0;
    ParameterSet given = numbers;
    given.insert(constants_.begin(), constants_.end());
    const ParameterSet all = find_constants(body_, std::move(given));
    return static_cast<std::size_t>(
        std::ranges::count_if(conditions_, [&](const std::string& condition) {
          const auto holds = evaluate_expression(condition, all);
          return holds && *holds == 0;
        }));
  }

  Tokens body_;
  const ParameterSet& constants_;
  std::vector<std::string> conditions_;
};

}  // namespace

std::string made_up_argument(const std::vector<CudaToken>& tokens, const Declaration& kernel,
                             const TemplateParameter& parameter, bool is_plane) {
  if (parameter.is_type) {
    const std::string called = functor(tokens, kernel, parameter.name);
    return called.empty() ? "float" : called;
  }
  const std::string first = parameter.is_bool || parameter.is_whole
                                ? std::string()
                                : first_enumerator(tokens, parameter.type);
  return first.empty() ? usual_number(parameter, tokens, kernel, is_plane) : first;
}

void fit_to_asserts(const std::vector<CudaToken>& tokens, const Declaration& kernel,
                    const ParameterSet& constants, const std::vector<std::string>& made_up,
                    ParameterSet* numbers) {
  AssertedNumbers(tokens, kernel, constants).fit(made_up, numbers);
}

}  // namespace tilescope
