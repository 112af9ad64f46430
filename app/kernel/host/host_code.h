#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "kernel/catalogue/catalogue.h"
#include "kernel/host/host_names.h"
#include "kernel/source/structure_layout.h"
#include "kernel/source/type_names.h"
#include "kernel/text/cuda_lexer.h"
#include "kernel/text/token_range.h"

namespace tilescope {

// The values of host code's expressions, as far as they follow from its declarations, from the
// constants of the file and from what its functions are called with. A place is the index of a
// token: what names stand for there counts (HostNames).
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
        names_(tokens) {}

  // An expression of constants, of `kept` names and of numbers; a name of which nothing is known
  // stays.
  [[nodiscard]] std::string text(const TokenRange& range, std::size_t place,
                                 const std::set<std::string>& kept = {}, int depth = 0) const;

  // Of several calls of a function, those in statements that name this count first.
  void prefer_calls_that_name(std::string name) { names_.prefer_calls_that_name(std::move(name)); }

  // Behind (int), static_cast<int> or std::, or `at` itself.
  [[nodiscard]] std::size_t behind_cast(std::size_t at, std::size_t last) const;

  // The extents of a launch: a number, dim3(...), or the name of a dim3.
  [[nodiscard]] std::vector<std::string> extents(const TokenRange& range, std::size_t place,
                                                 const std::set<std::string>& kept = {},
                                                 int depth = 0) const;

  // Template arguments: numbers where they follow, types of an enclosing template's where it is
  // called with some.
  [[nodiscard]] std::string template_text(const TokenRange& range, std::size_t place) const;

  [[nodiscard]] std::optional<std::int64_t> value(const TokenRange& range, std::size_t place) const;

  // Whether the statement at `at` is behind an if whose condition is known to be false.
  [[nodiscard]] bool is_ruled_out(std::size_t at) const;

  // What was allocated behind the pointer that is the last word of `range`: cudaMalloc(&d, bytes).
  [[nodiscard]] std::optional<std::int64_t> allocated_bytes(const TokenRange& range,
                                                            std::size_t place, int depth = 0) const;

  // The same as text, of constants and of `kept` names: "n * (n + 1) * 8"; empty: it is not
  // allocated in the function of `place`, or by rows (cudaMallocPitch).
  [[nodiscard]] std::string allocated_text(const TokenRange& range, std::size_t place,
                                           const std::set<std::string>& kept) const;

  // A number as it is written in C; empty: none is known.
  [[nodiscard]] std::string number(const TokenRange& range, std::size_t place) const;

  [[nodiscard]] const std::vector<CudaToken>& tokens() const { return tokens_; }
  [[nodiscard]] const HostNames& names() const { return names_; }
  [[nodiscard]] const StructureTable& structures() const { return structures_; }

 private:
  // The token cudaMalloc of the newest allocation before `place` that this name has, else of the
  // first behind it, within the function.
  [[nodiscard]] std::optional<std::size_t> allocation_of(std::string_view name,
                                                         std::size_t place) const;

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

  // A call of a formula, with what it is given; empty: it is none, or nothing that can be computed.
  [[nodiscard]] std::string formula_text(const std::string& name,
                                         const std::vector<TokenRange>& parts,
                                         const Context& here) const;

  [[nodiscard]] std::optional<std::uint64_t> bytes_of_type(const std::string& type) const;
  // Of float a[8][N]; that is declared before `place`.
  [[nodiscard]] std::optional<std::uint64_t> bytes_of_array(std::string_view name,
                                                            std::size_t place) const;

  // The / that is done last, where no + or - is beside it.
  [[nodiscard]] std::optional<std::size_t> last_division(const TokenRange& range) const;

  // As a kernel's name has it: numbers as such, other names of types as what they stand for.
  [[nodiscard]] std::string template_argument(const TokenRange& range, std::size_t place,
                                              int depth) const;

  // "16, 16" behind an opening bracket.
  [[nodiscard]] std::vector<std::string> texts_from(std::size_t first, std::size_t place,
                                                    const std::set<std::string>& kept,
                                                    int depth) const;

  // The extents of a dim3 that was declared, given another value or changed in its axes before
  // `place`; empty: there is none of that name.
  [[nodiscard]] std::vector<std::string> dim3_named(std::string_view name, std::size_t place,
                                                    const std::set<std::string>& kept,
                                                    int depth) const;

  const std::vector<CudaToken>& tokens_;
  const ParameterSet& constants_;
  const ParameterSet& lasting_;
  const ParameterSet known_;  // what the names in a text mean: those that stay, and the constants
  const TypeAliases aliases_;
  const StructureTable structures_;
  HostNames names_;
  mutable int names_left_ = 4000;  // to follow, for names that stand for many others each
};

}  // namespace tilescope
