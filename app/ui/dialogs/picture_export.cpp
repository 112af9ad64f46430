#include "ui/dialogs/picture_export.h"

#include <algorithm>
#include <cstdlib>
#include <mutex>
#include <optional>
#include <utility>

#include "export/animation.h"
#include "export/export_view.h"
#include "ui/desk/desk.h"
#include "ui/desk/export_request.h"
#include "ui/dialogs/picture_outcome.h"

namespace tilescope {
namespace {

using Subject = PictureExport::Subject;

std::string stem_of(const Desk& desk) {
  const Variant& variant = desk.bench.active();
  std::string name = variant.study->instance.id;
  std::ranges::replace(name, '/', '_');
  const Subject subject = desk.picture_export.subject;
  return name + "_" +
         (subject == Subject::kView    ? std::string(name_of(desk.view))
          : subject == Subject::kTuner ? std::string("tuner")
          : page_of(subject)           ? std::string(name_of(*page_of(subject)))
                                       : std::string("throughput"));
}

std::filesystem::path home() {
  const char* folder = std::getenv("HOME");
  return folder != nullptr && *folder != '\0' ? std::filesystem::path(folder)
                                              : std::filesystem::current_path();
}

// The study is kept alive for as long as the job reads it.
JobPool::Work job_of(const Desk& desk, PictureRequest request,
                     const std::shared_ptr<PictureExport::Outcome>& outcome) {
  const std::filesystem::path file = desk.picture_export.file;
  const auto format = picture_format(file);
  const bool animated = format && is_animation(*format) && request.is_of_study();
  AnimationRequest animation;
  if (animated) {
    animation = animation_request(desk, request);
    outcome->frames = frame_count(animation);
  }
  return [request = std::move(request), animation = std::move(animation), animated, file,
          study = desk.bench.active().study, outcome](const std::stop_token& closing) {
    const std::stop_callback stop(closing, [&outcome] { outcome->stop.request_stop(); });
    Status written = animated ? export_animation(animation, file, outcome->stop.get_token(),
                                                 [&outcome](std::size_t done, std::size_t) {
                                                   outcome->frames_done = done;
                                                 })
                              : export_view(request, file);
    const std::lock_guard lock(outcome->mutex);
    outcome->status = std::move(written);
  };
}

}  // namespace

void open_picture_export(Desk& desk, Subject subject) {
  const Variant& variant = desk.bench.active();
  if (variant.study == nullptr || !variant.study->traced()) {
    desk.note = "there is no picture to export yet";
    return;
  }
  PictureExport& picture = desk.picture_export;
  picture.subject = subject;
  // A chart that has nothing in it is none: another one, then, or the view in front.
  const bool chart = subject == Subject::kOverParameter || subject == Subject::kOverSize ||
                     subject == Subject::kLive;
  for (const Subject other : {Subject::kOverParameter, Subject::kOverSize, Subject::kLive}) {
    if (!chart || export_request(desk)) break;
    picture.subject = other;
  }
  if (!export_request(desk)) picture.subject = Subject::kView;
  const std::string stem = stem_of(desk);
  std::filesystem::path file = home() / (stem + ".svg");
  std::error_code ignored;
  for (int i = 2; std::filesystem::exists(file, ignored) && i < 1000; ++i) {
    file = home() / (stem + "_" + std::to_string(i) + ".svg");
  }
  picture.file = file.string();
  picture.outcome.reset();
  picture.open = true;
}

void export_picture(Desk& desk) {
  auto request = export_request(desk);
  if (!request) return;
  PictureExport& picture = desk.picture_export;
  picture.outcome = std::make_shared<PictureExport::Outcome>();
  picture.outcome->file = picture.file;
  desk.bench.submit_background("export picture",
                               job_of(desk, *std::move(request), picture.outcome));
}

std::optional<Status> export_outcome(const Desk& desk) {
  PictureExport::Outcome& outcome = *desk.picture_export.outcome;
  const std::lock_guard lock(outcome.mutex);
  return outcome.status;
}

void cancel_export(Desk& desk) {
  if (desk.picture_export.outcome != nullptr) desk.picture_export.outcome->stop.request_stop();
}

}  // namespace tilescope
