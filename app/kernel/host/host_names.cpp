#include "kernel/host/host_names.h"

#include <algorithm>
#include <array>
#include <cctype>

#include "kernel/source/type_names.h"

namespace tilescope {
namespace {

using Tokens = std::vector<CudaToken>;

constexpr int kMostCallers = 8;  // that hand a parameter on

std::string lower(std::string_view text) {
  std::string word(text);
  for (char& c : word) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return word;
}

// #define NAME(A, B) body: its tokens behind the name. Empty: there is none.
Tokens macro_named(const Tokens& tokens, std::string_view name) {
  for (const CudaToken& token : tokens) {
    if (token.kind != CudaTokenKind::kDirective) continue;
    Tokens words = tokenize(token.text.substr(1));
    const bool is_meant = words.size() > 3 && words[0].is("define") && words[1].is(name) &&
                          words[2].is("(") &&
                          words[2].text.data() == words[1].text.data() + words[1].text.size();
    if (is_meant) return {words.begin() + 2, words.end()};
  }
  return {};
}

}  // namespace

bool divides_up(std::string_view name) {
  const std::string word = lower(name);
  const auto has = [&](std::string_view part) { return word.find(part) != std::string::npos; };
  return word == "cdiv" || (has("ceil") && word != "ceil" && word != "ceilf") ||
         (has("div") && has("up"));
}

std::size_t HostNames::begin_of(std::size_t place) const {
  const Declaration* function = function_at(place);
  return function != nullptr ? function->first : 0;
}

std::optional<TokenRange> HostNames::declared_value(std::string_view name,
                                                    std::size_t place) const {
  for (std::size_t i = std::min(place, tokens_.size()); i-- > begin_of(place) + 1;) {
    if (!tokens_[i].is(name) || i + 2 >= tokens_.size()) continue;
    const bool assigned = tokens_[i + 1].is("=") && !tokens_[i + 2].is("=") &&
                          !tokens_[i - 1].is(".") && !tokens_[i - 1].is(">");
    const bool braced = tokens_[i + 1].is("{") && number_type(tokens_[i - 1].text).has_value();
    if (!assigned && !braced) continue;
    TokenRange value = pieces_from(tokens_, i + 2).front();
    while (value.first + 2 < value.last && tokens_[value.first + 1].is("=") &&
           !tokens_[value.first + 2].is("=")) {
      value.first += 2;  // a = b = 5
    }
    value = without_arguments(value);
    if (value.last > value.first && can_be_read(value)) return value;
  }
  return std::nullopt;
}

std::optional<TokenRange> HostNames::value_at_the_top(std::string_view name) const {
  for (const Declaration& declaration : declarations_) {
    if (declaration.kind != Declaration::Kind::kOther) continue;
    for (std::size_t i = declaration.first; i + 2 < declaration.last; ++i) {
      if (!tokens_[i].is(name) || !tokens_[i + 1].is("=")) continue;
      const TokenRange value = pieces_from(tokens_, i + 2).front();
      if (can_be_read(value)) return value;
    }
  }
  return std::nullopt;
}

std::optional<TokenRange> HostNames::alias_of(std::string_view name, std::size_t place) const {
  const Declaration* function = function_at(place);
  if (function == nullptr) return std::nullopt;
  for (std::size_t i = place; i-- > function->first;) {
    if (!tokens_[i].is("using") || !tokens_[i + 1].is(name) || !tokens_[i + 2].is("=")) continue;
    std::size_t last = i + 3;
    while (last < place && !tokens_[last].is(";")) ++last;
    return TokenRange{i + 3, last};
  }
  return std::nullopt;
}

std::optional<TokenRange> HostNames::pitched_width(std::string_view name, std::size_t place) const {
  for (std::size_t i = begin_of(place); i + 2 < std::min(place, tokens_.size()); ++i) {
    if (!tokens_[i].is("cudaMallocPitch") || !tokens_[i + 1].is("(")) continue;
    const std::vector<TokenRange> parts = pieces_from(tokens_, i + 2);
    if (parts.size() == 4 && tokens_[parts[1].last - 1].is(name)) return parts[2];
  }
  return std::nullopt;
}

std::optional<HostContainer> HostNames::container(std::string_view name, std::size_t place) const {
  return container_named(tokens_, name, begin_of(place), place);
}

std::optional<std::size_t> HostNames::extents_written_at(std::size_t at) const {
  std::size_t open = at + 1;
  const bool assigned = tokens_[open].is("=");
  if (assigned) ++open;
  const bool made = open < tokens_.size() && tokens_[open].is("dim3");
  if (made) ++open;
  if (open >= tokens_.size()) return std::nullopt;
  if (assigned && made && is_opening(tokens_[open])) return open + 1;
  bool declared = false;
  int depth = 0;
  for (std::size_t i = at; i-- > 0;) {
    if (depth == 0 && (tokens_[i].is(";") || tokens_[i].is("{") || tokens_[i].is("}"))) break;
    if (is_closing(tokens_[i])) ++depth;
    if (is_opening(tokens_[i]) && --depth < 0) return std::nullopt;  // a function's parameter
    declared |= depth == 0 && tokens_[i].is("dim3");
  }
  const bool begins = at > 0 && (tokens_[at - 1].is("dim3") || tokens_[at - 1].is("const") ||
                                 tokens_[at - 1].is(","));
  if (!declared || !begins) return std::nullopt;
  if (is_opening(tokens_[open])) return open + 1;
  if (tokens_[open].is(";") || tokens_[open].is(",")) return 0;
  return std::nullopt;
}

std::optional<HostFormula> HostNames::formula(std::string_view name) const {
  if (!is_formula(name)) return std::nullopt;
  HostFormula formula;
  if (Tokens macro = macro_named(tokens_, name); !macro.empty()) {
    formula.macro = std::move(macro);
    formula.names = pieces_from(formula.macro, 1);
    formula.body = {formula.names.back().last + 1, formula.macro.size()};
    return formula;
  }
  const auto function = std::ranges::find_if(declarations_, [&](const Declaration& one) {
    return one.kind == Declaration::Kind::kFunction && !one.is_kernel && one.name == name;
  });
  std::size_t open = function->first;
  while (!tokens_[open].is(name) || !tokens_[open + 1].is("(")) {
    if (++open + 1 >= function->last) return std::nullopt;
  }
  formula.names = pieces_from(tokens_, open + 2);
  std::size_t last = function->last;
  while (last > formula.names.back().last && !tokens_[last - 1].is("return")) --last;
  if (last == formula.names.back().last) return std::nullopt;
  formula.body = {last, last};
  while (formula.body.last < function->last && !tokens_[formula.body.last].is(";")) {
    ++formula.body.last;
  }
  return formula;
}

bool HostNames::can_be_read(const TokenRange& range) const {
  for (std::size_t i = range.first; i < range.last; ++i) {
    if (tokens_[i].kind == CudaTokenKind::kString || tokens_[i].is("{") || tokens_[i].is("[")) {
      return false;
    }
    const bool call =
        i + 1 < range.last && tokens_[i].kind == CudaTokenKind::kWord && tokens_[i + 1].is("(");
    const bool known = tokens_[i].is("ceil") || tokens_[i].is("ceilf") || tokens_[i].is("min") ||
                       tokens_[i].is("max") || tokens_[i].is("sizeof") || tokens_[i].is("dim3") ||
                       asks_known_size(i) || divides_up(tokens_[i].text);
    if (call && !known && !is_formula(tokens_[i].text)) return false;
  }
  return true;
}

const Declaration* HostNames::function_at(std::size_t place) const {
  const auto found = std::ranges::find_if(declarations_, [&](const Declaration& one) {
    return one.kind == Declaration::Kind::kFunction && one.first <= place && place < one.last;
  });
  return found != declarations_.end() ? &*found : nullptr;
}

bool HostNames::is_formula(std::string_view name) const {
  if (!macro_named(tokens_, name).empty()) return true;
  constexpr std::array<std::string_view, 8> kKnown{"if",  "min",   "max",   "ceil",
                                                   "for", "ceilf", "while", "return"};
  return std::ranges::any_of(declarations_, [&](const Declaration& one) {
    if (one.kind != Declaration::Kind::kFunction || one.is_kernel || one.name != name) return false;
    bool is_number = false;
    for (std::size_t i = one.first + 1; i + 1 < one.last; ++i) {
      if (tokens_[i].kind != CudaTokenKind::kWord || !tokens_[i + 1].is("(")) continue;
      if (tokens_[i].is(name)) {
        is_number |= number_type(tokens_[i - 1].text).has_value();
      } else if (std::ranges::find(kKnown, tokens_[i].text) == kKnown.end()) {
        return false;  // what it calls may be anything
      }
    }
    return is_number;
  });
}

std::optional<TokenRange> HostNames::given_value(std::string_view name, std::size_t place,
                                                 bool of_template) const {
  const Declaration* function = function_at(place);
  if (function == nullptr) return std::nullopt;
  const auto position =
      of_template ? template_position(*function, name) : parameter_position(*function, name);
  if (!position) return std::nullopt;
  std::optional<TokenRange> first;
  const auto settles = [&](const TokenRange& found, std::size_t at) {
    if (!first || is_preferred(at)) first = found;
    return preferred_.empty() || is_preferred(at);
  };
  for (std::size_t i = 0; i + 2 < tokens_.size(); ++i) {
    if (i == function->first) i = function->last;
    if (i + 2 >= tokens_.size() || !tokens_[i].is(function->name)) continue;
    std::size_t open = i + 1;
    const Declaration* caller = function_at(i);
    const bool calls = caller != nullptr && caller->name != function->name;
    if ((!calls && !of_template) || is_three(tokens_, open, "<"))
      continue;  // a declaration, a kernel
    if (tokens_[open].is("<")) {
      if (of_template) {
        const auto parts = template_pieces(tokens_, open);
        const auto given = *position < parts.size() ? std::optional(parts[*position])
                                                    : template_default(*function, *position);
        if (given && settles(*given, i)) return first;
      }
      while (open < tokens_.size() && !tokens_[open].is("(") && !tokens_[open].is(";")) ++open;
    }
    if (of_template || open >= tokens_.size() || !tokens_[open].is("(")) continue;
    const auto parts = pieces_from(tokens_, open + 1);
    if (*position < parts.size() && parts[*position].last > parts[*position].first &&
        can_be_read(parts[*position]) && settles(parts[*position], i)) {
      return first;
    }
  }
  return first;
}

bool HostNames::is_preferred(std::size_t place) const {
  if (preferred_.empty()) return false;
  const auto ends = [&](std::size_t at) {
    return tokens_[at].is(";") || tokens_[at].is("{") || tokens_[at].is("}");
  };
  std::size_t begin = place;
  while (begin > 0 && !ends(begin - 1)) --begin;
  for (std::size_t i = begin; i < tokens_.size() && !ends(i); ++i) {
    if (tokens_[i].is(preferred_)) return true;
  }
  return false;
}

TokenRange HostNames::without_arguments(const TokenRange& range) const {
  bool asks = false;
  for (std::size_t i = range.first; i < range.last && !tokens_[i].is("?"); ++i) {
    asks |= tokens_[i].is("argc");
  }
  std::size_t colon = range.last;
  while (asks && colon > range.first && !tokens_[colon - 1].is(":")) --colon;
  return asks && colon > range.first ? TokenRange{colon, range.last} : range;
}

bool HostNames::asks_known_size(std::size_t at) const {
  const bool asks = at > 1 && at + 2 < tokens_.size() && tokens_[at].is("size") &&
                    tokens_[at - 1].is(".") && tokens_[at + 1].is("(") && tokens_[at + 2].is(")");
  return asks && has_known_size(tokens_[at - 2].text, at, 0);
}

bool HostNames::has_known_size(std::string_view name, std::size_t place, int depth) const {
  if (depth > kMostCallers) return false;
  if (container(name, place)) return true;
  const auto given = given_value(name, place);
  return given && given->size() == 1 &&
         has_known_size(tokens_[given->first].text, given->first, depth + 1);
}

std::optional<std::size_t> HostNames::parameter_position(const Declaration& function,
                                                         std::string_view name) const {
  for (std::size_t i = function.first; i + 1 < function.last; ++i) {
    if (!tokens_[i].is(function.name) || !tokens_[i + 1].is("(")) continue;
    return position_of(pieces_from(tokens_, i + 2), name);
  }
  return std::nullopt;
}

std::optional<std::size_t> HostNames::template_position(const Declaration& function,
                                                        std::string_view name) const {
  if (!function.is_template) return std::nullopt;
  for (std::size_t i = function.first; i + 1 < function.last; ++i) {
    if (tokens_[i].is("template") && tokens_[i + 1].is("<")) {
      return position_of(template_pieces(tokens_, i + 1), name);
    }
  }
  return std::nullopt;
}

std::optional<TokenRange> HostNames::template_default(const Declaration& function,
                                                      std::size_t position) const {
  for (std::size_t i = function.first; i + 1 < function.last; ++i) {
    if (!tokens_[i].is("template") || !tokens_[i + 1].is("<")) continue;
    const std::vector<TokenRange> parameters = template_pieces(tokens_, i + 1);
    if (position >= parameters.size()) return std::nullopt;
    TokenRange value = parameters[position];
    while (value.first < value.last && !tokens_[value.first].is("=")) ++value.first;
    if (value.first + 1 >= value.last) return std::nullopt;
    return TokenRange{value.first + 1, value.last};
  }
  return std::nullopt;
}

std::optional<std::size_t> HostNames::position_of(const std::vector<TokenRange>& parameters,
                                                  std::string_view name) const {
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    std::size_t last = parameters[i].first;
    while (last < parameters[i].last && !tokens_[last].is("=")) ++last;
    if (last > parameters[i].first && tokens_[last - 1].is(name)) return i;
  }
  return std::nullopt;
}

}  // namespace tilescope
