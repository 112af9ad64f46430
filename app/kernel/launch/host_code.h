#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "kernel/catalogue/catalogue.h"
#include "kernel/source/structure_layout.h"
#include "kernel/source/type_names.h"
#include "kernel/text/cuda_lexer.h"
#include "kernel/text/declarations.h"

namespace tilescope {

// Tokens of a text from `first` up to `last`, without it.
struct TokenRange {
  std::size_t first = 0;
  std::size_t last = 0;
};

// Whether three of a sign stand at `at`: <<< and >>>.
[[nodiscard]] bool is_three(const std::vector<CudaToken>& tokens, std::size_t at,
                            std::string_view sign);

// The pieces between commas from `first` to the bracket that is not opened there, >>> or ;.
[[nodiscard]] std::vector<TokenRange> pieces_from(const std::vector<CudaToken>& tokens,
                                                  std::size_t first);

// What host code puts into a structure before it hands that to a kernel by value, by the members'
// names in it: "width", "corner.x".
struct HostMembers {
  std::map<std::string, std::string> values;  // numbers as they are written in C
  std::map<std::string, std::int64_t> bytes;  // that are allocated behind a pointer
};

// Host code as far as names in it follow from its declarations, from the constants of the file and
// from what its functions are called with. A place is the index of a token; what a name stands for
// there is what was last written before it in the same function.
class HostCode {
 public:
  // `lasting`: constants whose names stay, for they mean the same to whoever reads the launch.
  HostCode(const std::vector<CudaToken>& tokens, const ParameterSet& constants,
           const ParameterSet& lasting)
      : tokens_(tokens),
        constants_(constants),
        lasting_(lasting),
        known_(together(lasting, constants)),
        aliases_(find_aliases(tokens)),
        structures_(tokens, constants, aliases_),
        declarations_(find_declarations(tokens)) {}

  // An expression of constants, of `kept` names and of numbers; a name of which nothing is known
  // stays.
  [[nodiscard]] std::string text(const TokenRange& range, std::size_t place,
                                 const std::set<std::string>& kept = {}, int depth = 0) const;

  // Of several calls of a function, those in statements that name this count first.
  void prefer_calls_that_name(std::string name) { preferred_ = std::move(name); }

  // Behind (int), static_cast<int> or std::, or `at` itself.
  [[nodiscard]] std::size_t behind_cast(std::size_t at, std::size_t last) const;

  // The extents of a launch: a number, dim3(...), or the name of a dim3.
  [[nodiscard]] std::vector<std::string> extents(const TokenRange& range, std::size_t place,
                                                 const std::set<std::string>& kept = {}) const;

  // Template arguments: numbers where they follow, types of an enclosing template's where it is
  // called with some.
  [[nodiscard]] std::string template_text(const TokenRange& range, std::size_t place) const;

  [[nodiscard]] std::optional<std::int64_t> value(const TokenRange& range, std::size_t place) const;

  // Whether the statement at `at` is behind an if whose condition is known to be false.
  [[nodiscard]] bool is_ruled_out(std::size_t at) const;

  // What was allocated behind the pointer that is the last word of `range`: cudaMalloc(&d, bytes).
  [[nodiscard]] std::optional<std::int64_t> allocated_bytes(const TokenRange& range,
                                                            std::size_t place, int depth = 0) const;

  // Of the structure that `range` names: m.width = 3; Matrix m{3, 3, p}; cudaMalloc(&m.cells, n);
  [[nodiscard]] HostMembers members(const TokenRange& range, std::size_t place,
                                    int depth = 0) const;

  // A number as it is written in C; empty: none is known.
  [[nodiscard]] std::string number(const TokenRange& range, std::size_t place) const;

 private:
  static constexpr int kDeepest = 8;  // names that stand for names
  static constexpr std::int64_t kPitch =
      512;  // bytes that CUDA aligns rows to, seen on GPUs of today

  struct Piece {
    std::string text;
    std::size_t next = 0;  // token behind it
  };
  struct Context {
    std::size_t place = 0;
    const std::set<std::string>* kept = nullptr;
    int depth = 0;
  };

  static bool is_word_end(char c);

  [[nodiscard]] static ParameterSet together(ParameterSet first, const ParameterSet& others) {
    first.insert(others.begin(), others.end());
    return first;
  }

  // What a word and its brackets stand for.
  [[nodiscard]] Piece piece_at(std::size_t at, std::size_t last, const Context& here) const;

  [[nodiscard]] std::string name_text(const std::string& name, const Context& here) const;

  // How many elements a container of this name has; empty: that is not known.
  [[nodiscard]] std::string extent_of(std::string_view name, const Context& here) const;

  // min, max, what divides and rounds up, and formulas; a call of anything else stays.
  [[nodiscard]] Piece call_at(std::size_t at, std::size_t last, const Context& here) const;

  // A macro with arguments, or a function of the file whose value is a number.
  struct Formula {
    std::vector<CudaToken> macro;   // behind its name; empty: tokens_, of a function
    std::vector<TokenRange> names;  // of its parameters, with their types
    TokenRange body;                // of a function: what it returns last
  };
  [[nodiscard]] std::optional<Formula> formula_named(std::string_view name) const;
  [[nodiscard]] bool is_formula(std::string_view name) const;
  // A call of one, with what it is given; empty: it is none, or nothing that can be computed.
  [[nodiscard]] std::string formula_text(const std::string& name,
                                         const std::vector<TokenRange>& parts,
                                         const Context& here) const;

  [[nodiscard]] std::optional<std::uint64_t> bytes_of_type(const std::string& type) const;
  // Of float a[8][N]; that is declared before `place`.
  [[nodiscard]] std::optional<std::uint64_t> bytes_of_array(std::string_view name,
                                                            std::size_t place) const;

  // The members that a list in braces from `first` gives to a structure of this type, in turn.
  void read_list(std::string_view type, std::size_t first, std::size_t place,
                 HostMembers* found) const;

  // The / that is done last, where no + or - is beside it.
  [[nodiscard]] std::optional<std::size_t> last_division(const TokenRange& range) const;

  [[nodiscard]] const Declaration* function_at(std::size_t place) const;
  // Where names that are written before `place` begin to count.
  [[nodiscard]] std::size_t begin_of(std::size_t place) const;

  // int blocks = (n + 255) / 256; blocks = n / 256; int blocks{8}: the last that can be read.
  [[nodiscard]] std::optional<TokenRange> declared_value(std::string_view name,
                                                         std::size_t place) const;

  // argc > 1 ? atoi(argv[1]) : 1000 as it is when the program is given nothing; others as they are.
  [[nodiscard]] TokenRange without_arguments(const TokenRange& range) const;

  // The width in bytes of the rows whose pitch it is: cudaMallocPitch(&d, &pitch, width, rows).
  [[nodiscard]] std::optional<TokenRange> pitched_width(std::string_view name,
                                                        std::size_t place) const;

  // const int BYTES = sizeof(real) * N; outside of functions.
  [[nodiscard]] std::optional<TokenRange> value_at_the_top(std::string_view name) const;

  // Whether v.size() stands there, whose `size` is at `at`, of a container that is known.
  [[nodiscard]] bool asks_known_size(std::size_t at) const;

  // No call of the host's, as atoi(argv[1]), and no text.
  [[nodiscard]] bool can_be_read(const TokenRange& range) const;

  // Whether the statement around a token names what is preferred.
  [[nodiscard]] bool is_preferred(std::size_t place) const;

  // What a parameter of the enclosing function is at the first call of it that is written
  // elsewhere, or at one that is preferred; a template's parameter with `of_template`.
  [[nodiscard]] std::optional<TokenRange> given_value(std::string_view name, std::size_t place,
                                                      bool of_template) const;

  // The arguments between < and >.
  [[nodiscard]] std::vector<TokenRange> template_pieces(std::size_t open) const;

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

  // As a kernel's name has it: numbers as such, other names of types as what they stand for.
  [[nodiscard]] std::string template_argument(const TokenRange& range, std::size_t place,
                                              int depth) const;

  // using NAME = type; in the function around `place`.
  [[nodiscard]] std::optional<TokenRange> alias_of(std::string_view name, std::size_t place) const;

  // "16, 16" behind an opening bracket.
  [[nodiscard]] std::vector<std::string> texts_from(std::size_t first, std::size_t place,
                                                    const std::set<std::string>& kept,
                                                    int depth) const;

  // The extents of a dim3 that was declared, given another value or changed in its axes before
  // `place`; empty: there is none of that name.
  [[nodiscard]] std::vector<std::string> dim3_named(std::string_view name, std::size_t place,
                                                    const std::set<std::string>& kept,
                                                    int depth) const;

  // Behind the bracket of `dim3 grid(8)`, `block = {16, 16}`, `block = dim3(32)` whose name is at
  // `at`; 0: `dim3 block;`, nullopt: none of these.
  [[nodiscard]] std::optional<std::size_t> extents_written_at(std::size_t at) const;

  const std::vector<CudaToken>& tokens_;
  const ParameterSet& constants_;
  const ParameterSet& lasting_;
  const ParameterSet known_;  // what the names in a text mean: those that stay, and the constants
  const TypeAliases aliases_;
  const StructureTable structures_;
  const std::vector<Declaration> declarations_;
  std::string preferred_;
  mutable int names_left_ = 4000;  // to follow, for names that stand for many others each
};

}  // namespace tilescope
