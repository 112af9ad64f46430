#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "analysis/compare/comparison.h"
#include "scene/model/prepared.h"
#include "scene/roofline/roofline_figure.h"
#include "scene/view/view.h"

namespace tilescope {

// The static instructions whose accesses tell most of a kernel's memory patterns: of the traced
// block's first warp, the most sectors or wavefronts beyond the ideal, then the most of all.
// Indices into BlockTrace::events; nullopt: it has no such access.
struct WorstAccesses {
  std::optional<std::uint32_t> load;  // from global memory, or an async copy
  std::optional<std::uint32_t> store;
  std::optional<std::uint32_t> shared_load;
  std::optional<std::uint32_t> shared_store;
};

[[nodiscard]] WorstAccesses worst_accesses(const KernelStudy& study, const PreparedStudy& prepared);

// One of the variants that the compare view shows. Immutable; where it stands in time comes with
// the context.
struct ComparedVariant {
  std::string name;                               // "tiled"; empty: by its study
  std::shared_ptr<const KernelStudy> study;       // nullptr: `missing` says why
  std::shared_ptr<const PreparedStudy> prepared;  // of study
  std::optional<KnownTime> known;                 // of exactly study's launch
  std::vector<KnownTime> elsewhere;               // the same, on other GPUs or with other drivers
  const CatalogueEntry* entry = nullptr;          // that the study's kernel is of, if any
  std::string missing;                            // "compiling …"; empty where study is there
  std::optional<WorstAccesses> accesses;          // of study
};

// Two to four variants in the order of their letters, A first, and what they say of each other.
struct ComparedSet {
  std::vector<ComparedVariant> variants;
  std::size_t active = 0;  // the one that the window works on
  Comparison comparison;
};
// Some milliseconds, most of it for a variant whose accesses are not known yet: `variants` may
// bring those of an unchanged study along.
[[nodiscard]] std::shared_ptr<const ComparedSet> compared_set(std::vector<ComparedVariant> variants,
                                                              std::size_t active);

[[nodiscard]] std::string letter_of(std::size_t variant);         // "A" ...
[[nodiscard]] ColourRole colour_of_variant(std::size_t variant);  // kFirst ...
// Whether any two are computed for different GPUs. Their times are then compared all the same: each
// is its own GPU's.
[[nodiscard]] bool gpus_differ(std::span<const ComparedVariant> variants);
// "tiled", with what sets it apart from another variant of the same kernel: "tiled, PAD 1"; where
// GPUs differ with its own: "tiled, H200".
[[nodiscard]] std::string label_of(const ComparedSet& set, std::size_t variant);
// "ROWS 4096, COLS 4096"; of a file's kernel its grid, its block and the whole numbers that it is
// given: "grid 32 x 32 x 1, block 32 x 8 x 1, n 1024".
[[nodiscard]] std::string size_words(const ComparedVariant& variant);
// Whether any two that are there have other sizes, or one states none.
[[nodiscard]] bool sizes_differ(const ComparedSet& set);
// label_of(), with the size where they differ.
[[nodiscard]] std::string full_label_of(const ComparedSet& set, std::size_t variant);
// What `context` asks to hold the others against, and what the sentence is about: the active one,
// or the fastest of the others where that is the base.
[[nodiscard]] std::size_t base_of(const ViewContext& context);
[[nodiscard]] std::size_t subject_of(const ViewContext& context);

// Where another variant stands when one stands at `selection`: the same lane and warp, the same
// share of its time, and the same line of the same file. Preconditions: both are traced.
[[nodiscard]] Selection selection_beside(const KernelStudy& from, const Selection& selection,
                                         const KernelStudy& to);

// Brings those that the context compares to where its study stands, each at its own block.
void stand_together(ViewContext& context);

// Whether the pointer is on this line of the variant's file, in whichever pane.
[[nodiscard]] bool is_hovered_line(const ViewContext& context, std::size_t variant,
                                   std::uint32_t line);

// The context in which a view of one of the variants is drawn. Precondition: it has a study.
[[nodiscard]] ViewContext context_of_variant(const ViewContext& context, std::size_t variant);

}  // namespace tilescope
