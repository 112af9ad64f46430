#include "ui/actions.h"

#include <imgui.h>

#include "ui/desk.h"
#include "ui/panel.h"

namespace tilescope {

void paste_kernel(Desk& desk) {
  const char* text = ImGui::GetClipboardText();
  const Status opened = desk.bench.open_text(text != nullptr ? text : "");
  desk.note = opened.ok() ? std::string() : to_string(opened.error());
}

void open_path(Desk& desk, const std::string& path) {
  const bool session = is_session_file(path);
  const Status opened = session ? desk.session.open(desk, path) : desk.bench.open_file(path);
  if (!opened.ok()) {
    desk.session.notices().push_back({to_string(opened.error()), true});
  } else if (!session) {
    desk.session.remember_file(path);
  }
  if (!session) desk.note = opened.ok() ? std::string() : to_string(opened.error());
}

void reset_layout(Desk& desk) {
  for (const Panel& panel : all_panels()) desk.panel_open[panel.title] = panel.at_start;
  desk.reset_layout = true;
}

}  // namespace tilescope
