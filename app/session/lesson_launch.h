#pragma once

#include <cstdint>
#include <string_view>

#include "core/device_table.h"
#include "core/result.h"
#include "kernel/catalogue/catalogue.h"
#include "scene/model/prepared.h"
#include "scene/view/view.h"
#include "session/document.h"
#include "session/lesson.h"

namespace tilescope {

// What a launch of a lesson is as a variant: a kernel of the catalogue with the lesson's parameters
// and sizes, or a file with a guessed launch. The file's path is relative to the lesson's. kUsage,
// with the lesson's file and line: no such kernel, parameter or size, a value that is not offered.
[[nodiscard]] Result<VariantDocument> variant_of(const Lesson& lesson, const LessonLaunch& launch,
                                                 const Catalogue& catalogue,
                                                 const DeviceModel& device);

// The one line of the source, from 1, that has this text. kUsage: none has, or several.
[[nodiscard]] Result<std::uint32_t> find_source_line(std::string_view source,
                                                     std::string_view text);

// A launch as a scene shows it, with what it selects; time and what else follows from the traced
// block comes with selection_of(). kUsage as above; also no such view, setting, control, block or
// warp.
[[nodiscard]] Result<VariantDocument> variant_of(const Lesson& lesson, const LessonScene& scene,
                                                 const Catalogue& catalogue,
                                                 const DeviceModel& device);
// The view and its settings. Precondition: variant_of() has passed them.
[[nodiscard]] View view_of(const LessonScene& scene);
[[nodiscard]] ViewSettings settings_of(const LessonScene& scene);

// Where the scene stands in its traced block: the moment that it asks for, else the first access of
// its line, else where the view shows most. `selection`: of variant_of().
[[nodiscard]] Selection selection_of(const LessonScene& scene, Selection selection,
                                     const KernelStudy& study, const PreparedStudy& prepared);

// The error at this line of the lesson's file.
[[nodiscard]] Error at_line(const Lesson& lesson, int line, Error error);

}  // namespace tilescope
