#include "cli/animation_export.h"

#include <utility>

#include "cli/option_values.h"
#include "export/animation.h"

namespace tilescope {

Status write_animation(const ExportArguments& arguments, PictureRequest picture,
                       const std::filesystem::path& file) {
  const KernelStudy& study = *picture.context.study;
  AnimationRequest request;
  request.to = static_cast<std::uint32_t>(study.trace->events.size() - 1);
  request.frames_per_second = arguments.frames_per_second;
  request.seconds = arguments.seconds;
  if (!arguments.from.empty()) {
    const auto from = parse_moment("--from", arguments.from, false, study);
    if (!from) return from.error();
    request.from = *from;
  }
  if (!arguments.to.empty()) {
    const auto to = parse_moment("--to", arguments.to, true, study);
    if (!to) return to.error();
    request.to = *to;
  }
  request.picture = std::move(picture);
  return export_animation(request, file, {}, {});
}

}  // namespace tilescope
