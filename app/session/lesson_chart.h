#pragma once

#include <optional>

#include "core/result.h"
#include "scene/curves/curve_chart.h"
#include "session/known_measurements.h"
#include "session/lesson.h"
#include "session/lesson_figures.h"

namespace tilescope {

// The chart of a scene, its curves evaluated over the whole range of their number and where that
// stands in `place`. nullopt: a quantity is being computed. kUsage with the lesson's line: an
// expression has no value somewhere, or two curves have different units. Precondition:
// scene.is_chart().
[[nodiscard]] Result<std::optional<CurveChart>> lesson_chart(const Lesson& lesson,
                                                             const LessonScene& scene,
                                                             const LessonPlace& place,
                                                             LessonFigures& figures,
                                                             const KnownMeasurements& known);

}  // namespace tilescope
