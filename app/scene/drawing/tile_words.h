#pragma once
#include <string_view>

namespace tilescope {

// Where a tile stands on its way through a buffer of shared memory, in the words of every view.
// Tiling goes by the program, which knows what it has issued and waited for; Pipeline goes by
// modelled cycles, which know when the bytes are there. So that neither contradicts the other:
//   copy      its bytes are on their way (Pipeline)
//   in registers  loaded there, it waits until its buffer may be written (both; Tiling from its
//             first load on, Pipeline once its bytes are there)
//   arrived   they all lie there, and nobody has read one (Pipeline)
//   issued    its copies are, and no warp has waited for them: on their way, or arrived (Tiling)
//   ready     it was waited for, so it has arrived and may be read (Tiling)
//   multiply  it is read and worked with (both)
//   free      it is done with (Tiling; in Pipeline nothing is drawn)
inline constexpr std::string_view kTileInRegisters = "in registers";
inline constexpr std::string_view kTileIssued = "issued";
inline constexpr std::string_view kTileArrived = "arrived";
inline constexpr std::string_view kTileReady = "ready";

// How the words of the one view look in the other: sentences for the tooltips.
inline constexpr std::string_view kIssuedElsewhere =
    "No warp has waited for it, so nobody may read it yet; when it arrives stands in Pipeline.";
inline constexpr std::string_view kArrivedElsewhere =
    "Tiling calls it issued until a warp has waited for it, and then ready.";

}  // namespace tilescope
