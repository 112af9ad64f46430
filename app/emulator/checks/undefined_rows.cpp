#include "emulator/checks/undefined_rows.h"

#include <algorithm>
#include <iterator>

namespace tilescope {

void OriginSets::clear() {
  sets_.resize(1);
  numbers_.clear();
  joined_.clear();
}

OriginSets::Set OriginSets::number(std::vector<std::uint32_t> members) {
  const auto [entry, is_new] = numbers_.emplace(members, static_cast<Set>(sets_.size()));
  if (is_new) sets_.push_back(std::move(members));
  return entry->second;
}

OriginSets::Set OriginSets::of(std::uint32_t instruction) { return number({instruction}); }

OriginSets::Set OriginSets::join(Set a, Set b) {
  if (a == b || b == kNone) return a;
  if (a == kNone) return b;
  const auto [entry, is_new] = joined_.emplace(std::pair{a, b}, a);
  if (!is_new) return entry->second;
  std::vector<std::uint32_t> both;
  std::set_union(sets_[a].begin(), sets_[a].end(), sets_[b].begin(), sets_[b].end(),
                 std::back_inserter(both));
  if (both.size() <= kMostMembers) entry->second = number(std::move(both));
  return entry->second;
}

void UndefinedRows::start(std::uint32_t warps, std::uint32_t register_bytes) {
  clear();
  warps_ = warps;
  rows_ = register_bytes / 4;
}

void UndefinedRows::clear() {
  if (!any_) return;
  any_ = false;
  number_.clear();
  origins_.clear();
}

void UndefinedRows::clear_warp(std::uint32_t warp) {
  if (!any_) return;
  const auto begin = number_.begin() + static_cast<std::ptrdiff_t>(at(warp, 0));
  std::fill(begin, begin + rows_, 0u);
}

const LaneOrigins* UndefinedRows::find(std::uint32_t warp, std::uint32_t row) const {
  if (!any_) return nullptr;
  const std::uint32_t number = number_[at(warp, row)];
  return number == 0 || origins_[number].lanes == 0 ? nullptr : &origins_[number];
}

void UndefinedRows::write(std::uint32_t warp, std::uint32_t row, std::uint32_t mask,
                          const LaneOrigins& origins) {
  const std::uint32_t undefined = origins.lanes & mask;
  if (undefined == 0 && find(warp, row) == nullptr) return;
  if (!any_) {
    any_ = true;
    number_.assign(std::size_t{warps_} * rows_, 0);
    origins_.assign(1, {});
  }
  std::uint32_t& number = number_[at(warp, row)];
  if (number == 0) {
    number = static_cast<std::uint32_t>(origins_.size());
    origins_.emplace_back();
  }
  LaneOrigins& to = origins_[number];
  for_lanes(mask, [&](unsigned lane) {
    to.put(lane, (undefined >> lane & 1u) != 0 ? origins.of[lane] : OriginSets::kNone);
  });
}

}  // namespace tilescope
