#include <fmt/format.h>

#include "scene/banks/shared_layout.h"
#include "scene/drawn_numbers.h"
#include "scene/prepared.h"
#include "scene/tiling/thread_lists.h"
#include "scene/tiling/tiling_scene.h"
#include "scene/tiling/tiling_words.h"

namespace tilescope {
namespace {

void add_box(NumberList& list, std::string_view what, const ElementBox& box) {
  if (box.empty()) return;
  list.add(fmt::format("first row {}", what), box.row);
  list.add(fmt::format("rows {}", what), box.rows);
  list.add(fmt::format("first column {}", what), box.col);
  list.add(fmt::format("columns {}", what), box.cols);
}

void add_matrices(NumberList& list, const TilingMoment& moment) {
  for (const TiledMatrix& matrix : moment.model->matrices) {
    list.item(matrix.view.name);
    list.add("rows", matrix.view.rows);
    list.add("columns", matrix.view.cols);
    if (matrix.grid_reads_per_element > 0) {
      list.add("reads per element", matrix.grid_reads_per_element);
    }
    add_box(list, "read by the block", matrix.read);
    add_box(list, "written by the block", matrix.written);
    if (moment.step < matrix.read_in_step.size()) {
      add_box(list, "read in this step", matrix.read_in_step[moment.step]);
    }
  }
}

// Of each stage of a ring, which tile it holds and how many of its copies are issued.
void add_ring(NumberList& list, const TilingMoment& moment) {
  const RingModel& ring = moment.model->ring;
  if (!ring.has_way()) return;
  list.part("ring");
  if (ring.prefetches) {
    const auto waiting = ring.in_registers(moment.event);
    list.item("registers");
    list.add("holds a tile", waiting.has_value());
    if (waiting) list.add("tile", waiting->fill);
    if (waiting) list.add("loads issued", 100 * waiting->loaded, "%");
  }
  for (std::uint32_t i = 0; i < ring.stages.size(); ++i) {
    const RingModel::Stage stage = ring.stage_at(i, moment.event);
    list.item(fmt::format("stage {}", i));
    list.add("holds a tile", stage.state != StageState::kEmpty && stage.state != StageState::kFree);
    if (stage.state == StageState::kEmpty) continue;
    list.add("tile", stage.fill);
    list.add("issued", 100 * stage.issued, "%");
    list.add("multiplied now", stage.state == StageState::kUsed);
  }
}

void add_totals(NumberList& list, const KernelStudy& study, const PreparedStudy& prepared,
                const TilingModel& model) {
  const MemoryTotals totals = memory_totals(study);
  const auto per = [&](std::string_view name, std::uint64_t count, std::uint64_t of) {
    if (of > 0) list.add(name, static_cast<double>(count) / static_cast<double>(of));
  };
  list.item("global");
  list.add("requests", totals.requests);
  list.add("sectors", totals.sectors);
  list.add("ideal sectors", totals.sectors_ideal);
  per("sectors per request", totals.sectors, totals.requests);
  per("ideal sectors per request", totals.sectors_ideal, totals.requests);
  list.item("shared");
  list.add("accesses", totals.shared_accesses);
  list.add("wavefronts", totals.wavefronts);
  list.add("ideal wavefronts", totals.wavefronts_ideal);
  per("wavefronts per access", totals.wavefronts, totals.shared_accesses);
  per("ideal wavefronts per access", totals.wavefronts_ideal, totals.shared_accesses);
  list.add("size", study.program->static_shared_bytes() + study.launch.dynamic_shared_bytes, "B");
  list.add("tiles", prepared.shared ? prepared.shared->regions.size() : 0);
  list.item("registers");
  list.add("warp-wide multiply-adds", totals.multiply_adds / 32);
  list.add("multiply-adds per access", totals.per_access(totals.multiply_adds));
  if (totals.matrix_products > 0) {
    list.add("warp-wide matrix products", totals.matrix_products / 32);
    list.add("matrix products per access", totals.per_access(totals.matrix_products));
  }
  list.add("floating-point operations", totals.flop);
  list.add("elements of a thread", model.elements_per_thread);
  if (study.compiled && study.compiled->has_resources) {
    list.add("registers of a thread", study.compiled->resources.registers);
  }
}

}  // namespace

void add_tiling_numbers(NumberList& list, const ViewContext& context) {
  const TilingMoment moment = tiling_moment(context);
  const KernelStudy& study = *context.study;
  if (moment.model->matrices.empty()) return;
  list.part("launch");
  list.add("blocks", study.launch.grid.count());
  list.add("threads of a block", study.launch.block.count());
  list.add("block x", study.trace->block.x);
  list.add("block y", study.trace->block.y);
  list.add("block z", study.trace->block.z);
  list.add("steps", moment.model->steps);
  list.add("step", moment.step + 1);
  list.add("warp", moment.warp);
  list.add("lane", moment.lane);
  list.add("moment", moment.event);
  list.part("matrices");
  add_matrices(list, moment);
  list.part("memory");
  add_totals(list, study, *context.prepared, *moment.model);
  add_ring(list, moment);
  list.part("thread");
  add_thread_numbers(list, context, moment);
}

}  // namespace tilescope
