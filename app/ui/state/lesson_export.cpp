#include "ui/state/lesson_export.h"

#include <fmt/format.h>

#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "core/derived.h"
#include "core/file.h"
#include "export/export_view.h"
#include "session/lesson.h"
#include "session/lesson_figures.h"
#include "session/lesson_page.h"
#include "ui/state/picture_export.h"
#include "ui/state/window_state.h"

namespace tilescope {

void export_lesson_page(WindowState& state, const Lesson& lesson) {
  auto outcome = std::make_shared<PictureExport::Outcome>();
  outcome->file = free_file_name(lesson.name, ".html");
  outcome->frames = lesson.steps.size();
  state.lesson_export = outcome;
  std::vector<Lesson> languages{lesson};
  for (const Lesson& each : state.learn.library().translations) {
    if (each.name == lesson.name) languages.push_back(each);
  }
  const Catalogue& catalogue = state.workbench.catalogue();
  const DeviceModel device = state.workbench.device_model(Source::kRecorded);
  const auto devices = state.workbench.devices();
  const RecordedLibrary& recorded = state.recorded;
  const Glossary& glossary = state.glossary;
  state.workbench.submit(
      "export lesson", [=, &catalogue, &recorded, &glossary](const std::stop_token& stop) {
        LessonFigures figures(catalogue, device, run_now, 1);
        const KnownMeasurements known{recorded};
        LessonPageRequest request{
            .languages = {},
            .figures = figures,
            .known = known,
            .glossary = glossary,
            .devices = *devices,
            .stop = stop,
            .progress = [&outcome](std::size_t done, std::size_t) { outcome->frames_done = done; }};
        for (const Lesson& each : languages) request.languages.push_back(&each);
        const auto page = lesson_page(request);
        Status written = page ? write_file(outcome->file, *page) : Status(page.error());
        const std::lock_guard lock(outcome->mutex);
        outcome->status = std::move(written);
      });
}

std::string lesson_export_words(const WindowState& state) {
  if (state.lesson_export == nullptr) return {};
  PictureExport::Outcome& outcome = *state.lesson_export;
  if (outcome.running()) {
    return fmt::format("Writing {}: step {} of {} …", outcome.file, outcome.frames_done + 1,
                       outcome.frames.load());
  }
  const std::lock_guard lock(outcome.mutex);
  if (!outcome.status->ok()) return to_string(outcome.status->error());
  return fmt::format("Written: {}, {}", outcome.file, file_size_text(outcome.file));
}

}  // namespace tilescope
