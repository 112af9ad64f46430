#include "kernel/host/host_code.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>

#include "core/expression.h"

namespace tilescope {
namespace {

using Tokens = std::vector<CudaToken>;

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

}  // namespace

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
                                           const std::set<std::string>& kept, int depth) const {
  const CudaToken& head = tokens_[range.first];
  std::vector<std::string> texts;
  if (head.is("dim3") && range.last > range.first + 2) {
    texts = texts_from(range.first + 2, place, kept, depth);
  } else if (range.last == range.first + 1) {
    texts = dim3_named(head.text, place, kept, depth);
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
    const auto declared = names_.declared_value(written, place);
    written = declared ? joined(tokens_, declared->first, declared->last) : std::string();
  }
  return {};
}

std::optional<std::int64_t> HostCode::allocated_bytes(const TokenRange& range, std::size_t place,
                                                      int depth) const {
  if (range.last == range.first || depth > kDeepest) return std::nullopt;
  for (std::size_t i = range.first; i < range.last; ++i) {  // raw_pointer_cast(v.data())
    const auto found = tokens_[i].kind == CudaTokenKind::kWord
                           ? names_.container(tokens_[i].text, place)
                           : std::nullopt;
    if (!found) continue;
    const auto each = bytes_of_type(joined(tokens_, found->element.first, found->element.last));
    const auto count = value(found->extent, found->extent.first);
    if (!each || !count) return std::nullopt;
    return *count * static_cast<std::int64_t>(*each);
  }
  const std::string_view name = tokens_[range.last - 1].text;
  if (const auto given = names_.given_value(name, place)) {
    return allocated_bytes(*given, given->first, depth + 1);
  }
  const auto allocation = allocation_of(name, place);
  if (!allocation) return std::nullopt;
  const std::vector<TokenRange> parts = pieces_from(tokens_, *allocation + 2);
  if (parts.size() < 4 || !tokens_[*allocation].is("cudaMallocPitch")) {
    return value(parts[1], *allocation);
  }
  const auto width = value(parts[2], *allocation);
  const auto rows = value(parts[3], *allocation);
  if (!width || !rows || *width <= 0 || *rows <= 0) return std::nullopt;
  return (*width + kPitch - 1) / kPitch * kPitch * *rows;
}

std::string HostCode::allocated_text(const TokenRange& range, std::size_t place,
                                     const std::set<std::string>& kept) const {
  if (range.last == range.first) return {};
  const auto allocation = allocation_of(tokens_[range.last - 1].text, place);
  if (!allocation || tokens_[*allocation].is("cudaMallocPitch")) return {};
  return text(pieces_from(tokens_, *allocation + 2)[1], *allocation, kept);
}

std::optional<std::size_t> HostCode::allocation_of(std::string_view name, std::size_t place) const {
  std::optional<std::size_t> found;
  for (std::size_t i = names_.begin_of(place); i + 2 < tokens_.size(); ++i) {
    if (found && i > place) break;
    if (!tokens_[i].text.starts_with("cudaMalloc") || !tokens_[i + 1].is("(")) continue;
    const std::vector<TokenRange> parts = pieces_from(tokens_, i + 2);
    const bool same =
        parts.size() >= 2 && parts[0].last > parts[0].first && tokens_[parts[0].last - 1].is(name);
    if (same) found = i;
  }
  return found;
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
  if (const auto declared = names_.declared_value(name, here.place)) {
    found = text(*declared, declared->first, *here.kept, here.depth + 1);
  } else if (const auto width = names_.pitched_width(name, here.place)) {
    found = fmt::format("ceil_div({0}, {1}) * {1}",
                        text(*width, width->first, *here.kept, here.depth + 1), kPitch);
  } else if (const auto given = names_.given_value(name, here.place)) {
    found = text(*given, given->first, {}, here.depth + 1);  // the caller's names are others
  } else if (const auto argument = names_.given_template_argument(name, here.place)) {
    const auto number = value(*argument, argument->first);
    found = number ? std::to_string(*number) : text(*argument, argument->first, {}, here.depth + 1);
  } else if (const auto constant = constants_.find(name); constant != constants_.end()) {
    found = std::to_string(constant->second);
  } else if (const auto top = names_.value_at_the_top(name)) {
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

std::string HostCode::extent_of(std::string_view name, const Context& here) const {
  if (here.depth > kDeepest || --names_left_ < 0) return {};
  if (const auto found = names_.container(name, here.place)) {
    return text(found->extent, found->extent.first, *here.kept, here.depth + 1);
  }
  const auto given = names_.given_value(name, here.place);
  if (!given || given->last != given->first + 1) return {};
  static const std::set<std::string> kNone;  // the caller's names are others
  return extent_of(tokens_[given->first].text, {given->first, &kNone, here.depth + 1});
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

std::string HostCode::formula_text(const std::string& name, const std::vector<TokenRange>& parts,
                                   const Context& here) const {
  if (here.depth >= kDeepest || --names_left_ < 0) return {};
  const auto formula = names_.formula(name);
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

std::optional<std::uint64_t> HostCode::bytes_of_array(std::string_view name,
                                                      std::size_t place) const {
  for (std::size_t i = std::min(place, tokens_.size()); i-- > 1;) {
    if (!tokens_[i].is(name) || i + 1 >= tokens_.size() || !tokens_[i + 1].is("[")) continue;
    std::size_t first = i;
    while (first > 0 && !tokens_[first - 1].is(";") && !tokens_[first - 1].is("{") &&
           !tokens_[first - 1].is("}") && !tokens_[first - 1].is("(") &&
           tokens_[first - 1].kind != CudaTokenKind::kDirective) {
      --first;
    }
    while (tokens_[first].is("const") || tokens_[first].is("static")) ++first;
    std::size_t last = first;  // behind the words of the type: int a[2], b[3];
    while (last + 1 < i && tokens_[last + 1].kind == CudaTokenKind::kWord) ++last;
    if (last < i && tokens_[last + 1].kind == CudaTokenKind::kWord) ++last;
    auto bytes = last > first ? bytes_of_type(joined(tokens_, first, last)) : std::nullopt;
    for (std::size_t open = i + 1; bytes && tokens_[open].is("[");) {
      const TokenRange extent = pieces_from(tokens_, open + 1).front();
      const auto count = value(extent, i);
      if (!count || *count <= 0 || extent.last + 1 >= tokens_.size()) return std::nullopt;
      *bytes *= static_cast<std::uint64_t>(*count);
      open = extent.last + 1;
    }
    if (bytes) return bytes;
  }
  return std::nullopt;
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
      if (const auto alias = names_.alias_of(token.text, place)) {
        piece = template_argument(*alias, place, depth + 1);
      } else if (const auto given = names_.given_template_argument(token.text, place)) {
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
  std::optional<std::size_t> assigned;  // threads = 256; of what is a dim3 where it is declared
  for (std::size_t i = std::min(place, tokens_.size()); i-- > 0;) {
    if (!tokens_[i].is(name) || i + 2 >= tokens_.size()) continue;
    const bool elsewhere = names_.begin_of(i) != 0 && names_.begin_of(i) != names_.begin_of(place);
    if (elsewhere) continue;
    if (tokens_[i + 1].is(".") && i + 4 < tokens_.size() && tokens_[i + 3].is("=") &&
        !tokens_[i + 4].is("=")) {
      const std::size_t axis = std::string_view("xyz").find(tokens_[i + 2].text);
      if (axis < 3 && axes[axis].empty()) {
        TokenRange value = pieces_from(tokens_, i + 4).front();
        while (value.first + 4 < value.last && tokens_[value.first + 1].is(".") &&
               tokens_[value.first + 3].is("=")) {
          value.first += 4;  // grid.y = grid.z = 1
        }
        axes[axis] = text(value, i, kept, depth + 1);
      }
      continue;
    }
    const auto list = names_.extents_written_at(i);
    if (!list && !assigned && tokens_[i + 1].is("=") && !tokens_[i + 2].is("=")) assigned = i;
    if (!list) continue;
    std::vector<std::string> texts =
        assigned && depth < kDeepest
            ? extents(pieces_from(tokens_, *assigned + 2).front(), *assigned, kept, depth + 1)
        : *list == 0 ? std::vector<std::string>{"1"}
                     : texts_from(*list, i, kept, depth + 1);
    for (std::size_t axis = 0; axis < 3; ++axis) {
      if (axes[axis].empty()) continue;
      if (texts.size() <= axis) texts.resize(axis + 1, "1");
      texts[axis] = axes[axis];
    }
    return texts;
  }
  const auto given = depth < kDeepest ? names_.given_value(name, place) : std::nullopt;
  if (!given) return {};
  const CudaToken& head = tokens_[given->first];
  if (head.is("dim3") && given->last > given->first + 2) {
    return texts_from(given->first + 2, given->first, {}, depth + 1);
  }
  return given->last == given->first + 1 ? dim3_named(head.text, given->first, {}, depth + 1)
                                         : std::vector<std::string>();
}

}  // namespace tilescope
