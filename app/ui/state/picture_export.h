#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>

#include "core/result.h"
#include "export/animation.h"
#include "export/export_view.h"
#include "scene/drawing/palette.h"
#include "scene/rates/tuned_figure.h"
#include "scene/view/view.h"

namespace tilescope {

struct WindowState;

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
  int width_mm = 0;  // on paper, instead of px; 0: px
  int height_mm = 0;
  int points = 0;               // of the text; 0: as in the window
  bool with_sentence = true;    // above the picture
  bool with_provenance = true;  // below it
  std::string part;             // of the view: ViewPart::name; empty: all
  std::string over;             // page: the parameter of its slider; empty: none
  Stretch stretch = Stretch::kBlock;
  int frames_per_second = 10;
  int seconds = 8;
  float height_used = 300;  // units that the dialog's contents took last

  // Of the last one that was asked for, shared with the job that writes it.
  struct Outcome;
  std::shared_ptr<Outcome> outcome;
};

// Opens the dialog with a name in the person's home folder that no file has.
void open_picture_export(WindowState& state,
                         PictureExport::Subject subject = PictureExport::Subject::kView);
// A name in the person's home folder that no file has: "…/transpose_2.html".
[[nodiscard]] std::string free_file_name(const std::string& stem, const std::string& ending);
// Writes what the dialog says to `state.picture_export.file` on a job; the dialog says how it went.
void export_picture(WindowState& state);
// How the last one ended; nullopt: it is still being written. Precondition: one was asked for.
[[nodiscard]] std::optional<Status> export_outcome(const WindowState& state);
// Asks the job to stop; it removes what it has written.
void cancel_export(WindowState& state);

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

// What the export dialog stands at, as the request for a file; it points into the active variant's
// study. nullopt: there is nothing to show yet.
[[nodiscard]] std::optional<PictureRequest> export_request(const WindowState& state);
// The part of the view in front that is chosen; nullptr: all of it.
[[nodiscard]] const ViewPart* chosen_part(const WindowState& state);
// The page that a subject is; nullopt: it is none.
[[nodiscard]] std::optional<Page> page_of(PictureExport::Subject subject);
// The same over the stretch of time that the dialog says. Precondition: the request is of a view.
[[nodiscard]] AnimationRequest animation_request(const WindowState& state, PictureRequest picture);

// What the tuner has tried, with what that found. Before it begins, what it tried last of the
// active variant's kernel, at its size and with its factors, in this run of the program or in that
// of the document's file; else what was recorded of it. nullptr: no time is known.
[[nodiscard]] std::shared_ptr<const TunedFigure> tuned_figure(const WindowState& state);

}  // namespace tilescope
