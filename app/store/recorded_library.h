#pragma once
#include <cstddef>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "core/conditions.h"
#include "core/result.h"
#include "kernel/catalogue/catalogue.h"
#include "kernel/launch/gemm_factors.h"
#include "store/published.h"
#include "store/recorded_runs.h"

namespace tilescope {

// The shipped measurements and what others published, looked up by exactly what was measured: the
// kernel's present source, its parameters and size, with a cold L2 unless a warm one is asked for,
// and with alpha 1 and beta 0 unless other factors are (kernel/launch/gemm_factors.h).
class RecordedLibrary {
 public:
  RecordedLibrary() = default;
  RecordedLibrary(std::vector<RecordedRuns> files, std::vector<PublishedFigure> published,
                  const Catalogue& catalogue);
  // What comes with the program: assets/recorded and assets/published of its resources.
  [[nodiscard]] static Result<RecordedLibrary> load_shipped(const Catalogue& catalogue);

  // nullptr: not recorded.
  [[nodiscard]] const Measurement* find(const CatalogueEntry& entry, const ParameterSet& parameters,
                                        const ParameterSet& extents, bool cold = true,
                                        const GemmFactors& factors = {}) const;

  // The same of every file that has it, in the files' order: each is of another GPU, driver or
  // compiler.
  [[nodiscard]] std::vector<const Measurement*> find_all(const CatalogueEntry& entry,
                                                         const ParameterSet& parameters,
                                                         const ParameterSet& extents,
                                                         bool cold = true,
                                                         const GemmFactors& factors = {}) const;

  // What somebody published of the same idea at this size; nullptr: nothing.
  [[nodiscard]] const PublishedFigure* published(const CatalogueEntry& entry,
                                                 const ParameterSet& parameters,
                                                 const ParameterSet& extents,
                                                 const GemmFactors& factors = {}) const;

  // "NVIDIA H200": of the first file; empty: nothing is recorded.
  [[nodiscard]] std::string gpu() const {
    return files_.empty() ? std::string() : files_.front().machine.gpu;
  }
  // Of the first file: its GPU and driver.
  [[nodiscard]] Conditions machine() const {
    return files_.empty() ? Conditions{}
                          : Conditions{.gpu = files_.front().machine.gpu,
                                       .driver = files_.front().machine.driver};
  }
  // All that was recorded of a kernel at this size on one GPU, the first that has any: the fastest
  // first. Times of several GPUs have no order.
  [[nodiscard]] std::vector<const Measurement*> runs(const CatalogueEntry& entry,
                                                     const ParameterSet& extents,
                                                     const GemmFactors& factors = {}) const;
  // Every size at which exactly these parameters were recorded.
  [[nodiscard]] std::vector<ParameterSet> sizes(const CatalogueEntry& entry,
                                                const ParameterSet& parameters, bool cold = true,
                                                const GemmFactors& factors = {}) const;

 private:
  std::vector<RecordedRuns> files_;
  std::vector<PublishedFigure> published_;
  // Of one kernel of the catalogue: charts ask for it in every frame, many times.
  struct Known {
    std::string source;                          // kernel_source_hash() of its text
    std::vector<std::vector<std::size_t>> runs;  // by file, indices into its runs: of that text
  };
  [[nodiscard]] const Known* known(const CatalogueEntry& entry) const;
  std::map<std::string, Known> known_;  // by catalogue id
};

}  // namespace tilescope
