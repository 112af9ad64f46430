#include "ui/script_files.h"

#include <filesystem>
#include <optional>
#include <utility>

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

// The kernel as it stands, not an older one that still shows.
Status export_view_to(const ScriptCommand& command, const ScriptTarget& target) {
  Desk& desk = target.desk;
  if (!std::exchange(target.progress.begun, true)) {
    const Variant& active = desk.bench.active();
    if (active.error) return wrong(command, to_string(*active.error));
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
