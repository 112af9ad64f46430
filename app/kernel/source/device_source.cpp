#include "kernel/source/device_source.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "ptx/place.h"

namespace tilescope {
namespace {

// The first word behind the #.
std::string_view directive_name(const CudaToken& directive) {
  std::string_view text = directive.text.substr(1);
  text.remove_prefix(std::min(text.find_first_not_of(" \t"), text.size()));
  return text.substr(0, text.find_first_of(" \t<\"\n\r"));
}

// Which branches of #if are for Windows or macOS alone.
class ForeignBranches {
 public:
  void note(const CudaToken& directive) {
    const std::string_view name = directive_name(directive);
    if (name.starts_with("if")) {
      branches_.push_back({});
      branches_.back().negated = names_foreign(directive) && is_negated(directive);
      branches_.back().foreign = names_foreign(directive) && !is_negated(directive);
    } else if (branches_.empty()) {
      return;
    } else if (name == "endif") {
      branches_.pop_back();
    } else if (name == "elif") {
      branches_.back().foreign = names_foreign(directive) && !is_negated(directive);
    } else if (name == "else") {
      branches_.back().foreign = branches_.back().negated;
    }
  }
  [[nodiscard]] bool is_foreign() const {
    return std::ranges::any_of(branches_, [](const Branch& each) { return each.foreign; });
  }

 private:
  struct Branch {
    bool negated = false;  // the other branch is foreign
    bool foreign = false;
  };
  static bool names_foreign(const CudaToken& directive) {
    constexpr std::array<std::string_view, 5> kSystems = {"WIN32", "WIN64", "_MSC_VER", "__APPLE__",
                                                          "MACOSX"};
    return std::ranges::any_of(kSystems, [&](std::string_view system) {
      return directive.text.find(system) != std::string_view::npos;
    });
  }
  static bool is_negated(const CudaToken& directive) {
    return directive_name(directive) == "ifndef" ||
           directive.text.find('!') != std::string_view::npos;
  }

  std::vector<Branch> branches_;
};

}  // namespace

DeviceSource::DeviceSource(std::string name, std::string text)
    : name_(std::move(name)),
      original_(std::make_shared<const std::string>(std::move(text))),
      tokens_(tokenize(*original_)),
      declarations_(find_declarations(tokens_)),
      left_(*original_) {
  find_includes();
  part_literals_from_marks();
  blank_marks_of_lambdas();
  set_aside_host_functions(declarations_);
}

// extern "C"__global__: to NVRTC, which has no macro of that name, a literal with a suffix. The
// space before the literal goes behind it.
void DeviceSource::part_literals_from_marks() {
  for (std::size_t i = 1; i < tokens_.size(); ++i) {
    const std::size_t first = offset_of(i);
    const std::size_t end = end_of(i);
    const bool is_joined = tokens_[i].kind == CudaTokenKind::kString && end < left_.size() &&
                           left_[end] == '_' && first > 0 && left_[first - 1] == ' ';
    if (!is_joined || !tokens_[i - 1].is("extern")) continue;
    const auto at = [&](std::size_t offset) {
      return left_.begin() + static_cast<std::ptrdiff_t>(offset);
    };
    std::rotate(at(first - 1), at(first), at(end));
  }
}

void DeviceSource::find_includes() {
  ForeignBranches branches;
  for (std::size_t i = 0; i < tokens_.size(); ++i) {
    const CudaToken& token = tokens_[i];
    if (token.kind != CudaTokenKind::kDirective) continue;
    branches.note(token);
    if (directive_name(token) != "include") continue;
    const std::size_t open = token.text.find_first_of("<\"");
    if (open == std::string_view::npos) continue;  // by way of a macro
    const bool angle = token.text[open] == '<';
    const std::size_t close = token.text.find(angle ? '>' : '"', open + 1);
    if (close == std::string_view::npos) continue;
    includes_.push_back({offset_of(i), std::string(token.text.substr(open + 1, close - open - 1)),
                         angle, branches.is_foreign()});
  }
}

// A class's own functions stay until the compiler complains: device code may well call them, as
// functions without a mark count as the device's.
void DeviceSource::set_aside_host_functions(const std::vector<Declaration>& declarations) {
  for (const Declaration& declaration : declarations) {
    const bool host = declaration.kind == Declaration::Kind::kFunction && !declaration.is_device;
    if (host) set_aside(declaration, static_cast<int>(declaration.first_line), "");
  }
}

void DeviceSource::set_aside(const Declaration& declaration, int line,
                             const std::string& complaint) {
  blank(declaration.first, declaration.last);
  set_aside_.push_back({declaration.first, declaration.last, line, declaration.name, complaint});
}

// Directives stay, for an #if inside must keep its #endif; #pragma and #include mean nothing there.
void DeviceSource::blank(std::size_t first, std::size_t last) {
  const auto blank_text = [&](std::size_t from, std::size_t to) {
    for (std::size_t i = from; i < to; ++i) {
      if (left_[i] != '\n') left_[i] = ' ';
    }
  };
  for (std::size_t i = first; i < last; ++i) {
    const CudaToken& token = tokens_[i];
    const bool keep = token.kind == CudaTokenKind::kDirective &&
                      directive_name(token) != "pragma" && directive_name(token) != "include";
    if (!keep) blank_text(i == first ? offset_of(i) : end_of(i - 1), end_of(i));
  }
}

std::string DeviceSource::text() const {
  std::string text;
  std::size_t copied = 0;
  for (const auto& [offset, line] : redirects_) {
    text += left_.substr(copied, offset - copied) + line;
    copied = std::min(left_.find('\n', offset), left_.size());
  }
  return text + left_.substr(copied);
}

bool DeviceSource::uses(std::string_view word) const {
  for (std::size_t i = 0; i < tokens_.size(); ++i) {
    const CudaToken& token = tokens_[i];
    if (token.kind == CudaTokenKind::kDirective) {
      const std::vector<CudaToken> words = tokenize(token.text.substr(1));
      if (directive_name(token) == "define" &&
          std::ranges::find(words, word, &CudaToken::text) != words.end()) {
        return true;
      }
    } else if (token.text == word && left_[offset_of(i)] != ' ') {
      return true;
    }
  }
  return false;
}

int DeviceSource::line_of(const Include& include) const {
  const auto begin = original_->begin();
  return 1 + static_cast<int>(
                 std::count(begin, begin + static_cast<std::ptrdiff_t>(include.offset), '\n'));
}

void DeviceSource::drop(const Include& include) {
  redirects_.erase(include.offset);
  const std::size_t end = std::min(left_.find('\n', include.offset), left_.size());
  std::fill(left_.begin() + static_cast<std::ptrdiff_t>(include.offset),
            left_.begin() + static_cast<std::ptrdiff_t>(end), ' ');
}

void DeviceSource::redirect(const Include& include, const std::string& name) {
  if (left_[include.offset] != '#') return;  // set aside with what surrounds it
  redirects_[include.offset] = "#include \"" + name + "\"";
}

std::size_t DeviceSource::offset_of(std::size_t token) const {
  return static_cast<std::size_t>(tokens_[token].text.data() - original_->data());
}

std::size_t DeviceSource::end_of(std::size_t token) const {
  return offset_of(token) + tokens_[token].text.size();
}

std::size_t DeviceSource::offset_at(int line, int column) const {
  std::size_t offset = 0;
  for (int passed = 1; passed < line && offset < original_->size(); ++passed) {
    offset = std::min(original_->find('\n', offset), original_->size() - 1) + 1;
  }
  return offset + static_cast<std::size_t>(std::max(0, column - 1));
}

bool DeviceSource::covers(const Declaration& declaration, int line, int column) const {
  const auto first = static_cast<int>(declaration.first_line);
  const auto last = static_cast<int>(declaration.last_line);
  if (line < first || line > last) return false;
  if (column == 0 || first != last) return true;  // the column tells neighbours on a line apart
  const std::size_t offset = offset_at(line, column);
  return offset >= offset_of(declaration.first) && offset < end_of(declaration.last - 1);
}

bool DeviceSource::is_blank(const Declaration& declaration) const {
  for (std::size_t i = declaration.first; i < declaration.last; ++i) {
    if (tokens_[i].kind != CudaTokenKind::kDirective) return left_[offset_of(i)] == ' ';
  }
  return true;
}

DeviceSource::Blame DeviceSource::set_aside_at(int line, int column, const std::string& complaint) {
  return blame(declarations_, line, column, complaint);
}

DeviceSource::Blame DeviceSource::blame(const std::vector<Declaration>& declarations, int line,
                                        int column, const std::string& complaint) {
  for (const Declaration& declaration : declarations) {
    if (!covers(declaration, line, column)) continue;
    if (is_blank(declaration)) return Blame::kGone;
    const Blame member = blame(declaration.members, line, column, complaint);
    if (member != Blame::kNowhere) return member;
    // Whoever wrote a static_assert wants to hear of it.
    const bool asserted = complaint.starts_with("static assertion failed");
    if (declaration.is_device || asserted) return Blame::kDevice;
    set_aside(declaration, line, complaint);
    return Blame::kSetAside;
  }
  return Blame::kNowhere;
}

// [] __device__ (int x): NVRTC refuses the marks, and needs none.
void DeviceSource::blank_marks_of_lambdas() {
  const auto is_mark = [](const CudaToken& token) {
    return token.is("__device__") || token.is("__host__");
  };
  for (std::size_t i = 1; i < tokens_.size(); ++i) {
    const bool follows =
        tokens_[i - 1].is("]") || (is_mark(tokens_[i - 1]) && left_[offset_of(i - 1)] == ' ');
    if (!follows || !is_mark(tokens_[i])) continue;
    for (std::size_t at = offset_of(i); at < end_of(i); ++at) left_[at] = ' ';
  }
}

const Declaration* DeviceSource::device_code_at(const std::vector<Declaration>& declarations,
                                                int line, int column) const {
  for (const Declaration& declaration : declarations) {
    if (!covers(declaration, line, column) || is_blank(declaration)) continue;
    if (const Declaration* member = device_code_at(declaration.members, line, column)) {
      return member;
    }
    return declaration.is_device ? &declaration : nullptr;
  }
  return nullptr;
}

bool DeviceSource::is_in_kernel(int line, int column, std::string_view kernel) const {
  const Declaration* found = device_code_at(declarations_, line, column);
  return found != nullptr && found->is_kernel && found->name == kernel;
}

const Declaration* DeviceSource::set_aside_device(int line, int column,
                                                  const std::string& complaint,
                                                  std::string_view kernel) {
  const Declaration* found = device_code_at(declarations_, line, column);
  const bool is_meant = found == nullptr || is_in_kernel(line, column, kernel);
  if (is_meant || complaint.starts_with("static assertion failed")) return nullptr;
  set_aside(*found, line, complaint);
  return found;
}

std::set<std::string> DeviceSource::device_prototypes() const {
  std::set<std::string> names;
  const auto note = [&](const Declaration& one, const std::string& scope) {
    const bool is_prototype = one.kind == Declaration::Kind::kOther && one.is_device;
    if (is_prototype && !one.name.empty()) names.insert(scope + one.name);
  };
  for (const Declaration& declaration : declarations_) {
    note(declaration, "");
    for (const Declaration& member : declaration.members) note(member, declaration.name + "::");
  }
  return names;
}

// "Class::f" of what was set aside; "f" of a function by itself.
std::string DeviceSource::qualified_name(const SetAside& function) const {
  for (std::size_t i = function.first; i + 3 < function.last; ++i) {
    const bool is_member = is_word(tokens_[i]) && tokens_[i + 1].is(":") &&
                           tokens_[i + 2].is(":") && tokens_[i + 3].is(function.name);
    if (is_member) return std::string(tokens_[i].text) + "::" + function.name;
    if (tokens_[i].is("(") || tokens_[i].is("{")) break;
  }
  return function.name;
}

void DeviceSource::take_back(const std::set<std::string>& prototypes) {
  std::erase_if(set_aside_, [&](const SetAside& gone) {
    const bool is_host_function = gone.complaint.empty() && !gone.name.empty();
    if (!is_host_function || !prototypes.contains(qualified_name(gone))) return false;
    const std::size_t first = offset_of(gone.first);
    left_.replace(first, end_of(gone.last - 1) - first, *original_, first,
                  end_of(gone.last - 1) - first);
    return true;
  });
}

std::vector<std::string> DeviceSource::conditions_around(std::string_view kernel) const {
  const auto is_meant = [&](const Declaration& one) {
    return one.is_kernel && one.name == kernel && one.kind == Declaration::Kind::kFunction;
  };
  const auto found = std::ranges::find_if(declarations_, is_meant);
  std::vector<std::string> macros;  // by open condition; empty: of another kind
  for (std::size_t i = 0; found != declarations_.end() && i < found->first; ++i) {
    if (tokens_[i].kind != CudaTokenKind::kDirective) continue;
    const std::string_view name = directive_name(tokens_[i]);
    if (name.starts_with("if")) {
      std::vector<CudaToken> words = tokenize(tokens_[i].text.substr(1));
      std::erase_if(words, [](const CudaToken& word) {
        return word.is("defined") || word.is("(") || word.is(")");
      });
      const bool is_simple = name != "ifndef" && words.size() == 2 && is_word(words[1]);
      macros.emplace_back(is_simple ? words[1].text : std::string_view());
    } else if (name.starts_with("el") && !macros.empty()) {
      macros.back().clear();
    } else if (name == "endif" && !macros.empty()) {
      macros.pop_back();
    }
  }
  std::erase(macros, "");
  return macros;
}

DeviceSource::Missing DeviceSource::find_missing(std::string_view name) const {
  for (const SetAside& gone : set_aside_) {
    // A function is known by its name, of anything else the name may stand anywhere in it.
    if (gone.complaint.empty()) {
      if (gone.name == name) return {gone.line, ""};
      continue;
    }
    for (std::size_t i = gone.first; i < gone.last; ++i) {
      if (tokens_[i].is(name)) return {gone.line, gone.complaint};
    }
  }
  return {};
}

std::string plain_name(std::string_view name) {
  std::string plain;
  for (const char c : name) {
    const bool harmless = c >= ' ' && c <= '~' && c != '"' && c != '\\' && c != '%';
    plain += harmless ? std::string(1, c) : fmt::format("%{:02X}", static_cast<unsigned char>(c));
  }
  return plain;
}

std::string renamed(std::string text, std::string_view name, std::string_view by) {
  if (name.empty() || name == by) return text;
  for (std::size_t at = text.find(name); at != std::string::npos;
       at = text.find(name, at + by.size())) {
    text.replace(at, name.size(), by);
  }
  return text;
}

std::string with_given_name(std::string ptx, const std::string& name) {
  const std::string whole = plain_name(name) + "\"";
  const std::string ending = "/" + whole;
  for (std::size_t at = ptx.find(".file"); at != std::string::npos;
       at = ptx.find(".file", at + 1)) {
    const std::size_t open = ptx.find('"', at);
    const std::size_t close = open == std::string::npos ? open : ptx.find('"', open + 1);
    if (close == std::string::npos) break;
    const std::string_view path = std::string_view(ptx).substr(open + 1, close - open);
    if (path == whole || path.ends_with(ending)) {
      ptx.replace(open + 1, close - open - 1, escaped_name(name));
    }
  }
  return ptx;
}

}  // namespace tilescope
