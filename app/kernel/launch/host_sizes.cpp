// How much host code allocates, and how many elements its containers have.
#include <algorithm>
#include <set>
#include <string>
#include <string_view>

#include "kernel/launch/host_code.h"
#include "kernel/launch/host_container.h"

namespace tilescope {

std::optional<std::int64_t> HostCode::allocated_bytes(const TokenRange& range, std::size_t place,
                                                      int depth) const {
  if (range.last == range.first || depth > kDeepest) return std::nullopt;
  for (std::size_t i = range.first; i < range.last; ++i) {  // raw_pointer_cast(v.data())
    const auto found = tokens_[i].kind == CudaTokenKind::kWord
                           ? container_named(tokens_, tokens_[i].text, begin_of(place), place)
                           : std::nullopt;
    if (!found) continue;
    const auto each = bytes_of_type(joined(tokens_, found->element.first, found->element.last));
    const auto count = value(found->extent, found->extent.first);
    if (!each || !count) return std::nullopt;
    return *count * static_cast<std::int64_t>(*each);
  }
  const std::string_view name = tokens_[range.last - 1].text;
  if (const auto given = given_value(name, place, false)) {
    return allocated_bytes(*given, given->first, depth + 1);
  }
  for (std::size_t i = begin_of(place); i + 2 < tokens_.size(); ++i) {
    if (!tokens_[i].text.starts_with("cudaMalloc") || !tokens_[i + 1].is("(")) continue;
    const std::vector<TokenRange> parts = pieces_from(tokens_, i + 2);
    const bool same =
        parts.size() >= 2 && parts[0].last > parts[0].first && tokens_[parts[0].last - 1].is(name);
    if (!same) continue;
    if (parts.size() < 4 || !tokens_[i].is("cudaMallocPitch")) return value(parts[1], i);
    const auto width = value(parts[2], i);
    const auto rows = value(parts[3], i);
    if (!width || !rows || *width <= 0 || *rows <= 0) return std::nullopt;
    return (*width + kPitch - 1) / kPitch * kPitch * *rows;
  }
  return std::nullopt;
}

std::optional<TokenRange> HostCode::pitched_width(std::string_view name, std::size_t place) const {
  for (std::size_t i = begin_of(place); i + 2 < std::min(place, tokens_.size()); ++i) {
    if (!tokens_[i].is("cudaMallocPitch") || !tokens_[i + 1].is("(")) continue;
    const std::vector<TokenRange> parts = pieces_from(tokens_, i + 2);
    if (parts.size() == 4 && tokens_[parts[1].last - 1].is(name)) return parts[2];
  }
  return std::nullopt;
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

std::string HostCode::extent_of(std::string_view name, const Context& here) const {
  if (here.depth > kDeepest || --names_left_ < 0) return {};
  if (const auto found = container_named(tokens_, name, begin_of(here.place), here.place)) {
    return text(found->extent, found->extent.first, *here.kept, here.depth + 1);
  }
  const auto given = given_value(name, here.place, false);
  if (!given || given->last != given->first + 1) return {};
  static const std::set<std::string> kNone;  // the caller's names are others
  return extent_of(tokens_[given->first].text, {given->first, &kNone, here.depth + 1});
}

bool HostCode::asks_known_size(std::size_t at) const {
  static const std::set<std::string> kNone;
  const bool asks = at > 1 && at + 2 < tokens_.size() && tokens_[at].is("size") &&
                    tokens_[at - 1].is(".") && tokens_[at + 1].is("(") && tokens_[at + 2].is(")");
  return asks && !extent_of(tokens_[at - 2].text, {at, &kNone, 0}).empty();
}

TokenRange HostCode::without_arguments(const TokenRange& range) const {
  bool asks = false;
  for (std::size_t i = range.first; i < range.last && !tokens_[i].is("?"); ++i) {
    asks |= tokens_[i].is("argc");
  }
  std::size_t colon = range.last;
  while (asks && colon > range.first && !tokens_[colon - 1].is(":")) --colon;
  return asks && colon > range.first ? TokenRange{colon, range.last} : range;
}

}  // namespace tilescope
