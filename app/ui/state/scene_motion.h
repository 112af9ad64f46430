#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "analysis/study/kernel_study.h"
#include "scene/model/prepared.h"
#include "scene/model/selection.h"
#include "session/scene.h"

namespace tilescope {

struct WindowState;

// Moves the window to scenes, a lesson's or a lecture's. Where the launch stays, time and zoom move
// there; else the picture changes. UI thread.
class SceneMotion {
 public:
  // What is selected in a block that was not traced when the scene was written.
  using Settle = std::function<Selection(const Selection& selection, const KernelStudy& study,
                                         const PreparedStudy& prepared)>;

  // `settle`: asked once the active variant's block is traced; absent: as the scene has it.
  void show(WindowState& state, const Scene& scene, Settle settle = {});
  void stop();
  // Once a frame: what is still on its way.
  void update(WindowState& state);

 private:
  struct Motion {
    double since = 0;  // WindowState::now
    Selection from;
    Selection to;
    MatrixCamera camera_from;
    MatrixCamera camera_to;
    float zoom_from = 1;
    float zoom_to = 1;
  };
  bool waits_ = false;  // for the block
  Settle settle_;
  std::optional<Motion> motion_;
};

// Has scenes computed in the background that may be shown next, the first of them first. What is
// ready of `now`, which is about to be shown, is kept. Invalidates what was made ready before.
void make_ready(WindowState& state, const Scene& now, const std::vector<const Scene*>& next);

}  // namespace tilescope
