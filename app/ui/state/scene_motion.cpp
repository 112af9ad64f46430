#include "ui/state/scene_motion.h"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "ui/state/window_state.h"
#include "ui/workbench/workbench.h"

namespace tilescope {
namespace {

constexpr double kMotionSeconds = 0.7;

float eased(double share) {
  const double t = std::clamp(share, 0.0, 1.0);
  return static_cast<float>(t * t * (3 - 2 * t));
}

float between(float from, float to, float share) { return from + (to - from) * share; }

// Whether the window shows this launch already, at this block.
bool shows(const Variant& variant, const VariantDocument& wanted) {
  return variant.study != nullptr && !variant.study_pending && variant.entry != nullptr &&
         variant.entry->id == wanted.kernel && !variant.edited && wanted.edited == nullptr &&
         variant.parameters == wanted.parameters && variant.extents == wanted.extents &&
         variant.factors == wanted.factors && variant.selection.block == wanted.selection.block;
}

}  // namespace

void SceneMotion::stop() {
  waits_ = false;
  settle_ = {};
  motion_.reset();
}

void SceneMotion::show(WindowState& state, const Scene& scene, Settle settle) {
  stop();
  Workbench& workbench = state.workbench;
  state.playback.playing = false;
  Variant& active = workbench.active();
  const VariantDocument& wanted = scene.variants.front();
  if (workbench.variants().size() == 1 && scene.variants.size() == 1 && shows(active, wanted)) {
    motion_ = Motion{state.now,     active.selection, wanted.selection, active.camera,
                     wanted.camera, active.time_zoom, wanted.time_zoom};
    active.selection.line = wanted.selection.line;
    active.marks = wanted.marks;
  } else {
    workbench.restore(scene.variants, scene.active,
                      with_kernels_of(workbench.shared_own_kernels(), scene.variants));
  }
  settle_ = std::move(settle);
  waits_ = true;
  state.raise = scene.view;
  state.view_settings = scene.settings;
  state.focused_parameter = scene.control;
  state.as_issued = scene.as_issued;
  state.heat_column = scene.heat_column;
  state.heat_view = scene.view;
  state.frame_wanted = true;
}

void SceneMotion::update(WindowState& state) {
  Variant& active = state.workbench.active();
  const bool is_there = active.study != nullptr && !active.study_pending &&
                        active.study->traced() && active.prepared != nullptr;
  if (waits_ && is_there) {
    waits_ = false;
    const Selection start = motion_ ? motion_->to : active.selection;
    const Selection end = settle_ ? settle_(start, *active.study, *active.prepared) : start;
    if (motion_) {
      motion_->to = end;
      motion_->since = state.now;
    } else {
      active.selection = end;
    }
  }
  if (!motion_ || waits_) return;
  const double share =
      state.preferences.reduce_motion ? 1 : (state.now - motion_->since) / kMotionSeconds;
  const float at = eased(share);
  const auto from = static_cast<float>(motion_->from.event);
  const auto to = static_cast<float>(motion_->to.event);
  active.selection = motion_->to;
  active.selection.event = static_cast<std::uint32_t>(std::lround(between(from, to, at)));
  active.camera.zoom = between(motion_->camera_from.zoom, motion_->camera_to.zoom, at);
  active.camera.center_x = between(motion_->camera_from.center_x, motion_->camera_to.center_x, at);
  active.camera.center_y = between(motion_->camera_from.center_y, motion_->camera_to.center_y, at);
  active.time_zoom = between(motion_->zoom_from, motion_->zoom_to, at);
  if (share >= 1) {
    active.selection = motion_->to;
    motion_.reset();
  }
  state.frame_wanted = true;
}

void make_ready(WindowState& state, const Scene& now, const std::vector<const Scene*>& next) {
  std::vector<Workbench::Next> wanted;
  for (const VariantDocument& variant : now.variants) {
    if (state.workbench.ready(variant) != nullptr) wanted.push_back({variant, now.view});
  }
  for (const Scene* scene : next) {
    for (const VariantDocument& variant : scene->variants) wanted.push_back({variant, scene->view});
  }
  state.workbench.make_ready(wanted);
}

}  // namespace tilescope
