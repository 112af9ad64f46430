#include "ui/panels/panels.h"

#include <array>

#include "ui/dialogs/session_dialog.h"
#include "ui/panels/counters_panel.h"
#include "ui/panels/ladder_panel.h"
#include "ui/panels/latency_panel.h"
#include "ui/panels/parameters_panel.h"
#include "ui/panels/result_panel.h"
#include "ui/panels/source_panel.h"
#include "ui/panels/throughput_panel.h"
#include "ui/panels/transport_panel.h"
#include "ui/panels/tuner_panel.h"
#include "ui/panels/verdicts_panel.h"
#include "ui/panels/view_panel.h"

namespace tilescope {

std::span<const Panel> all_panels() {
  static constexpr std::array kPanels{
      Panel{"Kernels", "The steps of each family, from naive to fast", Region::kLadder,
            draw_ladder_panel},
      Panel{"Parameters",
            "What the kernel is compiled with, and the size of the problem",
            Region::kParameters,
            draw_parameters_panel,
            {},
            true},
      Panel{"Costs", "Threads, registers and shared memory of a block, and how many fit",
            Region::kCosts, draw_costs_panel},
      Panel{"Tiling", "Who touches which part of the matrices, and when", Region::kCentre,
            [](Desk& desk) { draw_view_panel(desk, View::kTiling); }, View::kTiling, true, false},
      Panel{"Coalescing", "The sectors that a warp's global access moves", Region::kCentre,
            [](Desk& desk) { draw_view_panel(desk, View::kCoalescing); }, View::kCoalescing, true,
            false},
      Panel{"Banks", "The wavefronts that a warp's shared access takes", Region::kCentre,
            [](Desk& desk) { draw_view_panel(desk, View::kBanks); }, View::kBanks, true, false},
      Panel{"Pipeline", "When the block's warps load, wait and compute, in modelled cycles",
            Region::kCentre, [](Desk& desk) { draw_view_panel(desk, View::kPipeline); },
            View::kPipeline, true, false},
      Panel{"Divergence", "Which lanes of a warp work, and which wait", Region::kCentre,
            [](Desk& desk) { draw_view_panel(desk, View::kDivergence); }, View::kDivergence, true,
            false},
      Panel{"Occupancy", "How many blocks an SM holds, and what stops the next one",
            Region::kCentre, [](Desk& desk) { draw_view_panel(desk, View::kOccupancy); },
            View::kOccupancy, true, false},
      Panel{"Roofline", "How fast the kernel is, and what holds it back", Region::kCentre,
            [](Desk& desk) { draw_view_panel(desk, View::kRoofline); }, View::kRoofline, true,
            false},
      Panel{"Compare", "Two to four variants side by side, and why one is faster", Region::kCentre,
            [](Desk& desk) { draw_view_panel(desk, View::kCompare); }, View::kCompare, true, false},
      Panel{"Tuner", "Tries all legal parameters from here, and says why the fastest is fastest",
            Region::kCentre, draw_tuner_panel},
      Panel{"Transport",
            "The time of the traced block",
            Region::kTransport,
            draw_transport_panel,
            {},
            true,
            false},
      Panel{"Source",
            "The kernel's CUDA, PTX and SASS, to read and to edit, with what each line costs",
            Region::kSource,
            draw_source_panel,
            {},
            false,
            false},
      Panel{"Why", "Why it is not faster: the causes that cost most", Region::kCounters,
            draw_verdicts_panel},
      Panel{"Counters", "What each line costs, beside the least it could", Region::kCounters,
            draw_counters_panel},
      Panel{"Latencies", "What the pipeline model assumes; each may be changed", Region::kCounters,
            draw_latency_panel},
      Panel{"Notes",
            "What you write about this session; it is saved with it",
            Region::kCounters,
            draw_notes_panel,
            {},
            false,
            true,
            false},
      Panel{"Throughput", "Measured rates over a parameter and over time", Region::kThroughput,
            draw_throughput_panel},
      Panel{"Result", "The numbers of the chosen point", Region::kResult, draw_result_panel},
  };
  return kPanels;
}

}  // namespace tilescope
