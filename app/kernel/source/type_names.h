#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/buffer_recipe.h"
#include "kernel/text/cuda_lexer.h"

namespace tilescope {

// Of a number's type as CUDA C++ writes it: "unsigned int", "__half". nullopt: no number, or no
// single one.
[[nodiscard]] std::optional<ElementType> number_type(std::string_view name);
// Of what lies behind a pointer: float4* is made of f32 as well.
[[nodiscard]] std::optional<ElementType> element_type(std::string_view name);

// Whether a word names the type of a whole number, or is auto, which may be one.
[[nodiscard]] bool is_whole_type(std::string_view word);

// What a macro or alias stands for that is one word, by its name: `#define real float`,
// `using real = float;`, `typedef float real;`. The first of a name counts.
using TypeAliases = std::map<std::string_view, std::string_view>;
[[nodiscard]] TypeAliases find_aliases(const std::vector<CudaToken>& tokens);
// The name itself where there is none.
[[nodiscard]] std::string resolved_type(const TypeAliases& aliases, const std::string& name);

// "<float, (a + b)>" to "float", "(a + b)"; none for what does not begin with <.
[[nodiscard]] std::vector<std::string> template_list(std::string_view text);

// Index of the bracket that closes the one at `open`; `last` where none does.
[[nodiscard]] std::size_t closing_bracket(const std::vector<CudaToken>& tokens, std::size_t open,
                                          std::size_t last);

[[nodiscard]] bool is_whole_number(ElementType type);

}  // namespace tilescope
