#include "cli/animation_export.h"

#include <fmt/format.h>

#include <charconv>
#include <utility>

#include "export/animation.h"

namespace tilescope {
namespace {

Error usage(std::string message, std::string remedy) {
  return {ErrorCode::kUsage, std::move(message), std::move(remedy), {}};
}

// "120", or "step:3": its first moment, or its last.
Result<std::uint32_t> moment_of(const char* option, const std::string& text, bool last,
                                const KernelStudy& study) {
  constexpr std::string_view kStep = "step:";
  const bool is_step = text.starts_with(kStep);
  const std::string_view digits =
      std::string_view(text).substr(is_step ? kStep.size() : std::size_t{0});
  const auto events = static_cast<std::uint32_t>(study.trace->events.size());
  const std::vector<std::uint32_t>& steps = study.timeline->step_begin;
  std::uint32_t number = 0;
  const auto [end, failure] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  const bool whole = failure == std::errc() && end == digits.data() + digits.size();
  if (whole && is_step && number >= 1 && number <= steps.size()) {
    if (!last) return steps[number - 1];
    return (number < steps.size() ? steps[number] : events) - 1;
  }
  if (whole && !is_step && number < events) return number;
  return usage(fmt::format("{} {} does not exist", option, text),
               fmt::format("The block has moments 0 to {} and steps step:1 to step:{}", events - 1,
                           steps.size()));
}

}  // namespace

Status write_animation(const ExportArguments& arguments, PictureRequest picture,
                       const std::filesystem::path& file) {
  const KernelStudy& study = *picture.context.study;
  AnimationRequest request;
  request.to = static_cast<std::uint32_t>(study.trace->events.size() - 1);
  request.frames_per_second = arguments.frames_per_second;
  request.seconds = arguments.seconds;
  if (!arguments.from.empty()) {
    const auto from = moment_of("--from", arguments.from, false, study);
    if (!from) return from.error();
    request.from = *from;
  }
  if (!arguments.to.empty()) {
    const auto to = moment_of("--to", arguments.to, true, study);
    if (!to) return to.error();
    request.to = *to;
  }
  request.picture = std::move(picture);
  return export_animation(request, file, {}, {});
}

}  // namespace tilescope
