#include "ui/command_table.h"

#include <imgui.h>

#include <utility>

#include "ui/actions.h"
#include "ui/desk/desk.h"
#include "ui/dialogs/session_dialog.h"
#include "ui/looking_commands.h"
#include "ui/source/source_editor.h"

namespace tilescope {
namespace {

void add_session_commands(const Group& group) {
  group.add({.name = "New session",
             .act = [](Desk& desk) { desk.session.make_new(desk); },
             .chords = {kCtrl | ImGuiKey_N},
             .help = "new session, open one or a kernel, save, save as",
             .keys = "Ctrl N  O  S  Shift S",
             .while_typing = true});
  group.add({.name = "Open …",
             .act = [](Desk& desk) { ask_for_file(desk, FileQuestion::kOpen); },
             .chords = {kCtrl | ImGuiKey_O},
             .while_typing = true});
  group.add({.name = "Save",
             .act =
                 [](Desk& desk) {
                   if (desk.session.path().empty()) {
                     ask_for_file(desk, FileQuestion::kSave);
                   } else {
                     desk.session.save(desk, desk.session.path());
                   }
                 },
             .chords = {kCtrl | ImGuiKey_S},
             .while_typing = true});
  group.add({.name = "Save as …",
             .act = [](Desk& desk) { ask_for_file(desk, FileQuestion::kSave); },
             .chords = {kCtrl | kShift | ImGuiKey_S},
             .while_typing = true});
  group.add({.name = "Export this view …",
             .act = [](Desk& desk) { open_picture_export(desk); },
             .chords = {kCtrl | ImGuiKey_E},
             .help = "this view, or a chart, as a file",
             .keys = "Ctrl E   Ctrl Shift E",
             .while_typing = true});
  group.add(
      {.name = "Export a chart …",
       .act = [](Desk& desk) { open_picture_export(desk, PictureExport::Subject::kOverParameter); },
       .chords = {kCtrl | kShift | ImGuiKey_E},
       .while_typing = true});
  group.add({.name = "Export the source …",
             .act = [](Desk& desk) { open_picture_export(desk, PictureExport::Subject::kSource); },
             .chords = {kCtrl | kAlt | ImGuiKey_E},
             .help = "the source, or the counters, as a file",
             .keys = "Ctrl Alt E   Ctrl Alt C",
             .while_typing = true});
  group.add(
      {.name = "Export the counters …",
       .act = [](Desk& desk) { open_picture_export(desk, PictureExport::Subject::kCounters); },
       .chords = {kCtrl | kAlt | ImGuiKey_C},
       .while_typing = true});
  group.add({.name = "Export the tuner …",
             .act = [](Desk& desk) { open_picture_export(desk, PictureExport::Subject::kTuner); }});
  group.add({.name = "Undo",
             .act = [](Desk& desk) { desk.session.undo(desk); },
             .chords = {kCtrl | ImGuiKey_Z},
             .help = "undo, redo",
             .keys = "Ctrl Z   Ctrl Y",
             .repeats = true,
             .title =
                 [](const Desk& desk) {
                   const std::string* what = desk.session.history().undo_name();
                   return what != nullptr ? "Undo: " + *what : "Undo: nothing";
                 }});
  group.add({.name = "Redo",
             .act = [](Desk& desk) { desk.session.redo(desk); },
             .chords = {kCtrl | ImGuiKey_Y, kCtrl | kShift | ImGuiKey_Z},
             .repeats = true,
             .title =
                 [](const Desk& desk) {
                   const std::string* what = desk.session.history().redo_name();
                   return what != nullptr ? "Redo: " + *what : "Redo: nothing";
                 }});
  group.add({.name = "Notes",
             .act =
                 [](Desk& desk) {
                   desk.panel_open["Notes"] = true;
                   desk.focus_panel = "Notes";
                 },
             .chords = {kCtrl | kShift | ImGuiKey_N},
             .help = "notes that go with the session",
             .while_typing = true});
  group.add({.name = "Commands",
             .act = [](Desk& desk) { desk.palette_wanted = true; },
             .chords = {kCtrl | kShift | ImGuiKey_P},
             .help = "kernels, views and commands by name",
             .while_typing = true});
  group.add({.name = "Help",
             .act = [](Desk& desk) { desk.help_open = !desk.help_open; },
             .chords = {ImGuiKey_F1},
             .help = "this",
             .while_typing = true});
}

void add_kernel_commands(const Group& group, const Catalogue& catalogue) {
  group.add({.name = "Paste kernel",
             .act = [](Desk& desk) { paste_kernel(desk); },
             .chords = {kCtrl | ImGuiKey_V},
             .help = "open the kernel in the clipboard; drop a file for one on disk"});
  group.add({.name = "New kernel", .act = [](Desk& desk) { start_kernel(desk); }});
  const auto is_own = [](const Desk& desk) { return desk.bench.active().own.has_value(); };
  group.add_where(is_own, {.name = "Rename this kernel",
                           .act = [](Desk& desk) { ask_for_name_of_active(desk); },
                           .chords = {kShift | ImGuiKey_F2},
                           .help = "another name for your kernel; remove it",
                           .keys = "Shift F2   Ctrl Delete"});
  group.add_where(is_own, {.name = "Remove this kernel",
                           .act =
                               [](Desk& desk) {
                                 const Variant& active = desk.bench.active();
                                 if (active.own) desk.bench.remove_own(active.own->file.path);
                               },
                           .chords = {kCtrl | ImGuiKey_Delete}});
  group.add({.name = "Edit the source, or read it",
             .act =
                 [](Desk& desk) {
                   desk.editing = !desk.editing;
                   desk.focus_panel = "Source";
                   if (desk.editing) desk.editor.take_focus();
                 },
             .chords = {ImGuiKey_F2},
             .help = "write in the source, or read it; there Ctrl Z is the text's own",
             .while_typing = true});
  group.add_where(
      [](const Desk& desk) { return desk.bench.active().is_edited(); },
      {.name = "Revert the source", .act = [](Desk& desk) { desk.bench.revert_source(); }});
  group.add_where([](const Desk& desk) { return !desk.bench.may_run(desk.bench.active()); },
                  {.name = "Run on the GPU what came with a file",
                   .act = [](Desk& desk) { desk.bench.allow_gpu(); }});
  group.add({.name = "Measure again",
             .act = [](Desk& desk) { desk.bench.measure_again(); },
             .chords = {ImGuiKey_F5},
             .help = "measure again"});
  group.add({.name = "Measure with a cold L2, or a warm one",
             .act = [](Desk& desk) { desk.bench.set_cold(!desk.bench.cold()); }});
  group.add({.name = "Read hardware counters",
             .act =
                 [](Desk& desk) {
                   desk.panel_open["Counters"] = true;
                   desk.focus_panel = "Counters";
                   desk.bench.read_counters();
                 },
             .chords = {kShift | ImGuiKey_F5},
             .help = "read the GPU's counters of this launch"});
  group.add({.name = "Next error or finding",
             .act = [](Desk& desk) { go_to_problem(desk, 1); },
             .chords = {ImGuiKey_F8},
             .help = "to the next error or finding in the source; back",
             .keys = "F8   Shift F8",
             .while_typing = true});
  group.add({.name = "Error or finding before",
             .act = [](Desk& desk) { go_to_problem(desk, -1); },
             .chords = {kShift | ImGuiKey_F8},
             .while_typing = true});
  for (const CatalogueEntry& entry : catalogue.entries) {
    group.add(
        {.name = "Kernel: " + entry.id + ", " + entry.title, .act = [id = entry.id](Desk& desk) {
           if (const CatalogueEntry* chosen = desk.bench.catalogue().find(id)) {
             desk.bench.choose_kernel(*chosen);
           }
         }});
  }
}

}  // namespace

std::vector<Command> make_commands(const Catalogue& catalogue) {
  std::vector<Command> commands;
  add_session_commands({commands, CommandGroup::kSession});
  add_time_commands({commands, CommandGroup::kTime});
  add_choice_commands({commands, CommandGroup::kChoice});
  add_view_commands({commands, CommandGroup::kView});
  add_kernel_commands({commands, CommandGroup::kKernel}, catalogue);
  return commands;
}

}  // namespace tilescope
