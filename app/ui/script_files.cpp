#include "ui/script_files.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "ui/desk/desk.h"
#include "ui/desk/export_request.h"
#include "ui/script_words.h"

namespace tilescope {

// Done when the file is written, or cannot be: a frame later the session has heard which.
Status save(const ScriptCommand& command, const ScriptTarget& target) {
  constexpr int kFramesToHear = 2;
  Session& session = target.desk.session;
  if (!std::exchange(target.progress.begun, true)) {
    session.save(target.desk, command.words[1]);
    target.progress.settle = 0;
  }
  if (!session.writing()) ++target.progress.settle;
  target.progress.again = target.progress.settle <= kFramesToHear;
  const std::string name = std::filesystem::path(command.words[1]).filename().string();
  for (const Session::Notice& notice : session.notices()) {
    const bool of_this = notice.words.find(name) != std::string::npos;
    if (notice.is_error && of_this) return wrong(command, notice.words);
  }
  return ok_status();
}

namespace {

constexpr std::array<std::pair<const char*, PictureExport::Subject>, 7> kSubjects{
    {{"view", PictureExport::Subject::kView},
     {"source", PictureExport::Subject::kSource},
     {"counters", PictureExport::Subject::kCounters},
     {"tuner", PictureExport::Subject::kTuner},
     {"parameter", PictureExport::Subject::kOverParameter},
     {"size", PictureExport::Subject::kOverSize},
     {"live", PictureExport::Subject::kLive}}};

}  // namespace

// The kernel as it stands, not an older one that still shows.
Status export_view_to(const ScriptCommand& command, const ScriptTarget& target) {
  Desk& desk = target.desk;
  if (!std::exchange(target.progress.begun, true)) {
    const Variant& active = desk.bench.active();
    if (active.error) return wrong(command, to_string(*active.error));
    const std::string what = command.words.size() > 2 ? command.words[2] : "view";
    const auto* subject = std::ranges::find(kSubjects, what, [](const auto& s) { return s.first; });
    if (subject == kSubjects.end()) {
      std::vector<std::string> known;
      known.reserve(kSubjects.size());
      for (const auto& [name, each] : kSubjects) known.emplace_back(name);
      return unknown(command, "picture", what, known);
    }
    desk.picture_export.subject = subject->second;
    if (!export_request(desk)) return wrong(command, "there is nothing to export yet");
    desk.picture_export.file = command.words[1];
    export_picture(desk);
  }
  const std::optional<Status> outcome = export_outcome(desk);
  target.progress.again = !outcome.has_value();
  if (outcome && !outcome->ok()) return wrong(command, to_string(outcome->error()));
  return ok_status();
}

}  // namespace tilescope
