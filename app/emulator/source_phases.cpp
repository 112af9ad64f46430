#include "emulator/source_phases.h"

#include <algorithm>
#include <unordered_map>
#include <vector>

#include "emulator/decode/kernel_decoder.h"
#include "emulator/decode/variable_layout.h"

namespace tilescope {
namespace {

// The source with comments, strings and preprocessor lines blanked; line breaks stay.
std::string blank_comments(std::string_view source) {
  std::string text(source);
  enum class In { kCode, kLineComment, kComment, kString, kDirective } in = In::kCode;
  bool line_start = true;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    const char next = i + 1 < text.size() ? text[i + 1] : '\0';
    if (c == '\n') {
      const bool continued = in == In::kDirective && i > 0 && source[i - 1] == '\\';
      if (in == In::kLineComment || in == In::kString || (in == In::kDirective && !continued))
        in = In::kCode;
      line_start = true;
      continue;
    }
    switch (in) {
      case In::kCode:
        if (c == '/' && next == '/') in = In::kLineComment;
        if (c == '/' && next == '*') {
          in = In::kComment;
          text[i] = ' ';
          text[++i] = ' ';
          continue;
        }
        if (c == '"') in = In::kString;
        if (c == '#' && line_start) in = In::kDirective;
        break;
      case In::kComment:
        if (c == '*' && next == '/') {
          in = In::kCode;
          text[i] = ' ';
          text[++i] = ' ';
          continue;
        }
        break;
      case In::kString:
        if (c == '\\') text[i++] = ' ';
        if (c == '"') {
          in = In::kCode;
          text[i] = ' ';
          continue;
        }
        break;
      default:
        break;
    }
    if (c != ' ' && c != '\t') line_start = false;
    if (in != In::kCode && i < text.size()) text[i] = text[i] == '\n' ? '\n' : ' ';
  }
  return text;
}

bool is_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

// "void gemm<4>(float*)" and "_Z4gemmPf" -> "gemm".
std::string function_name(std::string_view kernel) {
  std::string name = readable_name(std::string(kernel));
  const std::size_t end = name.find_first_of("<(");
  if (end != std::string::npos) name.resize(end);
  const std::size_t space = name.rfind(' ');
  return space == std::string::npos ? name : name.substr(space + 1);
}

// Offsets of the body of the __global__ function of this name.
std::pair<std::size_t, std::size_t> find_body(const std::string& text, const std::string& name) {
  const std::pair<std::size_t, std::size_t> whole{0, text.size()};
  if (name.empty()) return whole;
  std::size_t global = text.find("__global__");
  while (global != std::string::npos) {
    const std::size_t open = text.find('{', global);
    if (open == std::string::npos) return whole;
    const std::string head = text.substr(global, open - global);
    for (std::size_t at = head.find(name); at != std::string::npos; at = head.find(name, at + 1)) {
      const std::size_t behind = head.find_first_not_of(" \t\r\n", at + name.size());
      const bool starts = at == 0 || !is_word(head[at - 1]);
      if (!starts || behind == std::string::npos || head[behind] != '(') continue;
      int depth = 0;
      for (std::size_t i = open; i < text.size(); ++i) {
        depth += text[i] == '{' ? 1 : text[i] == '}' ? -1 : 0;
        if (depth == 0) return {open, i};
      }
      return {open, text.size()};
    }
    global = text.find("__global__", global + 1);
  }
  return whole;
}

}  // namespace

std::vector<PhaseMarker> find_phases(std::string_view source, std::string_view kernel) {
  std::vector<PhaseMarker> markers;
  constexpr std::string_view kMarker = "TILESCOPE_PHASE";
  if (source.find(kMarker) == std::string_view::npos) return markers;
  const std::string text = blank_comments(source);
  const auto [begin, end] = find_body(text, function_name(kernel));
  int line = 1 + static_cast<int>(std::count(
                     text.begin(), text.begin() + static_cast<std::ptrdiff_t>(begin), '\n'));
  std::size_t counted = begin;
  for (std::size_t at = text.find(kMarker, begin); at < end; at = text.find(kMarker, at + 1)) {
    const std::size_t open = text.find_first_not_of(" \t", at + kMarker.size());
    if (open == std::string::npos || text[open] != '(') continue;
    const std::size_t close = text.find(')', open);
    if (close == std::string::npos) break;
    std::string name = text.substr(open + 1, close - open - 1);
    name.erase(0, name.find_first_not_of(" \t"));
    name.erase(name.find_last_not_of(" \t") + 1);
    line += static_cast<int>(std::count(text.begin() + static_cast<std::ptrdiff_t>(counted),
                                        text.begin() + static_cast<std::ptrdiff_t>(at), '\n'));
    counted = at;
    markers.push_back({line, std::move(name)});
  }
  return markers;
}

namespace {

constexpr std::int16_t kSeveral = -2;

// The blocks of the function that begins with this one.
std::vector<std::uint32_t> blocks_from(const Code& code, std::uint32_t first) {
  std::vector<std::uint32_t> found;
  std::vector<bool> seen(code.blocks.size());
  const auto reach = [&](std::uint32_t block) {
    if (block >= seen.size() || seen[block]) return;
    seen[block] = true;
    found.push_back(block);
  };
  reach(first);
  for (std::size_t i = 0; i < found.size(); ++i) {
    const CodeBlock& block = code.blocks[found[i]];
    reach(block.next);
    if (block.kind == EndKind::kBranch) reach(block.target);
    for (std::uint32_t t = 0; t < block.target_count; ++t) {
      reach(code.targets[block.first_target + t]);
    }
  }
  return found;
}

class CalledPhases {
 public:
  explicit CalledPhases(DecodedKernel& kernel)
      : kernel_(kernel), instructions_(kernel.code.blocks.size()) {
    for (std::uint32_t i = 0; i < kernel.instructions.size(); ++i) {
      const std::uint32_t block = kernel.instructions[i].basic_block;
      if (block < instructions_.size()) instructions_[block].push_back(i);
    }
  }

  void hand_on() {
    for (const std::uint32_t block : blocks_from(kernel_.code, 0)) {
      const CodeBlock& call = kernel_.code.blocks[block];
      if (call.kind == EndKind::kCall) {
        enter(call.target, kernel_.instructions[call.last.instruction].phase);
      }
    }
  }

 private:
  void enter(std::uint32_t first, std::int16_t phase) {
    const auto [entry, is_new] = phases_.emplace(first, phase);
    if (!is_new) {
      if (entry->second == phase || entry->second == kSeveral) return;
      entry->second = phase = kSeveral;
    }
    for (const std::uint32_t block : blocks_from(kernel_.code, first)) {
      for (const std::uint32_t i : instructions_[block]) {
        kernel_.instructions[i].phase = std::max<std::int16_t>(phase, -1);
      }
      const CodeBlock& call = kernel_.code.blocks[block];
      if (call.kind == EndKind::kCall) enter(call.target, phase);
    }
  }

  DecodedKernel& kernel_;
  std::vector<std::vector<std::uint32_t>> instructions_;    // by block
  std::unordered_map<std::uint32_t, std::int16_t> phases_;  // by the function's first block
};

}  // namespace

void hand_phases_to_callees(DecodedKernel& kernel) { CalledPhases(kernel).hand_on(); }

}  // namespace tilescope
