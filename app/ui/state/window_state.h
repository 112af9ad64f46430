#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "scene/drawing/palette.h"
#include "scene/rates/rate_unit.h"
#include "scene/view/view.h"
#include "ui/drawing/word_table.h"
#include "ui/source/source_marks.h"
#include "ui/source/study_digest.h"
#include "ui/state/commands.h"
#include "ui/state/layout.h"
#include "ui/state/learn.h"
#include "ui/state/mark_focus.h"
#include "ui/state/picture_export.h"
#include "ui/state/practice.h"
#include "ui/state/presentation.h"
#include "ui/state/program_offer.h"
#include "ui/state/session.h"
#include "ui/state/tooltip.h"
#include "ui/state/view_context.h"
#include "ui/workbench/tuner.h"
#include "ui/workbench/workbench.h"

namespace tilescope {

class CellRenderer;
class Fonts;
struct TextAudit;
class Glossary;
struct GlossaryEntry;  // session/glossary.h
class RecordedLibrary;
class SourceEditor;
enum class SourceLanguage : std::uint8_t;  // ui/source/source_editor.h

// What a person set about the interface itself; kept between runs of the program
// (save_remembered()).
struct Preferences {
  Theme theme = Theme::kDark;
  float text_scale = 1;  // Ctrl + and -
  bool reduce_motion = false;
  std::string language;               // of lessons, "zh"; empty: as they were written
  std::optional<RateUnit> rate_unit;  // of all charts and figures; absent: each problem's own
};

enum class FileQuestion : std::uint8_t { kNone, kOpen, kSave };

// The dialog that asks for a file's name: typed, or chosen from its folder or the recent files.
struct FileDialog {
  FileQuestion question = FileQuestion::kNone;
  std::string file;                  // as typed
  std::string listed_for;            // what was typed when the folder was read
  std::vector<std::string> entries;  // of that folder: folders first, then what can be opened
  std::string remark;                // what is to be said of the list; empty: nothing
  std::string outcome;               // why it could not be done
  bool confirm = false;              // a file of that name exists; once more writes over it
  bool appearing = false;
};

// What a point of a chart was measured of.
struct ChartKey {
  std::string kernel;
  ParameterSet parameters;
  ParameterSet extents;
  GemmFactors factors;
  friend bool operator==(const ChartKey&, const ChartKey&) = default;
};

enum class ChartKind : std::uint8_t { kOverParameter, kOverSize, kLive };

// How far a chart's axes have reached since the mouse button went down.
struct HeldAxes {
  std::string of = {};  // kernel and unit
  double to = 0;        // of the rates, in that unit
  double least_side = 0;
  double most_side = 0;  // of the sizes; 0: none
};

// How the charts at the bottom stand, and what links them.
struct ChartState {
  std::optional<ChartKey> hovered;  // under the pointer in one of them, as the last frame drew it
  std::optional<ChartKey> touched;  // the same of this frame
  double live_seconds = 60;         // that the live chart shows
  std::optional<double> live_end;   // Workbench::now_seconds(); absent: it follows the present
  std::optional<ChartKind> chosen;  // where one place is for several; absent: never clicked
  std::optional<bool> folded;       // their row, by fit_bottom_row(); absent: not looked at yet
  std::string row_of;               // the kernel for which that was looked at
  float row_height = 0;             // units, before it was folded; 0: as the layout has it
  HeldAxes over_parameter;
  HeldAxes over_size;
};

// Help: the glossary's terms, and the keys.
struct HelpState {
  enum class Tab : std::uint8_t { kTerms, kKeys };
  bool open = false;
  Tab tab = Tab::kTerms;
  std::string words;           // of the search
  std::string term;            // the entry at the right; empty: the first of the list
  bool focus_search = true;    // give the search the focus at the next frame
  bool term_in_sight = false;  // scroll the list to the entry at the next frame
};

// Time running through the traced block.
struct Playback {
  bool playing = false;
  bool by_access = true;  // from one memory access to the next, else each instruction
  float speed = 1;
  double events_due = 0;  // fraction of a step left over from the last frame
};

// How the picture of a view changes: what it showed before fades, data travels since the last step.
struct Transition {
  std::shared_ptr<const KernelStudy> shown;
  std::shared_ptr<const KernelStudy> before;  // fades out; nullptr: nothing does
  std::shared_ptr<const PreparedStudy> shown_prepared;
  std::shared_ptr<const PreparedStudy> before_prepared;
  std::shared_ptr<const MeasuredPhases> shown_phases;
  std::shared_ptr<const MeasuredPhases> before_phases;
  double shown_since = 0;  // seconds of Workbench::now_seconds()
  std::uint32_t event = 0;
  double event_since = 0;
  // What is drawn: the newest study that has all that the view needs.
  struct Picture {
    std::shared_ptr<const KernelStudy> study;
    std::shared_ptr<const PreparedStudy> prepared;
  };
  Picture picture;
};

// Which values of each slider keep the rules, all other parameters as they are.
struct LegalValues {
  const CatalogueEntry* entry = nullptr;
  ParameterSet parameters;
  ParameterSet extents;
  std::map<std::string, std::vector<bool>> legal;  // by parameter, per value offered
  std::vector<std::string> names;                  // of the parameters

  // Asks the rules again where any of these changed. A few microseconds a value.
  void update(const CatalogueEntry* entry, const ParameterSet& parameters,
              const ParameterSet& extents, const DeviceModel& device);
};

// An own kernel whose name is being typed in the list.
struct Renaming {
  std::string file;  // OwnKernelDocument::file; empty: none
  std::string name;  // as typed so far
  int frames = 0;    // since it began
};

// The list of scenes: the name of the selected one while it is typed.
struct SceneEditing {
  bool typing = false;
  std::string name;
  int frames = 0;           // since it began
  bool focus_note = false;  // give the note the focus at the next frame
};

// Everything a panel draws from and acts on, for one frame. Panels receive it by reference; it is
// the only thing they share.
struct WindowState {
  WindowState(Workbench& b, const RecordedLibrary& r, const Glossary& g, const Fonts& f,
              CellRenderer& c, SourceEditor& e, Preferences& p, std::span<const Panel> all_panels,
              std::vector<Command> all_commands, bool keep)
      : workbench(b),
        recorded(r),
        glossary(g),
        fonts(f),
        cells(c),
        editor(e),
        preferences(p),
        panels(all_panels),
        commands(std::move(all_commands)),
        session(keep),
        facts(b),
        tuner(b, r),
        learn(b, r),
        practice(b) {}

  Workbench& workbench;
  const RecordedLibrary& recorded;
  const Glossary& glossary;
  const Fonts& fonts;
  CellRenderer& cells;
  SourceEditor& editor;
  Preferences& preferences;
  std::span<const Panel> panels;  // in the order of the View menu
  std::vector<Command> commands;

  // The document's, beside what the workbench holds.
  Session session;
  std::string notes;
  UnknownFields unknown_fields;
  // What the document's file brought: measured in another run of the program. nullptr: nothing.
  std::shared_ptr<const Measurements> opened;
  std::string layout;  // the one in place, ui/state/layout.h
  // That a document brought: its name and text, until it is in place.
  std::optional<std::pair<std::string, SharedText>> layout_wanted;

  // The state of this run of the program.
  View view = View::kTiling;  // the picture in front
  std::optional<View> raise;  // bring this one to the front at the next frame
  bool lecture = false;
  ViewSettings view_settings;
  bool compact = false;         // a small window: one chart, the right column in tabs
  bool palette_wanted = false;  // open the command palette
  bool slider_focused = false;  // a slider has the focus of the keys
  std::string focus_panel;      // give it that focus at the next frame; empty: none
  FileDialog file_dialog;
  HelpState help;
  bool reset_layout = false;
  Playback playback;
  std::map<int, Transition> transitions;  // by view
  std::string focused_parameter;          // the slider that was touched last; empty: the first
  std::string typed_parameter;            // the one whose value is being typed
  SourceLanguage source_tab{};
  bool source_beside = false;      // CUDA, PTX and SASS side by side
  bool editing = false;            // the source is written, not only read
  std::uint32_t sought_line = 0;   // of the source, to be brought in sight; 0: none
  std::uint32_t problem_line = 0;  // gone to last with F8
  bool as_issued = true;           // counts of the machine code, where they are known
  HeatColumn heat_column = HeatColumn::kSectors;  // beside the source
  View heat_view = View::kTiling;                 // that it was last set for
  std::string open_family;                        // unfolded on the ladder
  std::pair<std::string, float> ladder_shown;  // kernel that was brought in sight, panel's height
  Renaming renaming;
  LegalValues legal;
  StudyDigest digest;  // of the active variant's study
  SourceMarks marks;   // of the active variant's text
  WindowFacts facts;   // beside the active variant's study
  LinkedTime linked_time;
  Tooltip tooltip;
  MarkFocus mark_focus;  // of the keys, in the picture in front
  // Zooms the matrices in the next frame, which knows where the block lies; 0: no.
  float zoom_wanted = 0;
  Hit setting_menu;  // whose choices are offered in a menu
  Hit hovered;       // what the pointer is on in a picture; kNone: nothing
  // The line of the active variant's kernel that the pointer is on, in the text or in a row of it;
  // 0: none. As the last frame had it, and as this one has found it so far.
  std::uint32_t hovered_line = 0;
  std::uint32_t touched_line = 0;
  // The term that what is under the pointer stands for; nullptr: none. As hovered_line.
  const GlossaryEntry* hovered_term = nullptr;
  const GlossaryEntry* touched_term = nullptr;
  bool menu_open = false;  // a menu was open at the end of the last frame: Escape closes it
  ChartState charts;
  Tuner tuner;
  Learn learn;
  Practice practice;
  Presentation presentation;
  LectureAids aids;
  SceneEditing scene_editing;
  bool shows_presenter = false;  // the speaker's page, while scenes are presented
  std::string note;              // of the last thing that could not be done
  PictureExport picture_export;
  std::shared_ptr<PictureExport::Outcome> lesson_export;  // nullptr: none was asked for
  ProgramOffer program_offer;
  std::map<std::string, bool> panel_open;
  std::map<std::string, float> panel_used;  // height of a panel's content, units
  float left_column_fit = 0;                // what fit_left_column() last made

  float scale = 1;                   // px of the screen per unit of design
  double now = 0;                    // Workbench::now_seconds() at frame start
  bool frame_wanted = false;         // something moves: draw again
  TextAudit* audit = nullptr;        // of a test
  const WordTable* words = nullptr;  // of the window's language; nullptr: English

  [[nodiscard]] Theme theme() const { return preferences.theme; }
  [[nodiscard]] float px(float units) const { return units * scale; }
  [[nodiscard]] std::string in_language(std::string_view english) const {
    return words != nullptr ? words->in(english) : std::string(english);
  }
};

// What the interface remembers between runs of the program, in data_directory()/interface.json.
struct Remembered {
  Preferences preferences;
  std::map<std::string, bool> panel_open;
  LessonProgress lessons;
  bool first_start = true;  // there was no file
};
// Defaults where there is no file or it cannot be read.
[[nodiscard]] Remembered load_remembered(const std::filesystem::path& file);
void save_remembered(const std::filesystem::path& file, const Remembered& remembered);

}  // namespace tilescope
