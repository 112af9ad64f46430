#pragma once

#include <cstddef>
#include <optional>

#include "scene/banks/banks_scene.h"
#include "scene/coalescing/coalescing_scene.h"
#include "scene/compare/compared.h"

namespace tilescope {

// The accesses that the compare view shows of its variants: of the same kind in every pane, the one
// in which one of them wastes most, so that what stands beside one another can be held against one
// another; at the execution nearest to where the variant's time stands.
struct ComparedKinds {
  bool store = false;         // of global memory; else loads
  bool shared_store = false;  // of shared memory; else loads
};
[[nodiscard]] ComparedKinds compared_kinds(const ComparedSet& set);

// nullopt: the variant makes no such access.
[[nodiscard]] std::optional<GlobalRequest> compared_global(const ViewContext& context,
                                                           std::size_t variant,
                                                           const ComparedKinds& kinds);
// The context must outlive the request, which points into its prepared study.
[[nodiscard]] std::optional<SharedRequest> compared_shared(const ViewContext& context,
                                                           std::size_t variant,
                                                           const ComparedKinds& kinds);

}  // namespace tilescope
