#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kernel/host/host_container.h"
#include "kernel/text/cuda_lexer.h"
#include "kernel/text/declarations.h"
#include "kernel/text/token_range.h"

namespace tilescope {

// A macro with arguments, or a function of the file whose value is a number.
struct HostFormula {
  std::vector<CudaToken> macro;   // behind its name; empty: a function, whose tokens are the file's
  std::vector<TokenRange> names;  // of its parameters, with their types
  TokenRange body;                // of a function: what it returns last
};

// A function or macro that divides and rounds up by its name: CEIL_DIV, cdiv, iDivUp, div_round_up.
[[nodiscard]] bool divides_up(std::string_view name);

// Where in host code a name got what it stands for, as the tokens that say so. A place is the index
// of a token; what a name stands for there is what was last written before it in the same function.
class HostNames {
 public:
  // The tokens outlive it.
  explicit HostNames(const std::vector<CudaToken>& tokens)
      : tokens_(tokens), declarations_(find_declarations(tokens)) {}

  // Of several calls of a function, those in statements that name this count first.
  void prefer_calls_that_name(std::string name) { preferred_ = std::move(name); }

  // Where names that are written before `place` begin to count: its function, or the file.
  [[nodiscard]] std::size_t begin_of(std::size_t place) const;

  // int blocks = (n + 255) / 256; blocks = n / 256; int blocks{8}: the last that can be read.
  [[nodiscard]] std::optional<TokenRange> declared_value(std::string_view name,
                                                         std::size_t place) const;
  // const int BYTES = sizeof(real) * N; outside of functions.
  [[nodiscard]] std::optional<TokenRange> value_at_the_top(std::string_view name) const;
  // What a parameter of the enclosing function is at the first call of it that is written
  // elsewhere, or at one that is preferred.
  [[nodiscard]] std::optional<TokenRange> given_value(std::string_view name,
                                                      std::size_t place) const {
    return given_value(name, place, false);
  }
  // The same of a parameter of the enclosing template.
  [[nodiscard]] std::optional<TokenRange> given_template_argument(std::string_view name,
                                                                  std::size_t place) const {
    return given_value(name, place, true);
  }
  // using NAME = type; in the function around `place`.
  [[nodiscard]] std::optional<TokenRange> alias_of(std::string_view name, std::size_t place) const;
  // The width in bytes of the rows whose pitch it is: cudaMallocPitch(&d, &pitch, width, rows).
  [[nodiscard]] std::optional<TokenRange> pitched_width(std::string_view name,
                                                        std::size_t place) const;
  [[nodiscard]] std::optional<HostContainer> container(std::string_view name,
                                                       std::size_t place) const;
  // Behind the bracket of `dim3 grid(8)`, `block = {16, 16}`, `block = dim3(32)` whose name is at
  // `at`; 0: `dim3 block;`, nullopt: none of these.
  [[nodiscard]] std::optional<std::size_t> extents_written_at(std::size_t at) const;
  [[nodiscard]] std::optional<HostFormula> formula(std::string_view name) const;

  // No call of the host's, as atoi(argv[1]), and no text.
  [[nodiscard]] bool can_be_read(const TokenRange& range) const;

 private:
  [[nodiscard]] const Declaration* function_at(std::size_t place) const;
  [[nodiscard]] bool is_formula(std::string_view name) const;
  [[nodiscard]] std::optional<TokenRange> given_value(std::string_view name, std::size_t place,
                                                      bool of_template) const;
  // Whether the statement around a token names what is preferred.
  [[nodiscard]] bool is_preferred(std::size_t place) const;
  // argc > 1 ? atoi(argv[1]) : 1000 as it is when the program is given nothing; others as they are.
  [[nodiscard]] TokenRange without_arguments(const TokenRange& range) const;
  // Whether v.size() stands there, whose `size` is at `at`, of a container that is known.
  [[nodiscard]] bool asks_known_size(std::size_t at) const;
  // Of a container, or of a parameter that is one where the function is called.
  [[nodiscard]] bool has_known_size(std::string_view name, std::size_t place, int depth) const;

  [[nodiscard]] std::optional<std::size_t> parameter_position(const Declaration& function,
                                                              std::string_view name) const;
  [[nodiscard]] std::optional<std::size_t> template_position(const Declaration& function,
                                                             std::string_view name) const;
  // What a parameter of a template has where it is given nothing; nullopt: it has to be given.
  [[nodiscard]] std::optional<TokenRange> template_default(const Declaration& function,
                                                           std::size_t position) const;
  // Of the parameter whose last word is the name.
  [[nodiscard]] std::optional<std::size_t> position_of(const std::vector<TokenRange>& parameters,
                                                       std::string_view name) const;

  const std::vector<CudaToken>& tokens_;
  const std::vector<Declaration> declarations_;
  std::string preferred_;
};

}  // namespace tilescope
