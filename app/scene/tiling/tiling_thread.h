#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "scene/tiling/thread_lists.h"

namespace tilescope {

// What the selected thread holds of a GEMM right now: rows of a, columns of b, and their products.
struct ThreadTile {
  using Place = std::pair<std::uint64_t, std::uint64_t>;  // row and column of C
  std::vector<std::uint64_t> rows;                        // of its elements of C, at most 16
  std::vector<std::uint64_t> cols;
  std::optional<std::uint64_t> k;  // of what is shown; none before the first value
  // Values of k come into registers, none of them is multiplied yet.
  bool loading = false;
  std::set<std::uint64_t> rows_loaded;  // while `loading`
  std::set<std::uint64_t> cols_loaded;
  std::optional<GemmProduct> now;  // the last multiply-add
  std::set<Place> done;            // multiplied at this k
  std::set<Place> stored;          // gone to global memory
  std::set<Place> storing;         // of them, by the present instruction

  [[nodiscard]] std::size_t loaded() const { return rows_loaded.size() + cols_loaded.size(); }
  [[nodiscard]] bool has_a(std::uint64_t row) const {
    return k && stored.empty() && (!loading || rows_loaded.contains(row));
  }
  [[nodiscard]] bool has_b(std::uint64_t col) const {
    return k && stored.empty() && (!loading || cols_loaded.contains(col));
  }
};
// TilingMoment::lane_rects, of the moment's other members.
[[nodiscard]] std::vector<OwnedRect> lane_rects(const ViewContext& context,
                                                const TilingMoment& moment);
// Whether the block multiplies A by B, and the selected thread stores some of C.
[[nodiscard]] bool multiplies_elements(const TilingMoment& moment);
[[nodiscard]] ThreadTile thread_tile(const ViewContext& context, const TilingMoment& moment);

}  // namespace tilescope
