#include "store/recorded_library.h"

#include <algorithm>
#include <utility>

#include "core/paths.h"
#include "store/source_digest.h"

namespace tilescope {

RecordedLibrary::RecordedLibrary(std::vector<RecordedRuns> files,
                                 std::vector<PublishedFigure> published, const Catalogue& catalogue)
    : files_(std::move(files)), published_(std::move(published)) {
  for (const CatalogueEntry& entry : catalogue.entries) {
    source_hash_[entry.id] = kernel_source_hash(entry.source);
  }
}

Result<RecordedLibrary> RecordedLibrary::load_shipped(const Catalogue& catalogue) {
  auto files = load_shipped_runs();
  if (!files) return files.error();
  auto published = load_published(resource_directory() / "assets" / "published" / "seeds.json");
  if (!published) return published.error();
  return RecordedLibrary(*std::move(files), *std::move(published), catalogue);
}

const Measurement* RecordedLibrary::find(const CatalogueEntry& entry,
                                         const ParameterSet& parameters,
                                         const ParameterSet& extents, bool cold,
                                         const GemmFactors& factors) const {
  const std::vector<const Measurement*> all = find_all(entry, parameters, extents, cold, factors);
  return all.empty() ? nullptr : all.front();
}

std::vector<const Measurement*> RecordedLibrary::find_all(const CatalogueEntry& entry,
                                                          const ParameterSet& parameters,
                                                          const ParameterSet& extents, bool cold,
                                                          const GemmFactors& factors) const {
  std::vector<const Measurement*> found;
  const auto hash = source_hash_.find(entry.id);
  if (hash == source_hash_.end()) return found;
  const LaunchKey key{entry.id, hash->second, parameters, extents, factors, cold};
  for (const RecordedRuns& file : files_) {
    const Measurement* run = file.find(key);
    if (run != nullptr) found.push_back(run);
  }
  return found;
}

const PublishedFigure* RecordedLibrary::published(const CatalogueEntry& entry,
                                                  const ParameterSet& parameters,
                                                  const ParameterSet& extents,
                                                  const GemmFactors& factors) const {
  if (!factors.empty()) return nullptr;  // what others publish is of alpha 1 and beta 0
  for (const PublishedFigure& figure : published_) {
    if (figure.kernel == entry.id && figure.fits(parameters, extents)) return &figure;
  }
  return nullptr;
}

std::vector<const Measurement*> RecordedLibrary::runs(const CatalogueEntry& entry,
                                                      const ParameterSet& extents,
                                                      const GemmFactors& factors) const {
  std::vector<const Measurement*> found;
  const auto hash = source_hash_.find(entry.id);
  if (hash == source_hash_.end()) return found;
  for (const RecordedRuns& file : files_) {
    for (const Measurement& run : file.runs) {
      if (run.of.kernel == entry.id && run.of.source == hash->second && run.of.cold &&
          run.of.factors == factors && run.of.extents == extents) {
        found.push_back(&run);
      }
    }
    if (!found.empty()) break;
  }
  std::ranges::sort(found, {},
                    [](const Measurement* run) { return run->result.kernel.median_seconds; });
  return found;
}

std::vector<ParameterSet> RecordedLibrary::sizes(const CatalogueEntry& entry,
                                                 const ParameterSet& parameters, bool cold,
                                                 const GemmFactors& factors) const {
  std::vector<ParameterSet> found;
  const auto hash = source_hash_.find(entry.id);
  if (hash == source_hash_.end()) return found;
  for (const RecordedRuns& file : files_) {
    for (const Measurement& run : file.runs) {
      if (run.of.kernel == entry.id && run.of.source == hash->second && run.of.cold == cold &&
          run.of.factors == factors && run.of.parameters == parameters) {
        found.push_back(run.of.extents);
      }
    }
  }
  return found;
}

}  // namespace tilescope
