#pragma once
#include <atomic>
#include <cstddef>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>

#include "core/result.h"
#include "ui/dialogs/picture_export.h"

namespace tilescope {

// How the export that was asked for last goes, shared by its job and the dialog.
struct PictureExport::Outcome {
  std::mutex mutex;
  std::optional<Status> status;  // nullopt: still being written
  std::string file;
  std::atomic<std::size_t> frames_done = 0;
  std::atomic<std::size_t> frames = 0;  // 0: no animation
  std::stop_source stop;

  [[nodiscard]] bool running() {
    const std::lock_guard lock(mutex);
    return !status.has_value();
  }
};

}  // namespace tilescope
