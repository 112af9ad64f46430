#include "kernel/ptx_signature.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <string>

#include "kernel/kernel_name.h"
#include "kernel/ptx_parameter_use.h"

namespace tilescope {
namespace {

std::vector<std::string_view> words_of(std::string_view text) {
  std::vector<std::string_view> words;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t first = text.find_first_not_of(" \t\r\n", at);
    if (first == std::string_view::npos) break;
    const std::size_t end = std::min(text.find_first_of(" \t\r\n", first), text.size());
    words.push_back(text.substr(first, end - first));
    at = end;
  }
  return words;
}

bool is_64_bits(std::string_view type) { return type == ".u64" || type == ".b64"; }

// ".param .u64 .ptr .global .align 4 scale_param_0", of the entry `scale`.
ParameterText parameter_from(std::string_view text, const std::string& entry,
                             const PtxParameterUses& uses) {
  ParameterText parameter;
  const std::vector<std::string_view> words = words_of(text);
  if (words.empty()) return parameter;
  const std::string_view name = words.back();
  const auto found = uses.find(name);
  const PtxParameterUse use = found != uses.end() ? found->second : PtxParameterUse{};
  const std::string before = entry + "_";
  const bool long_name = name.starts_with(before) && name.size() > before.size();
  parameter.name = name.substr(long_name ? before.size() : 0);
  for (const std::string_view word : words) {
    const auto type = ptx_element_type(word);
    if (!type && !is_64_bits(word)) continue;
    parameter.type = word;
    if (is_64_bits(word) && (use.is_address || !use.is_compared)) {
      parameter.is_pointer = true;
      parameter.is_const = use.is_address && !use.is_written;
      parameter.element = use.element.value_or(ElementType::kF32);
    } else if (parameter.name.back() != ']') {
      parameter.element = type.value_or(ElementType::kI64);
      parameter.is_bound = use.is_compared;
    }
  }
  return parameter;
}

// Of ".maxntid 256, 1, 1"; nothing where there is none.
std::optional<Dim3> extent_behind(std::string_view head, std::string_view directive) {
  const std::size_t at = head.find(directive);
  if (at == std::string_view::npos) return std::nullopt;
  Dim3 extent;
  std::string_view rest = head.substr(at + directive.size());
  for (std::uint32_t* axis : {&extent.x, &extent.y, &extent.z}) {
    rest.remove_prefix(std::min(rest.find_first_not_of(" \t\r\n"), rest.size()));
    const auto [end, failure] = std::from_chars(rest.data(), rest.data() + rest.size(), *axis);
    if (failure != std::errc{} || *axis == 0 || *axis > 1024) return std::nullopt;
    rest.remove_prefix(static_cast<std::size_t>(end - rest.data()));
    rest.remove_prefix(std::min(rest.find_first_not_of(" \t\r\n"), rest.size()));
    if (!rest.starts_with(',')) break;
    rest.remove_prefix(1);
  }
  return extent;
}

// Where the entry of that name begins, and not one whose name begins with it.
std::size_t find_entry(std::string_view ptx, const std::string& name) {
  const std::string entry = ".entry " + name;
  for (std::size_t at = ptx.find(entry); at != std::string_view::npos;
       at = ptx.find(entry, at + 1)) {
    const std::size_t end = at + entry.size();
    if (end >= ptx.size() ||
        std::string_view(" \t\r\n({;").find(ptx[end]) != std::string_view::npos) {
      return at;
    }
  }
  return ptx.find(name);
}

}  // namespace

std::vector<KernelSignature> find_ptx_signatures(std::string_view ptx, PtxReading reading) {
  std::vector<KernelSignature> signatures;
  for (const std::string& name : find_entries(ptx)) {
    KernelSignature signature;
    signature.name = name;
    const std::size_t at = find_entry(ptx, name);
    const std::size_t brace = std::min(ptx.find('{', at), ptx.size());
    const std::size_t end = std::min(ptx.find("\n}", brace), ptx.size());
    const std::string_view body = ptx.substr(brace, end - brace);
    const PtxParameterUses uses =
        reading == PtxReading::kBodies ? find_ptx_parameter_uses(body) : PtxParameterUses();
    const std::string_view head = ptx.substr(at, brace - at);
    const std::size_t open = head.find('(');
    const std::size_t close = head.find(')');
    if (open != std::string_view::npos && close != std::string_view::npos && open < close) {
      std::string_view list = head.substr(open + 1, close - open - 1);
      while (!words_of(list).empty()) {
        const std::size_t comma = list.find(',');
        signature.parameters.push_back(parameter_from(list.substr(0, comma), name, uses));
        list.remove_prefix(comma == std::string_view::npos ? list.size() : comma + 1);
      }
    }
    signature.required_block = extent_behind(head, ".reqntid");
    const auto most = extent_behind(head, ".maxntid");
    if (most && most->count() <= 1024) {
      signature.most_threads = static_cast<std::uint32_t>(most->count());
      signature.most_block = most;
    }
    signature.cluster = extent_behind(head, ".reqnctapercluster").value_or(signature.cluster);
    signature.is_plane = body.find("%tid.y") != std::string_view::npos;
    signatures.push_back(std::move(signature));
  }
  return signatures;
}

}  // namespace tilescope
