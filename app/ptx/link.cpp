#include "ptx/link.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <set>
#include <vector>

#include "ptx/lexer.h"

namespace tilescope {
namespace {

bool is_of_unit(std::string_view name) {
  return name.starts_with('$') || name.starts_with("__unnamed_");
}

// The unit's text with its own names made different from those of other units, and its files
// numbered from `first_file` on. `next_file`: the number that follows its last one.
std::string renamed(std::string_view text, std::size_t unit, std::uint64_t first_file,
                    std::uint64_t* next_file) {
  std::string made;
  std::size_t copied = 0;
  bool is_file = false;  // the next token is a file's number
  PtxLexer lexer(text);
  for (PtxToken token = lexer.take(); token.kind != PtxTokenKind::kEnd; token = lexer.take()) {
    const std::size_t end = token.begin + token.text.size();
    const auto replace = [&](const std::string& by) {
      made += text.substr(copied, token.begin - copied);
      made += by;
      copied = end;
    };
    if (is_file && token.kind == PtxTokenKind::kInteger) {
      const std::uint64_t number = first_file + token.bits;
      *next_file = std::max(*next_file, number + 1);
      replace(std::to_string(number));
    } else if (token.kind == PtxTokenKind::kIdentifier && is_of_unit(token.text)) {
      replace(fmt::format("{}$u{}", token.text, unit));
    }
    is_file = token.text == ".file" || token.text == ".loc" || token.text == "inlined_at";
  }
  made += text.substr(copied);
  return made;
}

// CUDA's device runtime, which a program is linked with: who executes the PTX answers its calls.
bool is_of_runtime(std::string_view name) { return name.starts_with("__cudaCDP2"); }

// A declaration or definition at the top of a module.
struct Item {
  enum class Kind { kHeader, kFile, kVariable, kFunction, kOther };
  Kind kind = Kind::kOther;
  std::string_view text;
  std::string_view name;  // of a variable or function
  bool is_extern = false;
  bool has_body = false;
};

class Splitter {
 public:
  explicit Splitter(std::string_view text) : lexer_(text) {}

  std::vector<Item> split() {
    std::vector<Item> items;
    while (lexer_.peek().kind != PtxTokenKind::kEnd) items.push_back(take_item());
    return items;
  }

 private:
  Item take_item() {
    Item item;
    const PtxToken first = lexer_.peek();
    const auto finish = [&] {
      item.text = lexer_.text().substr(first.begin, lexer_.end_of_last() - first.begin);
      return item;
    };
    if (first.text == ".version" || first.text == ".target" || first.text == ".address_size" ||
        first.text == ".file") {
      item.kind = first.text == ".file" ? Item::Kind::kFile : Item::Kind::kHeader;
      while (lexer_.peek().kind != PtxTokenKind::kEnd && lexer_.peek().line == first.line)
        lexer_.take();
      return finish();
    }
    bool has_value = false;
    int depth = 0;  // of parentheses and brackets
    for (;;) {
      if (lexer_.peek().kind == PtxTokenKind::kEnd) return finish();
      if (lexer_.at('{')) {
        lexer_.skip_braces();
        if (has_value) continue;
        item.has_body = true;
        return finish();
      }
      const PtxToken token = lexer_.take();
      if (token.kind == PtxTokenKind::kPunctuation) {
        const char c = token.text[0];
        if (c == ';') return finish();
        has_value |= c == '=';
        depth += c == '(' || c == '[' ? 1 : c == ')' || c == ']' ? -1 : 0;
        continue;
      }
      if (depth == 0) describe(token, item);
    }
  }

  static void describe(const PtxToken& token, Item& item) {
    if (token.kind == PtxTokenKind::kIdentifier) {
      if (item.name.empty()) item.name = token.text;
    } else if (token.text == ".extern") {
      item.is_extern = true;
    } else if (token.text == ".func" || token.text == ".entry") {
      item.kind = Item::Kind::kFunction;
    } else if (item.kind == Item::Kind::kOther &&
               (token.text == ".global" || token.text == ".const" || token.text == ".shared")) {
      item.kind = Item::Kind::kVariable;
    }
  }

  PtxLexer lexer_;
};

}  // namespace

std::string link_ptx(std::span<const std::string_view> units) {
  if (units.size() == 1) return std::string(units.front());
  std::vector<std::string> texts;
  std::uint64_t next_file = 0;
  for (std::size_t unit = 0; unit < units.size(); ++unit)
    texts.push_back(renamed(units[unit], unit + 1, next_file, &next_file));
  std::vector<std::vector<Item>> items;
  std::set<std::string_view> defined;  // somewhere
  for (const std::string& text : texts) {
    items.push_back(Splitter(text).split());
    std::erase_if(items.back(),
                  [](const Item& item) { return item.has_body && is_of_runtime(item.name); });
    for (const Item& item : items.back()) {
      const bool defines = item.kind == Item::Kind::kFunction ? item.has_body : !item.is_extern;
      if (defines && !item.name.empty()) defined.insert(item.name);
    }
  }
  // Variables come before the functions of all units, which may name them.
  std::string linked;
  std::set<std::string_view> written;
  for (const Item::Kind kind : {Item::Kind::kHeader, Item::Kind::kFile, Item::Kind::kVariable,
                                Item::Kind::kFunction, Item::Kind::kOther}) {
    for (std::size_t unit = 0; unit < items.size(); ++unit) {
      if (kind == Item::Kind::kHeader && unit > 0) break;
      for (const Item& item : items[unit]) {
        if (item.kind != kind) continue;
        if (kind == Item::Kind::kVariable || kind == Item::Kind::kFunction) {
          const bool declares = kind == Item::Kind::kFunction ? !item.has_body : item.is_extern;
          if (declares && defined.contains(item.name)) continue;
          if (!written.insert(item.name).second) continue;
        }
        linked += item.text;
        linked += '\n';
      }
    }
  }
  return linked;
}

}  // namespace tilescope
