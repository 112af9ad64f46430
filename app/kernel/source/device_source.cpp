#include "kernel/source/device_source.h"

#include <fmt/format.h>

#include <algorithm>

namespace tilescope {
namespace {

// The first word behind the #.
std::string_view directive_name(const CudaToken& directive) {
  std::string_view text = directive.text.substr(1);
  text.remove_prefix(std::min(text.find_first_not_of(" \t"), text.size()));
  return text.substr(0, text.find_first_of(" \t<\"\n\r"));
}

}  // namespace

DeviceSource::DeviceSource(std::string name, std::string text)
    : name_(std::move(name)),
      original_(std::make_unique<const std::string>(std::move(text))),
      tokens_(tokenize(*original_)),
      declarations_(find_declarations(tokens_)),
      left_(*original_) {
  find_includes();
  set_aside_host_functions(declarations_);
}

void DeviceSource::find_includes() {
  for (std::size_t i = 0; i < tokens_.size(); ++i) {
    const CudaToken& token = tokens_[i];
    if (token.kind != CudaTokenKind::kDirective || directive_name(token) != "include") continue;
    const std::size_t open = token.text.find_first_of("<\"");
    if (open == std::string_view::npos) continue;  // by way of a macro
    const bool angle = token.text[open] == '<';
    const std::size_t close = token.text.find(angle ? '>' : '"', open + 1);
    if (close == std::string_view::npos) continue;
    includes_.push_back(
        {offset_of(i), std::string(token.text.substr(open + 1, close - open - 1)), angle});
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
    if (!keep) blank_text(offset_of(i), end_of(i));
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

namespace {

bool is_octal(char c) { return c >= '0' && c <= '7'; }

char escape_of(char letter) {
  switch (letter) {
    case 'n':
      return '\n';
    case 't':
      return '\t';
    case 'r':
      return '\r';
    default:
      return letter;  // \" and backslash, of which each stands for itself
  }
}

}  // namespace

std::string plain_name(std::string_view name) {
  std::string plain;
  for (const char c : name) {
    const bool harmless = c >= ' ' && c <= '~' && c != '"' && c != '\\' && c != '%';
    plain += harmless ? std::string(1, c) : fmt::format("%{:02X}", static_cast<unsigned char>(c));
  }
  return plain;
}

std::string escaped_name(std::string_view name) {
  std::string text;
  for (const char c : name) {
    if (c == '"' || c == '\\') {
      text += {'\\', c};
    } else if ((c >= 0 && c < ' ') || c == 0x7f) {
      text += fmt::format("\\{:03o}", static_cast<unsigned char>(c));
    } else {
      text += c;
    }
  }
  return text;
}

std::string unescaped_name(std::string_view text) {
  std::string name;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text[at] != '\\' || at + 1 == text.size()) {
      name += text[at];
      continue;
    }
    ++at;
    if (!is_octal(text[at])) {
      name += escape_of(text[at]);
      continue;
    }
    unsigned value = 0;
    std::size_t digits = 0;
    for (; digits < 3 && at + digits < text.size() && is_octal(text[at + digits]); ++digits) {
      value = value * 8 + static_cast<unsigned>(text[at + digits] - '0');
    }
    at += digits - 1;
    name += static_cast<char>(value & 0xffU);
  }
  return name;
}

std::string renamed(std::string text, std::string_view name, std::string_view by) {
  if (name.empty() || name == by) return text;
  for (std::size_t at = text.find(name); at != std::string::npos;
       at = text.find(name, at + by.size())) {
    text.replace(at, name.size(), by);
  }
  return text;
}

}  // namespace tilescope
