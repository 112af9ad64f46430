#include "session/variant_instance.h"

#include <fmt/format.h>
#include <xxhash.h>

#include <algorithm>
#include <random>
#include <string>
#include <utility>

#include "core/file.h"

namespace tilescope {

Result<KernelInstance> instance_of(const VariantDocument& variant, const Catalogue& catalogue,
                                   const DeviceModel& device) {
  if (variant.is_own()) {
    auto launch = launch_text(variant.launch);
    if (!launch) return std::move(launch).error();
    auto instance = launch_file({variant.file, *variant.text()}, *launch);
    if (instance && !variant.name.empty()) instance->id = instance->title = variant.name;
    return instance;
  }
  const CatalogueEntry* entry = catalogue.find(variant.kernel);
  if (entry == nullptr) return Error{ErrorCode::kUsage, "no kernel is chosen", "", {}};
  auto instance = instantiate(*entry, variant.parameters, variant.extents, variant.factors, device);
  if (!instance || variant.edited == nullptr) return instance;
  instance->id = edited_id(instance->id);
  instance->title += ", edited";
  instance->source = *variant.edited;
  return instance;
}

std::string edited_id(const std::string& kernel) { return kernel + " (edited)"; }

bool keep_inside(const KernelStudy& study, Selection* selection, TimeMarks* marks) {
  const Selection selection_before = *selection;
  const TimeMarks marks_before = *marks;
  const std::size_t events = study.trace->events.size();
  const auto last = static_cast<std::uint32_t>(events == 0 ? 0 : events - 1);
  const std::uint64_t warps = std::max<std::uint64_t>((study.launch.block.count() + 31) / 32, 1);
  selection->block = std::min(selection->block, study.launch.grid.count() - 1);
  selection->warp = std::min(selection->warp, static_cast<std::uint32_t>(warps - 1));
  selection->event = std::min(selection->event, last);
  const auto move = [&](std::optional<std::uint32_t>& event) {
    if (event) event = std::min(*event, last);
  };
  move(marks->loop_in);
  move(marks->loop_out);
  for (std::optional<std::uint32_t>& bookmark : marks->bookmarks) move(bookmark);
  return !(selection_before == *selection) || !(marks_before == *marks);
}

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
  if (sitting_.contains(digest_of(text))) return true;
  if (folder_.empty()) return false;
  // The name only finds it; the text itself decides.
  if (read_file(file_of(text), text.size()) != text) return false;
  sitting_.insert(digest_of(text));
  return true;
}

void TrustedTexts::add(std::string_view text) { sitting_.insert(digest_of(text)); }

void TrustedTexts::remember(std::string_view text) {
  const bool kept = !folder_.empty() && write_own_file(file_of(text), text).ok();
  if (!kept) add(text);
}

}  // namespace tilescope
