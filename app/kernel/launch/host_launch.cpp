#include "kernel/launch/host_launch.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <map>
#include <set>
#include <string_view>
#include <vector>

#include "kernel/catalogue/expression.h"
#include "kernel/source/kernel_signature.h"
#include "kernel/source/source_numbers.h"
#include "kernel/source/structure_layout.h"
#include "kernel/source/template_arguments.h"
#include "kernel/source/type_names.h"
#include "kernel/text/declarations.h"

namespace tilescope {
namespace {

using Tokens = std::vector<CudaToken>;

struct Range {
  std::size_t first = 0;
  std::size_t last = 0;
};

bool is_opening(const CudaToken& token) { return token.is("(") || token.is("{") || token.is("["); }
bool is_closing(const CudaToken& token) { return token.is(")") || token.is("}") || token.is("]"); }

bool three(const Tokens& tokens, std::size_t at, std::string_view sign) {
  return at + 2 < tokens.size() && tokens[at].is(sign) && tokens[at + 1].is(sign) &&
         tokens[at + 2].is(sign);
}

// The pieces between commas from `first` to the bracket that is not opened there, >>> or ;.
std::vector<Range> pieces(const Tokens& tokens, std::size_t first) {
  std::vector<Range> found{{first, first}};
  int depth = 0;
  for (std::size_t i = first; i < tokens.size(); ++i) {
    if (depth == 0 && (is_closing(tokens[i]) || three(tokens, i, ">") || tokens[i].is(";"))) break;
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

bool names_constants(const std::string& expression) {
  const auto parsed = Expression::parse(expression);
  return parsed && !parsed->variables().empty();
}

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
    if (depth == 0 && std::string_view("+-*/%?:<>=!&|").find(c) != std::string_view::npos) {
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

// Host code as far as names in it follow from its declarations, from the constants of the file and
// from what its functions are called with. A place is the index of a token; what a name stands for
// there is what was last written before it in the same function.
class HostCode {
 public:
  // `lasting`: constants whose names stay, for they mean the same to whoever reads the launch.
  HostCode(const Tokens& tokens, const ParameterSet& constants, const ParameterSet& lasting)
      : tokens_(tokens),
        constants_(constants),
        lasting_(lasting),
        aliases_(find_aliases(tokens)),
        structures_(tokens, constants, aliases_),
        declarations_(find_declarations(tokens)) {}

  // An expression of constants, of `kept` names and of numbers; a name of which nothing is known
  // stays.
  [[nodiscard]] std::string text(const Range& range, std::size_t place,
                                 const std::set<std::string>& kept = {}, int depth = 0) const {
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

  // Behind (int), static_cast<int> or std::, or `at` itself.
  [[nodiscard]] std::size_t behind_cast(std::size_t at, std::size_t last) const {
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

  // The extents of a launch: a number, dim3(...), or the name of a dim3.
  [[nodiscard]] std::vector<std::string> extents(const Range& range, std::size_t place,
                                                 const std::set<std::string>& kept = {}) const {
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

  // Template arguments: numbers where they follow, types of an enclosing template's where it is
  // called with some.
  [[nodiscard]] std::string template_text(const Range& range, std::size_t place) const {
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

  [[nodiscard]] std::optional<std::int64_t> value(const Range& range, std::size_t place) const {
    const auto found = evaluate_expression(text(range, place), constants_);
    return found ? std::optional(*found) : std::nullopt;
  }

  // Whether the statement at `at` is behind an if whose condition is known to be false.
  [[nodiscard]] bool is_ruled_out(std::size_t at) const {
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

  // What was allocated behind the pointer that is the last word of `range`: cudaMalloc(&d, bytes).
  [[nodiscard]] std::optional<std::int64_t> allocated_bytes(const Range& range, std::size_t place,
                                                            int depth = 0) const {
    if (range.last == range.first || depth > kDeepest) return std::nullopt;
    const std::string_view name = tokens_[range.last - 1].text;
    if (const auto given = given_value(name, place, false)) {
      return allocated_bytes(*given, given->first, depth + 1);
    }
    for (std::size_t i = begin_of(place); i + 2 < tokens_.size(); ++i) {
      if (!tokens_[i].text.starts_with("cudaMalloc") || !tokens_[i + 1].is("(")) continue;
      const std::vector<Range> parts = pieces(tokens_, i + 2);
      const bool same = parts.size() >= 2 && parts[0].last > parts[0].first &&
                        tokens_[parts[0].last - 1].is(name);
      if (same) return value(parts[1], i);
    }
    return std::nullopt;
  }

  // A number as it is written in C; empty: none is known.
  [[nodiscard]] std::string number(const Range& range, std::size_t place) const {
    if (const auto known = value(range, place)) return std::to_string(*known);
    std::string written = joined(tokens_, range.first, range.last);
    for (int depth = 0; depth < kDeepest && !written.empty(); ++depth) {
      if (is_real(written)) return written;
      const auto declared = declared_value(written, place);
      written = declared ? joined(tokens_, declared->first, declared->last) : std::string();
    }
    return {};
  }

 private:
  static constexpr int kDeepest = 8;  // names that stand for names

  struct Piece {
    std::string text;
    std::size_t next = 0;  // token behind it
  };
  struct Context {
    std::size_t place = 0;
    const std::set<std::string>* kept = nullptr;
    int depth = 0;
  };

  static bool is_word_end(char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
  }

  // What a word and its brackets stand for.
  [[nodiscard]] Piece piece_at(std::size_t at, std::size_t last, const Context& here) const {
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
    return {name_text(name, here), at + 1};
  }

  [[nodiscard]] std::string name_text(const std::string& name, const Context& here) const {
    if (here.kept->contains(name) || here.depth > kDeepest || --names_left_ < 0) return name;
    std::string found;
    if (const auto declared = declared_value(name, here.place)) {
      found = text(*declared, declared->first, *here.kept, here.depth + 1);
    } else if (const auto given = given_value(name, here.place, false)) {
      found = text(*given, given->first, {}, here.depth + 1);  // the caller's names are others
    } else if (const auto constant = constants_.find(name); constant != constants_.end()) {
      found = std::to_string(constant->second);
    } else if (const auto top = value_at_the_top(name)) {
      found = text(*top, top->first, {}, here.depth + 1);
    }
    if (found.empty()) return name;
    const auto value = evaluate_expression(found, constants_);
    const auto own = lasting_.find(name);
    if (value && own != lasting_.end() && *value == own->second) return name;
    if (value && std::ranges::none_of(tokenize(found), [&](const CudaToken& word) {
          return word.kind == CudaTokenKind::kWord && lasting_.contains(std::string(word.text));
        })) {
      return std::to_string(*value);
    }
    return operand(found);
  }

  // min, max and what divides and rounds up; a call of anything else stays.
  [[nodiscard]] Piece call_at(std::size_t at, std::size_t last, const Context& here) const {
    const std::string name(tokens_[at].text);
    const std::vector<Range> parts = pieces(tokens_, at + 2);
    const std::size_t close = parts.back().last;
    if (close >= last) return {name, at + 1};
    if (name == "sizeof") {
      const auto bytes = bytes_of_type(template_argument(parts[0], here.place, here.depth));
      return bytes ? Piece{std::to_string(*bytes), close + 1} : Piece{name, at + 1};
    }
    const auto inner = [&](const Range& range) {
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
    return {name, at + 1};
  }

  [[nodiscard]] std::optional<std::uint64_t> bytes_of_type(const std::string& type) const {
    if (type.ends_with("*")) return sizeof(void*);
    const std::string plain = resolved_type(aliases_, type);
    if (const auto number = number_type(plain)) return size_of(*number);
    const auto layout = structures_.find(plain);
    return layout ? std::optional<std::uint64_t>(layout->bytes) : std::nullopt;
  }

  // The / that is done last, where no + or - is beside it.
  [[nodiscard]] std::optional<std::size_t> last_division(const Range& range) const {
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

  [[nodiscard]] const Declaration* function_at(std::size_t place) const {
    const auto found = std::ranges::find_if(declarations_, [&](const Declaration& one) {
      return one.kind == Declaration::Kind::kFunction && one.first <= place && place < one.last;
    });
    return found != declarations_.end() ? &*found : nullptr;
  }
  // Where names that are written before `place` begin to count.
  [[nodiscard]] std::size_t begin_of(std::size_t place) const {
    const Declaration* function = function_at(place);
    return function != nullptr ? function->first : 0;
  }

  // int blocks = (n + 255) / 256; blocks = n / 256; int blocks{8}: the last that can be read.
  [[nodiscard]] std::optional<Range> declared_value(std::string_view name,
                                                    std::size_t place) const {
    for (std::size_t i = std::min(place, tokens_.size()); i-- > begin_of(place) + 1;) {
      if (!tokens_[i].is(name) || i + 2 >= tokens_.size()) continue;
      const bool assigned = tokens_[i + 1].is("=") && !tokens_[i + 2].is("=") &&
                            !tokens_[i - 1].is(".") && !tokens_[i - 1].is(">");
      const bool braced = tokens_[i + 1].is("{") && number_type(tokens_[i - 1].text).has_value();
      if (!assigned && !braced) continue;
      Range value = pieces(tokens_, i + 2).front();
      while (value.first + 2 < value.last && tokens_[value.first + 1].is("=") &&
             !tokens_[value.first + 2].is("=")) {
        value.first += 2;  // a = b = 5
      }
      if (value.last > value.first && can_be_read(value)) return value;
    }
    return std::nullopt;
  }

  // const int BYTES = sizeof(real) * N; outside of functions.
  [[nodiscard]] std::optional<Range> value_at_the_top(std::string_view name) const {
    for (const Declaration& declaration : declarations_) {
      if (declaration.kind != Declaration::Kind::kOther) continue;
      for (std::size_t i = declaration.first; i + 2 < declaration.last; ++i) {
        if (!tokens_[i].is(name) || !tokens_[i + 1].is("=")) continue;
        const Range value = pieces(tokens_, i + 2).front();
        if (can_be_read(value)) return value;
      }
    }
    return std::nullopt;
  }

  // No call of the host's, as atoi(argv[1]), and no text.
  [[nodiscard]] bool can_be_read(const Range& range) const {
    for (std::size_t i = range.first; i < range.last; ++i) {
      if (tokens_[i].kind == CudaTokenKind::kString || tokens_[i].is("{") || tokens_[i].is("[")) {
        return false;
      }
      const bool call =
          i + 1 < range.last && tokens_[i].kind == CudaTokenKind::kWord && tokens_[i + 1].is("(");
      const bool known = tokens_[i].is("ceil") || tokens_[i].is("ceilf") || tokens_[i].is("min") ||
                         tokens_[i].is("max") || tokens_[i].is("sizeof") ||
                         divides_up(tokens_[i].text);
      if (call && !known) return false;
    }
    return true;
  }

  // What a parameter of the enclosing function is at the first call of it that is written
  // elsewhere; a template's parameter with `of_template`.
  [[nodiscard]] std::optional<Range> given_value(std::string_view name, std::size_t place,
                                                 bool of_template) const {
    const Declaration* function = function_at(place);
    if (function == nullptr) return std::nullopt;
    const auto position =
        of_template ? template_position(*function, name) : parameter_position(*function, name);
    if (!position) return std::nullopt;
    for (std::size_t i = 0; i + 2 < tokens_.size(); ++i) {
      if (i == function->first) i = function->last;
      if (i + 2 >= tokens_.size() || !tokens_[i].is(function->name)) continue;
      std::size_t open = i + 1;
      const Declaration* caller = function_at(i);
      const bool calls = caller != nullptr && caller->name != function->name;
      if ((!calls && !of_template) || three(tokens_, open, "<"))
        continue;  // a declaration, a kernel
      if (tokens_[open].is("<")) {
        if (of_template) {
          const auto parts = template_pieces(open);
          if (*position < parts.size()) return parts[*position];
        }
        while (open < tokens_.size() && !tokens_[open].is("(") && !tokens_[open].is(";")) ++open;
      }
      if (of_template || open >= tokens_.size() || !tokens_[open].is("(")) continue;
      const auto parts = pieces(tokens_, open + 1);
      if (*position < parts.size() && parts[*position].last > parts[*position].first &&
          can_be_read(parts[*position])) {
        return parts[*position];
      }
    }
    return std::nullopt;
  }

  // The arguments between < and >.
  [[nodiscard]] std::vector<Range> template_pieces(std::size_t open) const {
    std::vector<Range> found{{open + 1, open + 1}};
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

  [[nodiscard]] std::optional<std::size_t> parameter_position(const Declaration& function,
                                                              std::string_view name) const {
    for (std::size_t i = function.first; i + 1 < function.last; ++i) {
      if (!tokens_[i].is(function.name) || !tokens_[i + 1].is("(")) continue;
      return position_of(pieces(tokens_, i + 2), name);
    }
    return std::nullopt;
  }

  [[nodiscard]] std::optional<std::size_t> template_position(const Declaration& function,
                                                             std::string_view name) const {
    if (!function.is_template) return std::nullopt;
    for (std::size_t i = function.first; i + 1 < function.last; ++i) {
      if (tokens_[i].is("template") && tokens_[i + 1].is("<")) {
        return position_of(template_pieces(i + 1), name);
      }
    }
    return std::nullopt;
  }

  // Of the parameter whose last word is the name.
  [[nodiscard]] std::optional<std::size_t> position_of(const std::vector<Range>& parameters,
                                                       std::string_view name) const {
    for (std::size_t i = 0; i < parameters.size(); ++i) {
      std::size_t last = parameters[i].first;
      while (last < parameters[i].last && !tokens_[last].is("=")) ++last;
      if (last > parameters[i].first && tokens_[last - 1].is(name)) return i;
    }
    return std::nullopt;
  }

  // As a kernel's name has it: numbers as such, other names of types as what they stand for.
  [[nodiscard]] std::string template_argument(const Range& range, std::size_t place,
                                              int depth) const {
    if (const auto known = value(range, place)) return std::to_string(*known);
    if (depth > kDeepest) return joined(tokens_, range.first, range.last);
    std::string text;
    for (std::size_t i = range.first; i < range.last; ++i) {
      const CudaToken& token = tokens_[i];
      const bool is_word = token.kind == CudaTokenKind::kWord;
      std::string piece(token.text);
      if (is_word) {
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

  // using NAME = type; in the function around `place`.
  [[nodiscard]] std::optional<Range> alias_of(std::string_view name, std::size_t place) const {
    const Declaration* function = function_at(place);
    if (function == nullptr) return std::nullopt;
    for (std::size_t i = place; i-- > function->first;) {
      if (!tokens_[i].is("using") || !tokens_[i + 1].is(name) || !tokens_[i + 2].is("=")) continue;
      std::size_t last = i + 3;
      while (last < place && !tokens_[last].is(";")) ++last;
      return Range{i + 3, last};
    }
    return std::nullopt;
  }

  // "16, 16" behind an opening bracket.
  [[nodiscard]] std::vector<std::string> texts_from(std::size_t first, std::size_t place,
                                                    const std::set<std::string>& kept,
                                                    int depth) const {
    std::vector<std::string> texts;
    for (const Range& part : pieces(tokens_, first)) {
      if (part.last > part.first) texts.push_back(text(part, place, kept, depth));
    }
    if (texts.empty()) texts.emplace_back("1");
    return texts;
  }

  // The extents of a dim3 that was declared, given another value or changed in its axes before
  // `place`; empty: there is none of that name.
  [[nodiscard]] std::vector<std::string> dim3_named(std::string_view name, std::size_t place,
                                                    const std::set<std::string>& kept,
                                                    int depth) const {
    std::array<std::string, 3> axes;
    for (std::size_t i = std::min(place, tokens_.size()); i-- > 0;) {
      if (!tokens_[i].is(name) || i + 1 >= tokens_.size()) continue;
      if (tokens_[i + 1].is(".") && i + 4 < tokens_.size() && tokens_[i + 3].is("=") &&
          !tokens_[i + 4].is("=")) {
        const std::size_t axis = std::string_view("xyz").find(tokens_[i + 2].text);
        if (axis < 3 && axes[axis].empty()) {
          axes[axis] = text(pieces(tokens_, i + 4).front(), i, kept, depth + 1);
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
    return {};
  }

  // Behind the bracket of `dim3 grid(8)`, `block = {16, 16}`, `block = dim3(32)` whose name is at
  // `at`; 0: `dim3 block;`, nullopt: none of these.
  [[nodiscard]] std::optional<std::size_t> extents_written_at(std::size_t at) const {
    std::size_t open = at + 1;
    const bool assigned = tokens_[open].is("=");
    if (assigned) ++open;
    const bool made = open < tokens_.size() && tokens_[open].is("dim3");
    if (made) ++open;
    if (open >= tokens_.size()) return std::nullopt;
    if (assigned && made && is_opening(tokens_[open])) return open + 1;
    bool declared = false;
    int depth = 0;
    for (std::size_t i = at; i-- > 0 && !declared;) {
      if (depth == 0 && (tokens_[i].is(";") || tokens_[i].is("{"))) break;
      if (is_closing(tokens_[i])) ++depth;
      if (is_opening(tokens_[i]) && --depth < 0) break;
      declared = depth == 0 && tokens_[i].is("dim3");
    }
    const bool begins = at > 0 && (tokens_[at - 1].is("dim3") || tokens_[at - 1].is("const") ||
                                   tokens_[at - 1].is(","));
    if (!declared || !begins) return std::nullopt;
    if (is_opening(tokens_[open])) return open + 1;
    if (tokens_[open].is(";") || tokens_[open].is(",")) return 0;
    return std::nullopt;
  }

  const Tokens& tokens_;
  const ParameterSet& constants_;
  const ParameterSet& lasting_;
  const TypeAliases aliases_;
  const StructureTable structures_;
  const std::vector<Declaration> declarations_;
  mutable int names_left_ = 4000;  // to follow, for names that stand for many others each
};

// Where all of them follow from constants, and are a block.
std::optional<Dim3> block_of(const std::vector<std::string>& texts, const ParameterSet& constants) {
  if (texts.size() > 3) return std::nullopt;
  Dim3 extent;
  const std::array<std::uint32_t*, 3> axes{&extent.x, &extent.y, &extent.z};
  for (std::size_t i = 0; i < texts.size(); ++i) {
    const auto value = evaluate_expression(texts[i], constants);
    if (!value || *value < 1 || *value > 1024) return std::nullopt;
    *axes[i] = static_cast<std::uint32_t>(*value);
  }
  return extent.count() <= 1024 ? std::optional(extent) : std::nullopt;
}

// Names that the launch hands over as they are; casts are none.
std::set<std::string> handed_names(const std::vector<std::string>& arguments) {
  std::set<std::string> names;
  for (const std::string& argument : arguments) {
    const auto words = tokenize(argument);
    if (words.size() == 1 && words[0].kind == CudaTokenKind::kWord) names.insert(argument);
  }
  return names;
}

// Where a launch stands: what is behind the kernel's name, perhaps nothing, and its <<<.
struct LaunchPlace {
  Range template_arguments;  // with < and >
  std::size_t sign = 0;
};

// Of the kernel's name at `at`, or of the pointer that it is put into: auto k = name<8>;
// k<<<...>>>.
std::optional<LaunchPlace> launch_of(const Tokens& tokens, std::size_t at) {
  std::size_t end = at + 1;
  if (tokens[end].is("<") && !three(tokens, end, "<")) {
    while (end < tokens.size() && !three(tokens, end, "<") && !tokens[end].is(";")) ++end;
  }
  if (three(tokens, end, "<")) return LaunchPlace{{at + 1, end}, end};
  std::size_t sign = at - 1;
  while (sign > 1 && (tokens[sign].is("&") || tokens[sign].is(":") ||
                      (tokens[sign].kind == CudaTokenKind::kWord && tokens[sign + 1].is(":")))) {
    --sign;
  }
  if (at < 3 || end >= tokens.size() || !tokens[end].is(";") || !tokens[sign].is("=")) {
    return std::nullopt;
  }
  for (std::size_t i = end; i + 3 < tokens.size(); ++i) {
    if (tokens[i].is(tokens[sign - 1].text) && three(tokens, i + 1, "<")) {
      return LaunchPlace{{at + 1, end}, i + 1};
    }
  }
  return std::nullopt;
}

// kernel<<<grid, block>>>(a, b, 1, 1): of all numbers only ones, at least two.
bool warms_up(const HostLaunch& launch) {
  const auto ones = std::ranges::count(launch.argument_values, "1");
  const auto known = std::ranges::count_if(launch.argument_values,
                                           [](const std::string& value) { return !value.empty(); });
  return ones >= 2 && ones == known;
}

HostLaunch read_launch(const Tokens& tokens, const ParameterSet& constants, const HostCode& code,
                       const LaunchPlace& place) {
  const std::size_t at = place.sign;
  const std::vector<Range> parts = pieces(tokens, place.sign + 3);
  HostLaunch launch;
  std::size_t close = parts.back().last;
  while (close < tokens.size() && !tokens[close].is("(") && !tokens[close].is(";")) ++close;
  if (close < tokens.size() && tokens[close].is("(")) {
    for (const Range& argument : pieces(tokens, close + 1)) {
      const std::size_t first = code.behind_cast(argument.first, argument.last);
      launch.arguments.push_back(joined(tokens, first, argument.last));
      launch.argument_values.push_back(code.number(argument, at));
      launch.argument_bytes.push_back(code.allocated_bytes(argument, at));
    }
  }
  if (parts.size() > 1 && parts[1].last > parts[1].first) {
    launch.block_text = code.extents(parts[1], at);
    launch.block = block_of(launch.block_text, constants);
    const bool is_name = parts[1].last == parts[1].first + 1;
    if (!launch.block && is_name) launch.unknown_block = tokens[parts[1].first].text;
    if (!launch.block || std::ranges::none_of(launch.block_text, names_constants)) {
      launch.block_text.clear();
    }
  }
  if (parts[0].last > parts[0].first) {
    launch.grid_text = code.extents(parts[0], at, handed_names(launch.arguments));
  }
  if (parts.size() > 2) {
    const std::string text = code.text(parts[2], at);
    const auto bytes = evaluate_expression(text, constants);
    if (bytes && *bytes >= 0 && *bytes <= 1 << 20) {
      launch.dynamic_shared_bytes = static_cast<std::uint32_t>(*bytes);
      if (names_constants(text)) launch.dynamic_shared_text = text;
    }
  }
  return launch;
}

}  // namespace

HostLaunch find_host_launch(const std::string& source, const std::string& kernel,
                            const ParameterSet* lasting) {
  const Tokens tokens = tokenize(source);
  const std::size_t colons = kernel.rfind("::");
  const std::string name = colons == std::string::npos ? kernel : kernel.substr(colons + 2);
  const ParameterSet constants =
      find_constants(tokens, lasting != nullptr ? *lasting : ParameterSet{});
  const std::vector<TemplateParameter> parameters = template_parameters(source, kernel);
  std::optional<HostLaunch> first;
  for (std::size_t i = 1; i + 3 < tokens.size(); ++i) {
    const auto place = tokens[i].is(name) ? launch_of(tokens, i) : std::nullopt;
    if (!place) continue;
    ParameterSet names = lasting != nullptr ? *lasting : constants;
    // A name of the kernel's template means what the template is given.
    const std::string given =
        HostCode(tokens, constants, names).template_text(place->template_arguments, i);
    for (const TemplateParameter& parameter : parameters) names.erase(parameter.name);
    for (const SourceNumber& number : template_numbers(source, kernel + given)) {
      names[number.name] = number.value;
    }
    const HostCode code(tokens, constants, names);
    HostLaunch launch = read_launch(tokens, constants, code, *place);
    launch.template_arguments = given;
    if (launch.block && !code.is_ruled_out(i) && !warms_up(launch)) return launch;
    if (!first) first = std::move(launch);
  }
  return first.value_or(HostLaunch{});
}

bool is_whole_number(ElementType type) {
  return type != ElementType::kF16 && type != ElementType::kBf16 && type != ElementType::kF32 &&
         type != ElementType::kF64;
}

std::string handed_value(const ParameterText& parameter, std::size_t position,
                         const HostLaunch& launched) {
  if (parameter.member || position >= launched.argument_values.size()) return {};
  const std::string& value = launched.argument_values[position];
  if (value.empty() || parameter.is_pointer || !parameter.element) return {};
  const bool real = value.find('.') != std::string::npos;
  if (is_whole_number(*parameter.element)) return real ? std::string() : value;
  return value.ends_with('f') ? value.substr(0, value.size() - 1) : value;
}

// Blocks along an axis of which the file does not say how many there are, as for a batch.
constexpr std::uint64_t kUnknownAxis = 8;

std::string launched_grid(const KernelFile& file, const KernelSignature& signature,
                          const HostLaunch& launched, const LaunchForm& form,
                          const GridBound& bound) {
  ParameterSet numbers;
  std::map<std::string, std::string> handed;  // what the host calls them
  ParameterIndex index;
  for (std::size_t i = 0; i < signature.parameters.size(); ++i) {
    const ParameterText& parameter = signature.parameters[i];
    const std::uint32_t position = index.next(parameter.member);
    if (parameter.is_pointer || !parameter.element || !is_whole_number(*parameter.element))
      continue;
    numbers[parameter.name] = std::stoll(form.arguments[i].value);
    if (parameter.member || position >= launched.arguments.size()) continue;
    // A number is no name: an equal one in the grid need not be this one.
    const std::string& given = launched.arguments[position];
    if (given.empty() || given.front() < '0' || given.front() > '9') {
      handed.emplace(given, parameter.name);
    }
  }
  // The block that is not known is the one that was chosen.
  if (!launched.unknown_block.empty()) {
    handed.emplace(launched.unknown_block, form.block.substr(0, form.block.find(',')));
  }
  const ParameterSet names = find_constants(tokenize(file.source), numbers);
  std::string grid;
  std::uint64_t blocks = 1;
  bool follows_arguments = false;
  bool follows_constants = false;
  bool follows_nothing = false;
  for (const std::string& text : launched.grid_text) {
    std::string renamed;
    for (const CudaToken& token : tokenize(text)) {
      const auto name = handed.find(std::string(token.text));
      const std::string word = name != handed.end() ? name->second : std::string(token.text);
      follows_arguments |= numbers.contains(word);
      follows_constants |= names.contains(word) && !numbers.contains(word);
      const bool is_sign =
          word.size() == 1 && std::string_view("+-*/%?:<>").find(word[0]) != std::string_view::npos;
      renamed += is_sign ? " " + word + " " : word + (word == "," ? " " : "");
    }
    const auto value = evaluate_expression(renamed, names);
    if (value && (*value < 1 || *value > static_cast<std::int64_t>(bound.most_threads))) return {};
    follows_nothing |= !value;
    const std::string axis = value ? renamed : std::to_string(kUnknownAxis);
    blocks *= value ? static_cast<std::uint64_t>(*value) : kUnknownAxis;
    grid += (grid.empty() ? "" : ", ") + axis;
  }
  if (follows_nothing && (launched.grid_text.size() == 1 || !follows_arguments)) return {};
  // Of numbers alone it is meant for a size that is not this one.
  const bool fits = blocks * bound.threads <= bound.most_threads || follows_arguments;
  const bool follows = follows_arguments || follows_constants || bound.numbers_count;
  return fits && follows ? grid : std::string();
}

}  // namespace tilescope
