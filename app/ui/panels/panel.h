#pragma once
#include <cstdint>
#include <optional>

#include "scene/view.h"

namespace tilescope {

struct Desk;

// Where the layout puts a panel until a person moves it.
enum class Region : std::uint8_t {
  kLadder,
  kParameters,
  kCosts,
  kCentre,
  kTransport,
  kSource,
  kCounters,
  kThroughput,
  kResult,
};

// A panel draws, from the desk alone; it computes nothing and waits for nothing.
struct Panel {
  const char* title;    // of its tab, of its entry in the View menu
  const char* purpose;  // one sentence
  Region region;
  void (*draw)(Desk& desk);
  std::optional<View> view = {};  // a picture's panel
  bool in_lecture = false;
  bool padded = true;    // scrolls and has a margin
  bool at_start = true;  // open until a person closes it
};

// What views and other panels of the centre leave free at their sides, in units.
inline constexpr float kViewMargin = 24;

// Height of a row of the ladder, in units; its panel is whole rows high where it must scroll.
inline constexpr float kLadderRow = 25;

// Height of the bar above all panels, in units.
inline constexpr float kTopBarHeight = 44;

}  // namespace tilescope
