#include "kernel/text/declarations.h"

#include <algorithm>
#include <array>
#include <map>

#include "core/text.h"

namespace tilescope {
namespace {

constexpr int kDeepestScope = 64;

// Marks that say a declaration is for the device. constexpr functions count: device code may call
// them.
constexpr std::array<std::string_view, 7> kDeviceMarks = {
    "__global__", "__device__", "__constant__", "__managed__",
    "__shared__", "constexpr",  "consteval"};
// Attributes with a list in parentheses, which is no parameter list.
constexpr std::array<std::string_view, 10> kAttributes = {
    "__launch_bounds__", "__attribute__", "__cluster_dims__", "__maxnreg__", "__block_size__",
    "alignas",           "__align__",     "__declspec",       "decltype",    "__builtin_align__"};
constexpr std::array<std::string_view, 4> kClassKeys = {"class", "struct", "union", "enum"};

// Macros whose replacement holds a device mark, by way of other macros too; true: __global__.
using MarkMacros = std::map<std::string_view, bool>;
MarkMacros find_mark_macros(const std::vector<CudaToken>& tokens) {
  MarkMacros macros;
  for (const CudaToken& directive : tokens) {
    if (directive.kind != CudaTokenKind::kDirective) continue;
    const std::vector<CudaToken> words = tokenize(directive.text.substr(1));
    if (words.size() < 3 || !words[0].is("define")) continue;
    for (std::size_t i = 2; i < words.size(); ++i) {
      const auto other = macros.find(words[i].text);
      if (!is_one_of(words[i].text, kDeviceMarks) && other == macros.end()) continue;
      const bool kernel = words[i].is("__global__") || (other != macros.end() && other->second);
      macros[words[1].text] = macros[words[1].text] || kernel;
    }
  }
  return macros;
}

class DeclarationParser {
 public:
  explicit DeclarationParser(const std::vector<CudaToken>& tokens)
      : tokens_(tokens), macros_(find_mark_macros(tokens)) {}

  std::vector<Declaration> run() {
    std::vector<Declaration> found;
    parse_scope(found, "", 0, false);
    return found;
  }

 private:
  [[nodiscard]] bool at_end() const { return position_ >= tokens_.size(); }
  [[nodiscard]] std::string_view text(std::size_t index) const {
    return index < tokens_.size() ? tokens_[index].text : std::string_view();
  }
  [[nodiscard]] std::string_view text() const { return text(position_); }
  [[nodiscard]] bool is_word(std::size_t index) const {
    return index < tokens_.size() && tokens_[index].kind == CudaTokenKind::kWord;
  }

  // Up to the scope's closing brace, which is taken too.
  void parse_scope(std::vector<Declaration>& into, const std::string& scope, int depth,
                   bool in_class) {
    while (!at_end()) {
      const std::string_view word = text();
      if (word == "}") {
        ++position_;
        if (depth > 0) return;
      } else if (tokens_[position_].kind == CudaTokenKind::kDirective || word == ";") {
        ++position_;
      } else if (in_class && text(position_ + 1) == ":" && text(position_ + 2) != ":" &&
                 (word == "public" || word == "private" || word == "protected")) {
        position_ += 2;
      } else if (const std::size_t open = scope_opening(); open != 0 && depth < kDeepestScope) {
        std::string inner = scope;
        const std::string name = scope_name(open);
        if (!inner.empty() && !name.empty()) inner += "::";
        inner += name;
        position_ = open + 1;
        parse_scope(into, inner, depth + 1, false);
      } else {
        into.push_back(parse_declaration(scope, depth));
      }
    }
  }

  // The index of the { where a namespace or an extern "C" block begins here; 0: none does.
  [[nodiscard]] std::size_t scope_opening() const {
    std::size_t index = position_;
    if (text(index) == "extern" && text(index + 1).starts_with('"')) {
      return text(index + 2) == "{" ? index + 2 : 0;
    }
    if (text(index) == "inline") ++index;
    if (text(index) != "namespace") return 0;
    while (index < tokens_.size() && text(index) != "{" && text(index) != ";" &&
           text(index) != "=") {
      ++index;
    }
    return text(index) == "{" ? index : 0;
  }

  [[nodiscard]] std::string scope_name(std::size_t open) const {
    std::string name;
    for (std::size_t index = position_; index < open; ++index) {
      const bool part = is_word(index) && text(index) != "namespace" && text(index) != "inline" &&
                        text(index) != "extern";
      if (part) name += name.empty() ? std::string(text(index)) : "::" + std::string(text(index));
    }
    return name;
  }

  Declaration parse_declaration(const std::string& scope, int depth) {
    Declaration declaration;
    declaration.first = position_;
    declaration.scope = scope;
    skip_template_head(declaration);
    Head head;
    while (!at_end() && !finish_declaration(declaration, head, depth)) {
    }
    declaration.last = std::min(position_, tokens_.size());
    declaration.first_line = tokens_[declaration.first].line;
    const CudaToken& end = tokens_[declaration.last - 1];
    declaration.last_line =
        end.line + static_cast<std::uint32_t>(std::ranges::count(end.text, '\n'));
    return declaration;
  }

  // What was seen of a declaration before its body.
  struct Head {
    bool parameters = false;   // a parenthesised list that is no attribute's
    bool initializer = false;  // after a = or in a member-initializer list
    bool members = false;      // after the : of a constructor
    bool class_key = false;
    std::string_view name;  // the word before the parameters, or after the class key
    std::string qualifier;  // "outer::inner" of a function outer::inner::name
  };

  // Takes one token or balanced group; true when the declaration ends with it.
  bool finish_declaration(Declaration& declaration, Head& head, int depth) {
    const CudaToken& token = tokens_[position_];
    note_marks(declaration, token);
    if (token.is(";")) {
      ++position_;
      if (head.parameters) name_function(declaration, head);
      return true;
    }
    if (token.is("}")) return true;  // the scope's own: a declaration without its ;
    if (token.is("(") || token.is("[")) {
      take_parentheses(head);
    } else if (token.is("{")) {
      return take_braces(declaration, head, depth);
    } else if (token.is("=") && text(position_ - 1) != "operator") {
      head.initializer = true;
      ++position_;
    } else if (token.is(":") && head.parameters && text(position_ + 1) != ":" &&
               text(position_ - 1) != ":") {
      head.members = true;
      ++position_;
    } else {
      note_class(head);
      ++position_;
    }
    return false;
  }

  void note_marks(Declaration& declaration, const CudaToken& token) {
    if (token.kind != CudaTokenKind::kWord) return;
    const auto macro = macros_.find(token.text);
    const bool marked = macro != macros_.end();
    if (token.is("__global__") || (marked && macro->second)) declaration.is_kernel = true;
    if (marked || is_one_of(token.text, kDeviceMarks)) declaration.is_device = true;
  }

  void note_class(Head& head) {
    if (head.parameters || head.initializer || !is_one_of(text(), kClassKeys)) return;
    head.class_key = true;
    std::size_t name = position_ + 1;
    // The name comes last: struct __device_builtin__ __align__(16) vec4 {
    while (is_word(name)) {
      const std::size_t next =
          text(name + 1) == "(" && is_attribute(name + 1) ? closing(name + 1) + 1 : name + 1;
      if (!is_word(next) || text(next) == "final") break;
      name = next;
    }
    if (is_word(name)) head.name = text(name);
  }

  void take_parentheses(Head& head) {
    const bool list = text() == "(";
    std::size_t before =
        position_ - 1;  // a declaration's first token is no (, or nothing is before it
    const bool attribute = position_ > 0 && (is_one_of(text(before), kAttributes) ||
                                             (head.class_key && is_attribute(position_)));
    if (list && !attribute && !head.parameters && !head.initializer && position_ > 0) {
      if (text(before) == ">") before = opening_angle(before) - 1;
      head.parameters = true;
      if (is_word(before)) head.name = text(before);
      head.qualifier = qualifier_of(before);
      if (text(before) == "operator") {  // operator()(...)
        position_ = closing(position_) + 1;
        return;
      }
    }
    position_ = closing(position_) + 1;
  }

  // "outer::inner" in front of the name at `name`; empty: nothing qualifies it.
  [[nodiscard]] std::string qualifier_of(std::size_t name) const {
    std::string qualifier;
    while (name >= 3 && text(name - 1) == ":" && text(name - 2) == ":" && is_word(name - 3)) {
      name -= 3;
      qualifier = std::string(text(name)) + (qualifier.empty() ? "" : "::" + qualifier);
    }
    return qualifier;
  }

  // A kernel is no member of a class: what qualifies its name are namespaces.
  static void name_function(Declaration& declaration, const Head& head) {
    declaration.name = head.name;
    if (!declaration.is_kernel || head.qualifier.empty()) return;
    declaration.scope += (declaration.scope.empty() ? "" : "::") + head.qualifier;
  }

  // Whether the list behind a class key is a macro's, as in struct ALIGN(16) vec4 {
  [[nodiscard]] bool is_attribute(std::size_t open) const {
    const std::size_t next = closing(open) + 1;
    const std::string_view after = text(next + 1);
    const bool is_qualifier =
        text(next) == "const" || text(next) == "noexcept" || text(next) == "override";
    return is_one_of(text(open - 1), kAttributes) ||
           (is_word(next) && !is_qualifier && (after == "{" || after == ":" || after == "final"));
  }

  bool take_braces(Declaration& declaration, Head& head, int depth) {
    const std::string_view before = text(position_ - 1);
    const bool member_initializer =
        head.members && (is_word(position_ - 1) || before == ">") && before != "noexcept";
    if (head.initializer || member_initializer || (!head.parameters && !head.class_key)) {
      position_ = closing(position_) + 1;  // int x{3}, = {...}, or : member{...}
      return false;
    }
    name_function(declaration, head);
    if (head.parameters) {
      declaration.kind = Declaration::Kind::kFunction;
      position_ = closing(position_) + 1;
      return true;
    }
    declaration.kind = Declaration::Kind::kClass;
    if (depth < kDeepestScope && !is_enum(declaration)) {
      ++position_;
      parse_scope(declaration.members, declaration.scope, depth + 1, true);
    } else {
      position_ = closing(position_) + 1;
    }
    head.class_key = false;
    head.initializer = true;  // what follows are variables of the type
    return false;
  }

  [[nodiscard]] bool is_enum(const Declaration& declaration) const {
    for (std::size_t index = declaration.first; index < position_; ++index) {
      if (text(index) == "enum") return true;
    }
    return false;
  }

  void skip_template_head(Declaration& declaration) {
    while (text() == "template") {
      declaration.is_template = declaration.is_template || text(position_ + 2) != ">";
      ++position_;
      if (text() != "<") {  // explicit instantiation
        declaration.is_template = false;
        return;
      }
      int depth = 0;
      do {
        if (text() == "<") ++depth;
        if (text() == ">") --depth;
        position_ = text() == "(" || text() == "{" ? closing(position_) + 1 : position_ + 1;
      } while (depth > 0 && !at_end() && text() != ";");
    }
  }

  // Index of the bracket that closes the one at `open`, of whatever kind; the last token's, if
  // none.
  [[nodiscard]] std::size_t closing(std::size_t open) const {
    int depth = 0;
    for (std::size_t index = open; index < tokens_.size(); ++index) {
      if (tokens_[index].kind != CudaTokenKind::kPunctuator) continue;
      const char c = tokens_[index].text.front();
      if (c == '(' || c == '[' || c == '{') ++depth;
      if ((c == ')' || c == ']' || c == '}') && --depth == 0) return index;
    }
    return tokens_.size() - 1;
  }

  [[nodiscard]] std::size_t opening_angle(std::size_t close) const {
    int depth = 0;
    for (std::size_t index = close; index > 0; --index) {
      if (text(index) == ">") ++depth;
      if (text(index) == "<" && --depth == 0) return index;
    }
    return 1;
  }

  const std::vector<CudaToken>& tokens_;
  MarkMacros macros_;
  std::size_t position_ = 0;
};

}  // namespace

std::vector<Declaration> find_declarations(const std::vector<CudaToken>& tokens) {
  std::vector<Declaration> found = DeclarationParser(tokens).run();
  // template <> float f<half>(half x) of a __device__ template needs no mark of its own.
  for (Declaration& one : found) {
    const bool is_specialised = one.kind == Declaration::Kind::kFunction && !one.is_device &&
                                one.first + 2 < one.last && tokens[one.first].is("template") &&
                                tokens[one.first + 1].is("<") && tokens[one.first + 2].is(">");
    one.is_device = one.is_device ||
                    (is_specialised && std::ranges::any_of(found, [&](const Declaration& other) {
                       return other.is_device && other.name == one.name && other.scope == one.scope;
                     }));
  }
  return found;
}

std::vector<std::string> find_kernels(const std::string& cuda_source) {
  std::vector<std::string> names;
  for (const Declaration& declaration : find_declarations(tokenize(cuda_source))) {
    if (!declaration.is_kernel || declaration.name.empty()) continue;
    std::string name =
        declaration.scope.empty() ? declaration.name : declaration.scope + "::" + declaration.name;
    if (std::ranges::find(names, name) == names.end()) names.push_back(std::move(name));
  }
  return names;
}

bool has_main(const std::string& cuda_source) {
  return std::ranges::any_of(find_declarations(tokenize(cuda_source)),
                             [](const Declaration& declaration) {
                               return declaration.kind == Declaration::Kind::kFunction &&
                                      declaration.name == "main" && declaration.scope.empty();
                             });
}

}  // namespace tilescope
