#pragma once
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include "core/result.h"
#include "export/picture_request.h"
#include "scene/drawing/palette.h"
#include "scene/view.h"

namespace tilescope {

struct Desk;

// Ctrl+E: the view in front, the source, the counters, the tuner or one of the charts, as a file.
struct PictureExport {
  enum class Subject : std::uint8_t {
    kView,
    kSource,
    kCounters,
    kTuner,
    kOverParameter,
    kOverSize,
    kLive
  };
  // The part of the block's time that an animation shows.
  enum class Stretch : std::uint8_t { kBlock, kStep, kLoop };

  bool open = false;
  Subject subject = Subject::kView;
  std::string file;  // as typed; its ending chooses the format
  Theme theme = Theme::kLight;
  int scale = 1;  // PNG, GIF, MP4: 1 to 4 device pixels in a px
  int width = kViewWidth;
  int height = kViewHeight;
  Stretch stretch = Stretch::kBlock;
  int frames_per_second = 10;
  int seconds = 8;
  float height_used = 300;  // units that the dialog's contents took last

  // Of the last one that was asked for, shared with the job that writes it.
  struct Outcome;
  std::shared_ptr<Outcome> outcome;
};

// Opens the dialog with a name in the person's home folder that no file has.
void open_picture_export(Desk& desk,
                         PictureExport::Subject subject = PictureExport::Subject::kView);
// Writes what the dialog says to `desk.picture_export.file` on a job; the dialog says how it went.
void export_picture(Desk& desk);
// How the last one ended; nullopt: it is still being written. Precondition: one was asked for.
[[nodiscard]] std::optional<Status> export_outcome(const Desk& desk);
// Asks the job to stop; it removes what it has written.
void cancel_export(Desk& desk);

}  // namespace tilescope
