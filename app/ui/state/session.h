#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/result.h"
#include "session/autosave.h"
#include "session/document.h"
#include "session/session_file.h"
#include "session/undo.h"

namespace tilescope {

struct WindowState;
struct Variant;

// The window's document and its files: undo, saving, opening, and the copy that survives a crash
// (docs/sessions.md). UI thread; files are written on a thread of their own.
class Session {
 public:
  // keep: autosave, recent files and allowed texts stand in data_directory(); else nothing is kept.
  explicit Session(bool keep);
  ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  // At the end of a frame: what a person changed is a step of undo and due to be kept.
  void observe(WindowState& state);
  // When observe() must be called again without any input, on Workbench::now_seconds()'s clock.
  [[nodiscard]] std::optional<double> due_seconds() const { return due_; }
  // The window closes: what is not in a file is kept for the next start.
  void end(WindowState& state);

  // Opens what the last window left, if it left anything, and says so.
  void recover(WindowState& state);
  // What other windows left, newest first, offered to be opened.
  [[nodiscard]] std::size_t left_behind() const { return left_.size(); }
  // Of the most recent of them, when it was left and what it shows: "26 November, 14:20:
  // transpose/tiled"; empty: not known yet.
  [[nodiscard]] const std::string& newest_left() const { return newest_left_; }
  void open_left_behind(WindowState& state);
  void discard_left_behind();
  // Takes back a recovery: what was recovered is thrown away.
  void discard_recovered(WindowState& state);

  // On an error nothing has changed. What was open and not saved is set aside, not lost.
  Status open(WindowState& state, const std::filesystem::path& file);
  // At the catalogue's kernel that is in front, as it ships; otherwise at the usual one.
  void make_new(WindowState& state);
  // How it went, notices() says. The own file is not replaced at once where another window or
  // program has written it since it was read or saved here: the second call does it.
  void save(WindowState& state, const std::filesystem::path& file);

  // Puts what the window shows aside, with the layout: until give_back() it is still the document
  // that is saved, copied and undone, whatever a lesson shows meanwhile.
  void hold(WindowState& state);
  void give_back(WindowState& state);
  // Instead: what is shown is the document from now on, a step of undo behind what was put aside.
  void keep_shown(WindowState& state);
  [[nodiscard]] bool holding() const { return held_.has_value(); }

  void undo(WindowState& state);
  void redo(WindowState& state);
  [[nodiscard]] const UndoHistory& history() const { return history_; }

  [[nodiscard]] const std::string& path() const { return path_; }  // empty: no file yet
  [[nodiscard]] bool changed() const;                              // since it was saved or opened
  // Whether the file has just these measurements.
  [[nodiscard]] bool holds(const Measurements& measured) const;
  [[nodiscard]] bool writing() const { return !writer_.idle(); }
  [[nodiscard]] std::string title() const;  // "lesson.tilescope", "lesson.tilescope *"
  [[nodiscard]] const std::vector<std::string>& recent() const { return recent_; }
  void remember_file(const std::string& file);

  // What a person must hear of; dismissed one by one.
  struct Notice {
    std::string words;
    bool is_error = false;
    bool offers_discard = false;  // of what was recovered
  };
  [[nodiscard]] std::vector<Notice>& notices() { return notices_; }

 private:
  void take_written(const WindowState& state);
  void keep_copy(WindowState& state, bool ended);
  void report_copy(const Status& kept);
  void remember_allowed(WindowState& state, const Variant& variant);
  void remember_text(const WindowState& state, const SharedText& text);
  void show(WindowState& state, LoadedSession loaded, const std::string& path);
  void set_aside(WindowState& state);
  [[nodiscard]] Document complete_document(const WindowState& state) const;
  void open_slot(WindowState& state, AutosaveSlot slot);
  [[nodiscard]] AutosaveSlot take_newest_left();  // precondition: there is one

  bool keep_;
  std::filesystem::path folder_;
  UndoHistory history_;
  Document saved_;  // as it stands in the file, or as it was opened
  Document kept_;   // as the copy was last written
  std::shared_ptr<const Measurements> saved_measured_;  // that the file has; nullptr: none
  Document started_;  // as it was before anybody touched it: nothing to keep
  std::string path_;
  std::optional<std::filesystem::file_time_type> path_time_;  // of the file as it is known here
  bool begun_ = false;
  bool absorb_next_ = false;  // the document was put there, not changed by hand
  bool clean_next_ = false;   // and stands in its file like that
  std::optional<double> due_;
  struct Held {
    Document document;                         // complete
    std::map<std::string, std::string> edits;  // Workbench::edits()
    bool fresh = false;                        // nobody has seen the active variant yet
  };
  std::optional<Held> held_;
  std::optional<AutosaveSlot> slot_;
  std::optional<AutosaveSlot> replaced_;  // what was recovered, until our own copy is written
  void look_at_newest_left(const WindowState& state);
  std::vector<AutosaveSlot> left_;
  std::string newest_left_;
  std::vector<std::string> recent_;
  std::vector<Notice> notices_;
  std::string copy_problem_;  // why no copy is kept, as it was said; empty: one is
  struct Saving {
    std::filesystem::path file;
    Document document;
  };
  std::optional<Saving> saving_;
  FileWriter writer_;
};

// The document as the window stands; `known`, an earlier one, shares its texts. Without the
// layout's text: layout_text_of() is slower and asked for when a file is written.
[[nodiscard]] Document document_of(const WindowState& state, const Document& known);
[[nodiscard]] SharedText layout_text_of();

// Makes the window show a document. Results that are known stay; the rest is computed anew.
enum class Applied : std::uint8_t {
  kContent,  // undo: where the panels stand and what is in sight stays
  kAll       // a file
};
void apply_document(const Document& document, WindowState& state, Applied what);

}  // namespace tilescope
