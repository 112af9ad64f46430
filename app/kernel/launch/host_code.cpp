#include "kernel/launch/host_code.h"

#include <algorithm>
#include <array>
#include <cctype>

#include "core/expression.h"

namespace tilescope {
namespace {

using Tokens = std::vector<CudaToken>;

bool is_opening(const CudaToken& token) { return token.is("(") || token.is("{") || token.is("["); }
bool is_closing(const CudaToken& token) { return token.is(")") || token.is("}") || token.is("]"); }

std::string lower(std::string_view text) {
  std::string word(text);
  for (char& c : word) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return word;
}

bool is_real(std::string_view text) {
  return !text.empty() && text.find('.') != std::string_view::npos &&
         text.find_first_not_of("0123456789.-f") == std::string_view::npos;
}

// "256.0f" and "256U" to "256"; what has a fraction stays.
std::string whole_literal(std::string_view text) {
  const std::size_t point = text.find('.');
  if (point == std::string_view::npos) {
    const std::size_t digits = text.find_first_not_of("0123456789");
    const bool suffix = digits != std::string_view::npos && digits > 0 &&
                        text.find_first_not_of("uUlL", digits) == std::string_view::npos;
    return std::string(text.substr(0, suffix ? digits : text.size()));
  }
  const bool whole = is_real(text) && point > 0 &&
                     text.find_first_not_of("0f", point + 1) == std::string_view::npos;
  return std::string(whole ? text.substr(0, point) : text);
}

// In brackets where it is more than one operand.
std::string operand(const std::string& text) {
  int depth = 0;
  for (const char c : text) {
    depth += c == '(' ? 1 : c == ')' ? -1 : 0;
    if (depth == 0 && std::string_view("+-*/%?:<>=!&|^~").find(c) != std::string_view::npos) {
      return "(" + text + ")";
    }
  }
  return text;
}

// Without brackets around all of it.
std::string unbracketed(const std::string& text) {
  if (!text.starts_with('(')) return text;
  int depth = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    depth += text[i] == '(' ? 1 : text[i] == ')' ? -1 : 0;
    if (depth == 0) return i + 1 == text.size() ? text.substr(1, i - 1) : text;
  }
  return text;
}

// A function or macro that divides and rounds up: CEIL_DIV, cdiv, iDivUp, div_round_up.
bool divides_up(std::string_view name) {
  const std::string word = lower(name);
  const auto has = [&](std::string_view part) { return word.find(part) != std::string::npos; };
  return word == "cdiv" || (has("ceil") && word != "ceil" && word != "ceilf") ||
         (has("div") && has("up"));
}

}  // namespace

bool is_three(const Tokens& tokens, std::size_t at, std::string_view sign) {
  return at + 2 < tokens.size() && tokens[at].is(sign) && tokens[at + 1].is(sign) &&
         tokens[at + 2].is(sign);
}

std::vector<TokenRange> pieces_from(const Tokens& tokens, std::size_t first) {
  std::vector<TokenRange> found{{first, first}};
  int depth = 0;
  for (std::size_t i = first; i < tokens.size(); ++i) {
    if (depth == 0 && (is_closing(tokens[i]) || is_three(tokens, i, ">") || tokens[i].is(";")))
      break;
    if (is_opening(tokens[i])) ++depth;
    if (is_closing(tokens[i])) --depth;
    if (depth == 0 && tokens[i].is(",")) {
      found.push_back({i + 1, i + 1});
    } else {
      found.back().last = i + 1;
    }
  }
  return found;
}

std::string HostCode::text(const TokenRange& range, std::size_t place,
                           const std::set<std::string>& kept, int depth) const {
  std::string text;
  const auto add = [&](const std::string& piece) {
    const bool words = !text.empty() && is_word_end(text.back()) && is_word_end(piece.front());
    if (words) text += ' ';
    text += piece;
    if (piece == ",") text += ' ';
  };
  for (std::size_t i = range.first; i < range.last;) {
    const std::size_t next = behind_cast(i, range.last);
    if (next != i) {
      i = next;
    } else if (i + 2 < range.last && tokens_[i].is("(") && tokens_[i + 2].is(")") &&
               !(i > range.first && tokens_[i - 1].kind == CudaTokenKind::kWord)) {
      add(this->text({i + 1, i + 2}, place, kept, depth));  // one word in brackets
      i += 3;
    } else if (tokens_[i].kind == CudaTokenKind::kNumber) {
      add(whole_literal(tokens_[i++].text));
    } else if (tokens_[i].kind == CudaTokenKind::kWord) {
      const Piece piece = piece_at(i, range.last, {place, &kept, depth});
      add(piece.text);
      i = piece.next;
    } else {
      add(std::string(tokens_[i++].text));
    }
  }
  return text;
}

std::size_t HostCode::behind_cast(std::size_t at, std::size_t last) const {
  if (at + 2 < last && tokens_[at].is("std") && tokens_[at + 1].is(":")) return at + 3;
  const bool named = tokens_[at].is("static_cast");
  if (!named && !tokens_[at].is("(")) return at;
  std::size_t end = at + (named ? 2 : 1);
  std::string type;
  while (end < last && tokens_[end].kind == CudaTokenKind::kWord) {
    type += (type.empty() ? "" : " ") + std::string(tokens_[end++].text);
  }
  const bool closes = end + 1 < last && tokens_[end].is(named ? ">" : ")");
  return closes && number_type(type) ? end + 1 : at;
}

std::vector<std::string> HostCode::extents(const TokenRange& range, std::size_t place,
                                           const std::set<std::string>& kept) const {
  const CudaToken& head = tokens_[range.first];
  std::vector<std::string> texts;
  if (head.is("dim3") && range.last > range.first + 2) {
    texts = texts_from(range.first + 2, place, kept, 0);
  } else if (range.last == range.first + 1) {
    texts = dim3_named(head.text, place, kept, 0);
  }
  if (texts.empty()) texts.push_back(text(range, place, kept));
  while (texts.size() > 1 && texts.back() == "1") texts.pop_back();
  std::ranges::transform(texts, texts.begin(), unbracketed);
  return texts;
}

std::string HostCode::template_text(const TokenRange& range, std::size_t place) const {
  std::string text;
  if (range.last <= range.first) return text;
  std::size_t first = range.first + 1;
  int depth = 0;
  for (std::size_t i = first; i < range.last; ++i) {
    depth += tokens_[i].is("<") || tokens_[i].is("(") ? 1 : 0;
    const bool ends = depth == 0 && (tokens_[i].is(",") || i + 1 == range.last);
    depth -= tokens_[i].is(">") || tokens_[i].is(")") ? 1 : 0;
    if (!ends) continue;
    text += (text.empty() ? "<" : ", ") + template_argument({first, i}, place, 0);
    first = i + 1;
  }
  return text.empty() ? text : text + ">";
}

std::optional<std::int64_t> HostCode::value(const TokenRange& range, std::size_t place) const {
  const auto found = evaluate_expression(text(range, place), known_);
  return found ? std::optional(*found) : std::nullopt;
}

bool HostCode::is_ruled_out(std::size_t at) const {
  std::size_t close = at - 1;
  if (close > 0 && tokens_[close].is("{")) --close;
  if (!tokens_[close].is(")")) return false;
  std::size_t open = close;
  for (int depth = 0; open > 0; --open) {
    depth += tokens_[open].is(")") ? 1 : tokens_[open].is("(") ? -1 : 0;
    if (depth == 0) break;
  }
  return open > 0 && tokens_[open - 1].is("if") && value({open + 1, close}, at) == 0;
}

std::string HostCode::number(const TokenRange& range, std::size_t place) const {
  if (const auto known = value(range, place)) return std::to_string(*known);
  std::string written = joined(tokens_, range.first, range.last);
  for (int depth = 0; depth < kDeepest && !written.empty(); ++depth) {
    if (is_real(written)) return written;
    const auto declared = declared_value(written, place);
    written = declared ? joined(tokens_, declared->first, declared->last) : std::string();
  }
  return {};
}

bool HostCode::is_word_end(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

HostCode::Piece HostCode::piece_at(std::size_t at, std::size_t last, const Context& here) const {
  const std::string name(tokens_[at].text);
  if (at + 1 < last && tokens_[at + 1].is("(")) return call_at(at, last, here);
  if (at + 2 < last && tokens_[at + 1].is(".")) {
    const std::size_t axis = std::string_view("xyz").find(tokens_[at + 2].text);
    const auto extents = axis < 3 && here.depth < kDeepest
                             ? dim3_named(name, here.place, *here.kept, here.depth + 1)
                             : std::vector<std::string>();
    if (!extents.empty()) {
      return {axis < extents.size() ? operand(extents[axis]) : "1", at + 3};
    }
  }
  if (name == "sizeof" && at + 1 < last) {  // sizeof array
    const auto bytes = bytes_of_array(tokens_[at + 1].text, here.place);
    if (bytes) return {std::to_string(*bytes), at + 2};
  }
  const bool asks_size = at + 4 < last && tokens_[at + 1].is(".") && tokens_[at + 2].is("size") &&
                         tokens_[at + 3].is("(") && tokens_[at + 4].is(")");
  if (asks_size) {
    const std::string extent = extent_of(name, here);
    if (!extent.empty()) return {operand(extent), at + 5};
  }
  return {name_text(name, here), at + 1};
}

std::string HostCode::name_text(const std::string& name, const Context& here) const {
  if (here.kept->contains(name) || here.depth > kDeepest || --names_left_ < 0) return name;
  if (name == "true" || name == "false") return name == "true" ? "1" : "0";
  std::string found;
  if (const auto declared = declared_value(name, here.place)) {
    found = text(*declared, declared->first, *here.kept, here.depth + 1);
  } else if (const auto width = pitched_width(name, here.place)) {
    found = fmt::format("ceil_div({0}, {1}) * {1}",
                        text(*width, width->first, *here.kept, here.depth + 1), kPitch);
  } else if (const auto given = given_value(name, here.place, false)) {
    found = text(*given, given->first, {}, here.depth + 1);  // the caller's names are others
  } else if (const auto argument = given_value(name, here.place, true)) {
    const auto number = value(*argument, argument->first);
    found = number ? std::to_string(*number) : text(*argument, argument->first, {}, here.depth + 1);
  } else if (const auto constant = constants_.find(name); constant != constants_.end()) {
    found = std::to_string(constant->second);
  } else if (const auto top = value_at_the_top(name)) {
    found = text(*top, top->first, {}, here.depth + 1);
  }
  if (found.empty()) return name;
  const auto value = evaluate_expression(found, known_);
  const auto own = lasting_.find(name);
  if (value && own != lasting_.end() && *value == own->second) return name;
  if (value && std::ranges::none_of(tokenize(found), [&](const CudaToken& word) {
        return word.kind == CudaTokenKind::kWord && lasting_.contains(std::string(word.text));
      })) {
    return std::to_string(*value);
  }
  return operand(found);
}

HostCode::Piece HostCode::call_at(std::size_t at, std::size_t last, const Context& here) const {
  const std::string name(tokens_[at].text);
  const std::vector<TokenRange> parts = pieces_from(tokens_, at + 2);
  const std::size_t close = parts.back().last;
  if (close >= last) return {name, at + 1};
  if (name == "sizeof") {
    const TokenRange all{parts.front().first, close};
    auto bytes = bytes_of_type(template_argument(all, here.place, here.depth));
    if (!bytes && all.last == all.first + 1)
      bytes = bytes_of_array(tokens_[all.first].text, here.place);
    return bytes ? Piece{std::to_string(*bytes), close + 1} : Piece{name, at + 1};
  }
  const auto inner = [&](const TokenRange& range) {
    return text(range, here.place, *here.kept, here.depth + 1);
  };
  if ((name == "ceil" || name == "ceilf") && parts.size() == 1) {
    if (const auto sign = last_division(parts[0])) {
      return {"ceil_div(" + inner({parts[0].first, *sign}) + ", " +
                  inner({*sign + 1, parts[0].last}) + ")",
              close + 1};
    }
    return {operand(inner(parts[0])), close + 1};
  }
  if (parts.size() == 2 && (divides_up(name) || name == "min" || name == "max")) {
    return {(divides_up(name) ? "ceil_div" : name) + "(" + inner(parts[0]) + ", " +
                inner(parts[1]) + ")",
            close + 1};
  }
  const std::string text = formula_text(name, parts, here);
  return text.empty() ? Piece{name, at + 1} : Piece{text, close + 1};
}

namespace {

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

std::optional<HostCode::Formula> HostCode::formula_named(std::string_view name) const {
  if (!is_formula(name)) return std::nullopt;
  Formula formula;
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

std::string HostCode::formula_text(const std::string& name, const std::vector<TokenRange>& parts,
                                   const Context& here) const {
  if (here.depth >= kDeepest || --names_left_ < 0) return {};
  const auto formula = formula_named(name);
  if (!formula) return {};
  const bool is_macro = !formula->macro.empty();
  const Tokens& tokens = is_macro ? formula->macro : tokens_;
  std::string text;
  for (std::size_t i = formula->body.first; i < formula->body.last;) {
    if (tokens[i].kind == CudaTokenKind::kString || tokens[i].is("{")) return {};
    const auto parameter = std::ranges::find_if(formula->names, [&](const TokenRange& each) {
      return each.last > each.first && tokens[each.last - 1].is(tokens[i].text);
    });
    const auto index = static_cast<std::size_t>(parameter - formula->names.begin());
    Piece piece{std::string(tokens[i].text), i + 1};
    if (index < std::min(parts.size(), formula->names.size())) {
      piece.text = operand(this->text(parts[index], here.place, *here.kept, here.depth + 1));
    } else if (!is_macro && behind_cast(i, formula->body.last) != i) {
      piece = {"", behind_cast(i, formula->body.last)};
    } else if (tokens[i].kind == CudaTokenKind::kNumber) {
      piece.text = whole_literal(tokens[i].text);
    } else if (!is_macro && tokens[i].kind == CudaTokenKind::kWord) {
      piece = piece_at(i, formula->body.last, {formula->body.first, here.kept, here.depth + 1});
    }
    const bool words = !text.empty() && !piece.text.empty() && is_word_end(text.back()) &&
                       is_word_end(piece.text.front());
    text += (words ? " " : "") + piece.text;
    i = piece.next;
  }
  return Expression::parse(text) ? operand(text) : std::string();
}

std::optional<std::uint64_t> HostCode::bytes_of_type(const std::string& type) const {
  if (type.ends_with("*")) return sizeof(void*);
  const std::string plain = resolved_type(aliases_, type);
  if (const auto number = number_type(plain)) return size_of(*number);
  return structures_.bytes_of(plain);
}

std::optional<std::size_t> HostCode::last_division(const TokenRange& range) const {
  std::optional<std::size_t> found;
  int depth = 0;
  for (std::size_t i = range.first; i < range.last; ++i) {
    if (is_opening(tokens_[i])) ++depth;
    if (is_closing(tokens_[i])) --depth;
    if (depth > 0) continue;
    if (tokens_[i].is("+") || tokens_[i].is("-")) return std::nullopt;
    if (tokens_[i].is("/")) found = i;
  }
  return found;
}

const Declaration* HostCode::function_at(std::size_t place) const {
  const auto found = std::ranges::find_if(declarations_, [&](const Declaration& one) {
    return one.kind == Declaration::Kind::kFunction && one.first <= place && place < one.last;
  });
  return found != declarations_.end() ? &*found : nullptr;
}

std::size_t HostCode::begin_of(std::size_t place) const {
  const Declaration* function = function_at(place);
  return function != nullptr ? function->first : 0;
}

std::optional<TokenRange> HostCode::declared_value(std::string_view name, std::size_t place) const {
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

std::optional<TokenRange> HostCode::value_at_the_top(std::string_view name) const {
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

bool HostCode::can_be_read(const TokenRange& range) const {
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

bool HostCode::is_formula(std::string_view name) const {
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

std::optional<TokenRange> HostCode::given_value(std::string_view name, std::size_t place,
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
        const auto parts = template_pieces(open);
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

bool HostCode::is_preferred(std::size_t place) const {
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

std::vector<TokenRange> HostCode::template_pieces(std::size_t open) const {
  std::vector<TokenRange> found{{open + 1, open + 1}};
  int depth = 0;
  for (std::size_t i = open + 1; i < tokens_.size() && !tokens_[i].is(";"); ++i) {
    if (tokens_[i].is(">") && depth == 0) return found;
    depth += tokens_[i].is("<") || tokens_[i].is("(") ? 1 : 0;
    depth -= tokens_[i].is(">") || tokens_[i].is(")") ? 1 : 0;
    if (depth == 0 && tokens_[i].is(",")) {
      found.push_back({i + 1, i + 1});
    } else {
      found.back().last = i + 1;
    }
  }
  return {};
}

std::optional<std::size_t> HostCode::parameter_position(const Declaration& function,
                                                        std::string_view name) const {
  for (std::size_t i = function.first; i + 1 < function.last; ++i) {
    if (!tokens_[i].is(function.name) || !tokens_[i + 1].is("(")) continue;
    return position_of(pieces_from(tokens_, i + 2), name);
  }
  return std::nullopt;
}

std::optional<std::size_t> HostCode::template_position(const Declaration& function,
                                                       std::string_view name) const {
  if (!function.is_template) return std::nullopt;
  for (std::size_t i = function.first; i + 1 < function.last; ++i) {
    if (tokens_[i].is("template") && tokens_[i + 1].is("<")) {
      return position_of(template_pieces(i + 1), name);
    }
  }
  return std::nullopt;
}

std::optional<TokenRange> HostCode::template_default(const Declaration& function,
                                                     std::size_t position) const {
  for (std::size_t i = function.first; i + 1 < function.last; ++i) {
    if (!tokens_[i].is("template") || !tokens_[i + 1].is("<")) continue;
    const std::vector<TokenRange> parameters = template_pieces(i + 1);
    if (position >= parameters.size()) return std::nullopt;
    TokenRange value = parameters[position];
    while (value.first < value.last && !tokens_[value.first].is("=")) ++value.first;
    if (value.first + 1 >= value.last) return std::nullopt;
    return TokenRange{value.first + 1, value.last};
  }
  return std::nullopt;
}

std::optional<std::size_t> HostCode::position_of(const std::vector<TokenRange>& parameters,
                                                 std::string_view name) const {
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    std::size_t last = parameters[i].first;
    while (last < parameters[i].last && !tokens_[last].is("=")) ++last;
    if (last > parameters[i].first && tokens_[last - 1].is(name)) return i;
  }
  return std::nullopt;
}

std::string HostCode::template_argument(const TokenRange& range, std::size_t place,
                                        int depth) const {
  const CudaToken& first = tokens_[range.first];
  const bool is_truth = range.last == range.first + 1 && (first.is("true") || first.is("false"));
  const auto whole = is_truth ? std::nullopt : value(range, place);
  if (whole) return std::to_string(*whole);
  if (depth > kDeepest) return joined(tokens_, range.first, range.last);
  std::string text;
  for (std::size_t i = range.first; i < range.last; ++i) {
    const CudaToken& token = tokens_[i];
    const bool is_word = token.kind == CudaTokenKind::kWord;
    std::string piece(token.text);
    if (is_word && !token.is("true") && !token.is("false")) {
      if (const auto alias = alias_of(token.text, place)) {
        piece = template_argument(*alias, place, depth + 1);
      } else if (const auto given = given_value(token.text, place, true)) {
        piece = template_argument(*given, given->first, depth + 1);
      } else if (const auto known = value({i, i + 1}, place)) {
        piece = std::to_string(*known);
      }
    }
    const bool words = is_word && !text.empty() && is_word_end(text.back());
    text += (words ? " " : "") + piece + (token.is(",") ? " " : "");
  }
  return text;
}

std::optional<TokenRange> HostCode::alias_of(std::string_view name, std::size_t place) const {
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

std::vector<std::string> HostCode::texts_from(std::size_t first, std::size_t place,
                                              const std::set<std::string>& kept, int depth) const {
  std::vector<std::string> texts;
  for (const TokenRange& part : pieces_from(tokens_, first)) {
    if (part.last > part.first) texts.push_back(text(part, place, kept, depth));
  }
  if (texts.empty()) texts.emplace_back("1");
  return texts;
}

std::vector<std::string> HostCode::dim3_named(std::string_view name, std::size_t place,
                                              const std::set<std::string>& kept, int depth) const {
  std::array<std::string, 3> axes;
  for (std::size_t i = std::min(place, tokens_.size()); i-- > 0;) {
    if (!tokens_[i].is(name) || i + 1 >= tokens_.size()) continue;
    if (tokens_[i + 1].is(".") && i + 4 < tokens_.size() && tokens_[i + 3].is("=") &&
        !tokens_[i + 4].is("=")) {
      const std::size_t axis = std::string_view("xyz").find(tokens_[i + 2].text);
      if (axis < 3 && axes[axis].empty()) {
        axes[axis] = text(pieces_from(tokens_, i + 4).front(), i, kept, depth + 1);
      }
      continue;
    }
    const auto list = extents_written_at(i);
    if (!list) continue;
    std::vector<std::string> texts =
        *list == 0 ? std::vector<std::string>{"1"} : texts_from(*list, i, kept, depth + 1);
    for (std::size_t axis = 0; axis < 3; ++axis) {
      if (axes[axis].empty()) continue;
      if (texts.size() <= axis) texts.resize(axis + 1, "1");
      texts[axis] = axes[axis];
    }
    return texts;
  }
  const auto given = depth < kDeepest ? given_value(name, place, false) : std::nullopt;
  if (!given) return {};
  const CudaToken& head = tokens_[given->first];
  if (head.is("dim3") && given->last > given->first + 2) {
    return texts_from(given->first + 2, given->first, {}, depth + 1);
  }
  return given->last == given->first + 1 ? dim3_named(head.text, given->first, {}, depth + 1)
                                         : std::vector<std::string>();
}

std::optional<std::size_t> HostCode::extents_written_at(std::size_t at) const {
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

}  // namespace tilescope
