#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

#include "core/device_table.h"
#include "core/result.h"
#include "session/glossary.h"
#include "session/known_measurements.h"
#include "session/lesson.h"
#include "session/lesson_figures.h"

namespace tilescope {

// What a lesson's page is made of; all of it outlives the call.
struct LessonPageRequest {
  // The lesson in each language that the page offers, the first one is shown first. Not empty.
  std::vector<const Lesson*> languages;
  bool with_notes = false;  // the speaker's, folded
  LessonFigures& figures;   // whose jobs run at once
  const KnownMeasurements& known;
  const Glossary& glossary;
  const std::vector<DeviceModel>& devices;
  unsigned workers = 1;
  std::stop_token stop = {};
  // Called before each step: those that are done, and all.
  std::function<void(std::size_t done, std::size_t all)> progress = {};
};

// A lesson as one file of HTML without network or server: each step's text with its values and
// marks, its picture, with a slider where the scene has a control, and its question before the
// answer. The same lesson gives the same bytes. Seconds. Errors: of a scene, with the lesson's file
// and line; kCancelled.
[[nodiscard]] Result<std::string> lesson_page(const LessonPageRequest& request);

}  // namespace tilescope
