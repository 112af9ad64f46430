#pragma once
#include <cstdint>
#include <optional>
#include <span>

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

// All of them, in the order of the View menu. To add a panel, add a line there.
[[nodiscard]] std::span<const Panel> all_panels();

// What views and other panels of the centre leave free at their sides, in units.
inline constexpr float kViewMargin = 24;

// Height of a row of the ladder, in units; its panel is whole rows high where it must scroll.
inline constexpr float kLadderRow = 25;

void draw_ladder_panel(Desk& desk);
void draw_parameters_panel(Desk& desk);
void draw_costs_panel(Desk& desk);
void draw_view_panel(Desk& desk, View view);
void draw_transport_panel(Desk& desk);
void draw_source_panel(Desk& desk);
void draw_counters_panel(Desk& desk);
void draw_latency_panel(Desk& desk);
void draw_verdicts_panel(Desk& desk);
void draw_throughput_panel(Desk& desk);
void draw_tuner_panel(Desk& desk);
void draw_result_panel(Desk& desk);

// Not a panel: it stands at the top and cannot be closed.
void draw_top_bar(Desk& desk);
inline constexpr float kTopBarHeight = 44;

}  // namespace tilescope
