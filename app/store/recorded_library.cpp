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
    known_[entry.id] = {kernel_source_hash(entry.source),
                        std::vector<std::vector<std::size_t>>(files_.size())};
  }
  for (std::size_t file = 0; file < files_.size(); ++file) {
    const std::vector<Measurement>& runs = files_[file].runs;
    for (std::size_t i = 0; i < runs.size(); ++i) {
      const auto kernel = known_.find(runs[i].of.kernel);
      if (kernel == known_.end() || runs[i].of.source != kernel->second.source) continue;
      kernel->second.runs[file].push_back(i);
    }
  }
}

const RecordedLibrary::Known* RecordedLibrary::known(const CatalogueEntry& entry) const {
  const auto found = known_.find(entry.id);
  return found == known_.end() ? nullptr : &found->second;
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
  const Known* kernel = known(entry);
  if (kernel == nullptr) return found;
  for (std::size_t file = 0; file < files_.size(); ++file) {
    for (const std::size_t i : kernel->runs[file]) {
      const Measurement& run = files_[file].runs[i];  // of this kernel and text
      const LaunchKey& of = run.of;
      if (of.cold != cold || of.extents != extents || of.parameters != parameters ||
          of.factors != factors || !of.launch.empty()) {
        continue;
      }
      found.push_back(&run);
      break;
    }
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
  const Known* kernel = known(entry);
  if (kernel == nullptr) return found;
  for (std::size_t file = 0; file < files_.size() && found.empty(); ++file) {
    for (const std::size_t i : kernel->runs[file]) {
      const Measurement& run = files_[file].runs[i];
      if (run.of.cold && run.of.factors == factors && run.of.extents == extents) {
        found.push_back(&run);
      }
    }
  }
  std::ranges::sort(found, {},
                    [](const Measurement* run) { return run->result.kernel.median_seconds; });
  return found;
}

std::vector<ParameterSet> RecordedLibrary::sizes(const CatalogueEntry& entry,
                                                 const ParameterSet& parameters, bool cold,
                                                 const GemmFactors& factors) const {
  std::vector<ParameterSet> found;
  const Known* kernel = known(entry);
  if (kernel == nullptr) return found;
  for (std::size_t file = 0; file < files_.size(); ++file) {
    for (const std::size_t i : kernel->runs[file]) {
      const LaunchKey& of = files_[file].runs[i].of;
      if (of.cold == cold && of.factors == factors && of.parameters == parameters) {
        found.push_back(of.extents);
      }
    }
  }
  return found;
}

}  // namespace tilescope
