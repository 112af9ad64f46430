#include "session/trusted_texts.h"

#include <fmt/format.h>
#include <xxhash.h>

#include <random>
#include <utility>

#include "core/file.h"

namespace tilescope {

// The head compiles nowhere, so that no source reads like the text of several files.
std::string program_text(const std::string& source, const IncludedFiles* included) {
  if (included == nullptr || included->empty()) return source;
  std::string text = fmt::format("program of {} files{}\n", included->files.size() + 1,
                                 included->complete ? "" : " and more");
  const auto add = [&text](std::string_view name, const std::string& contents) {
    text +=
        fmt::format("{} bytes, {} of name: {}\n{}\n", contents.size(), name.size(), name, contents);
  };
  add("", source);
  for (const IncludedFiles::File& file : included->files) add(file.name, file.text);
  return text;
}

TrustedTexts::TrustedTexts(std::filesystem::path folder) : folder_(std::move(folder)) {
  std::random_device random;
  seed_ = (std::uint64_t{random()} << 32) | random();
}

TrustedTexts::Digest TrustedTexts::digest_of(std::string_view text) const {
  const XXH128_hash_t hash = XXH3_128bits_withSeed(text.data(), text.size(), seed_);
  return {hash.high64, hash.low64};
}

std::filesystem::path TrustedTexts::file_of(std::string_view text) const {
  if (folder_.empty()) return {};
  const XXH128_hash_t hash = XXH3_128bits(text.data(), text.size());
  return folder_ / fmt::format("{:016x}{:016x}.txt", hash.high64, hash.low64);
}

bool TrustedTexts::knows(std::string_view text) const {
  if (this_run_.contains(digest_of(text))) return true;
  if (folder_.empty()) return false;
  // The name only finds it; the text itself decides.
  if (read_file(file_of(text), text.size()) != text) return false;
  this_run_.insert(digest_of(text));
  return true;
}

void TrustedTexts::add(std::string_view text) { this_run_.insert(digest_of(text)); }

void TrustedTexts::remember(std::string_view text) {
  const bool kept = !folder_.empty() && write_own_file(file_of(text), text).ok();
  if (!kept) add(text);
}

bool TrustedTexts::knows(const std::string& source, const IncludedFiles* included) const {
  return knows(program_text(source, included));
}

void TrustedTexts::allow(const std::string& source, const IncludedFiles* included) {
  const std::string text = program_text(source, included);
  if (included == nullptr || included->complete) {
    remember(text);
  } else {
    add(text);
  }
}

}  // namespace tilescope
