#pragma once
#include <array>
#include <cstdint>

#include "scene/drawing/palette.h"

namespace tilescope {

// How a colour looks to whom.
enum class Vision : std::uint8_t { kFull, kProtanopia, kDeuteranopia, kTritanopia };
constexpr std::array<Vision, 4> kVisions{Vision::kFull, Vision::kProtanopia, Vision::kDeuteranopia,
                                         Vision::kTritanopia};
[[nodiscard]] const char* name_of(Vision vision);

// The colour that a person with full colour vision takes for what a person with `vision` sees:
// Machado, Oliveira, Fernandes, "A Physiologically-based Model for Simulation of Color Vision
// Deficiency", IEEE TVCG 15 (6), 2009; severity 1.0, on linear sRGB.
[[nodiscard]] Rgba as_seen(const Rgba& colour, Vision vision);

// How far two opaque colours lie apart in CAM02-UCS (Luo, Cui, Li, "Uniform colour spaces based on
// CIECAM02", Color Research and Application 31 (4), 2006), average surround, adapting luminance
// 64 / pi / 5 cd/m2, background of 20 %; 1 is about what is just noticed side by side.
[[nodiscard]] double difference(const Rgba& a, const Rgba& b);

// CIE 1976 L*, 0..100: what remains in greyscale.
[[nodiscard]] double lightness(const Rgba& colour);

}  // namespace tilescope
