#include "exec/past_launches.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <utility>

namespace tilescope {
namespace {

constexpr std::size_t kMostPast = std::size_t{1} << 16;
constexpr std::size_t kMostEffects = 8;                             // of one launch
constexpr std::uint64_t kMostHashedBytes = std::uint64_t{1} << 30;  // of one launch
constexpr std::uint64_t kMostKeptBytes = std::uint64_t{1} << 30;

// Of bytes that nobody has made to collide: four sums that go on beside one another.
std::uint64_t hash_bytes(std::span<const std::byte> bytes) {
  constexpr std::uint64_t kFactor = 0x9e3779b97f4a7c15;
  constexpr std::size_t kStep = 32;
  std::array<std::uint64_t, 4> sums{1, 2, 3, 4};
  const auto add = [&](const std::byte* from) {
    std::array<std::uint64_t, 4> words{};
    std::memcpy(words.data(), from, kStep);
    for (std::size_t i = 0; i < sums.size(); ++i)
      sums[i] = std::rotl((sums[i] ^ words[i]) * kFactor, 29);
  };
  std::size_t at = 0;
  for (; at + kStep <= bytes.size(); at += kStep) add(bytes.data() + at);
  std::array<std::byte, kStep> rest{};
  std::copy(bytes.begin() + static_cast<std::ptrdiff_t>(at), bytes.end(), rest.begin());
  add(rest.data());
  std::uint64_t hash = bytes.size();
  for (const std::uint64_t sum : sums) {
    hash = (hash ^ sum) * kFactor;
    hash ^= hash >> 32;
  }
  return hash;
}

}  // namespace

PastLaunches::Past& PastLaunches::find(std::string words) {
  if (past_.size() > kMostPast) {
    past_.clear();
    kept_bytes_ = 0;
  }
  return past_[std::move(words)];
}

bool PastLaunches::would_change_nothing(const Past& past) {
  return past.repeats && std::ranges::all_of(past.uses, [&](const Past::Use& use) {
           return heap_.find(use.address) != nullptr && versions_[use.address] == use.version;
         });
}

std::uint64_t PastLaunches::hash_of(const Allocation& allocation) {
  const std::uint64_t version = versions_[allocation.address];
  Hashed& hashed = hashes_[allocation.address];
  if (hashed.hash == 0 || hashed.version != version)
    hashed = {version, hash_bytes({allocation.data, allocation.bytes}) | 1u};
  return hashed.hash;
}

bool PastLaunches::contents_of(const Past& past, std::vector<Past::Content>* contents) {
  contents->clear();
  std::uint64_t bytes = 0;
  for (const Past::Use& use : past.uses) {
    const Allocation* used = heap_.find(use.address);
    if (used == nullptr) return false;
    bytes += used->bytes;
    if (bytes > kMostHashedBytes) return false;
    contents->push_back({use.address, hash_of(*used)});
  }
  return !contents->empty();
}

bool PastLaunches::repeat(Past& past) {
  if (would_change_nothing(past)) return true;
  if (past.effects.empty()) return false;
  std::vector<Past::Content> now;
  if (!contents_of(past, &now)) return false;
  const auto effect = std::ranges::find(past.effects, now, &Past::Effect::before);
  if (effect == past.effects.end()) return false;
  for (std::size_t i = 0; i < effect->changed.size(); ++i) {
    const Past::Content& changed = effect->changed[i];
    const Allocation& allocation = *heap_.find(changed.address);
    std::memcpy(allocation.data, effect->bytes[i].data(), allocation.bytes);
    hashes_[changed.address] = {++versions_[changed.address], changed.hash};
    // Which of the bytes it wrote is not remembered.
    allocation.history->write_all();
  }
  for (Past::Use& use : past.uses) use.version = versions_[use.address];
  past.repeats = effect->changed.empty();
  return true;
}

void PastLaunches::begin(Past& past) {
  if (!contents_of(past, &past.before)) past.before.clear();
}

void PastLaunches::end(Past& past, std::span<const Used> used, bool is_pure) {
  bool reads_what_it_writes = false;
  std::vector<const Allocation*> changed;
  bool is_known = !past.before.empty();  // what was there before
  std::vector<Past::Use> uses;
  for (const Used& use : used) {
    const std::uint64_t address = use.allocation->address;
    const auto before = std::ranges::find(past.before, address, &Past::Content::address);
    is_known = is_known && before != past.before.end();
    if (use.is_written) {
      reads_what_it_writes |= use.is_read;
      ++versions_[address];
      if (before == past.before.end() || hash_of(*use.allocation) != before->hash)
        changed.push_back(use.allocation);
    }
    uses.push_back({address, versions_[address]});
  }
  is_known = is_known && uses.size() == past.before.size();
  past.uses = std::move(uses);
  past.repeats = is_pure && (!reads_what_it_writes || changed.empty());
  if (is_pure && is_known) keep_effect(past, changed);
}

void PastLaunches::keep_effect(Past& past, std::span<const Allocation* const> changed) {
  Past::Effect effect;
  std::uint64_t bytes = 0;
  for (const Allocation* allocation : changed) bytes += allocation->bytes;
  const bool replaces = past.effects.size() == kMostEffects;
  const auto bytes_of = [](const Past::Effect& other) {
    std::uint64_t sum = 0;
    for (const auto& each : other.bytes) sum += each.size();
    return sum;
  };
  const std::uint64_t freed = replaces ? bytes_of(past.effects[past.next_effect]) : 0;
  if (kept_bytes_ - freed + bytes > kMostKeptBytes) return;
  kept_bytes_ = kept_bytes_ - freed + bytes;
  effect.before = std::move(past.before);
  for (const Allocation* allocation : changed) {
    effect.changed.push_back({allocation->address, hash_of(*allocation)});
    effect.bytes.emplace_back(allocation->data, allocation->data + allocation->bytes);
  }
  if (replaces) {
    past.effects[past.next_effect] = std::move(effect);
    past.next_effect = (past.next_effect + 1) % kMostEffects;
  } else {
    past.effects.push_back(std::move(effect));
  }
}

}  // namespace tilescope
