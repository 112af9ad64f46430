#pragma once
#include <cstdint>
#include <deque>
#include <optional>
#include <string>

#include "session/document.h"

namespace tilescope {

// What differs between two documents, as a person would call it.
struct Change {
  // How it joins the change before it, where that has the same key.
  enum class Joins : std::uint8_t {
    kNo,
    kWithinASecond,  // typed or turned
    kAlways          // time moving on
  };
  std::string name;  // "TILE_K 16"
  std::string key;   // what was changed
  Joins joins = Joins::kNo;
};
// Precondition: !same_content(before, after).
[[nodiscard]] Change change_between(const Document& before, const Document& after);

// Every change of the document, back to where it was opened, up to kMostUndoSteps. Documents share
// their texts, so a step costs a few hundred bytes beside a text that it changed; the oldest are
// forgotten when those texts grow past kMostUndoBytes.
inline constexpr std::size_t kMostUndoSteps = 500;
inline constexpr std::size_t kMostUndoBytes = std::size_t{64} << 20;

class UndoHistory {
 public:
  // Forgets all; nothing can be undone before `document`.
  void start(Document document);
  [[nodiscard]] const Document& present() const { return present_; }

  // The document as it stands after a person may have acted; a difference is a step. While `held`
  // (a mouse button is down) all of them are one. `seconds`: a clock that runs on. Moving through
  // time alone leaves what was undone to be redone.
  void observe(const Document& document, double seconds, bool held);
  // As it stands after it changed by itself: no step.
  void absorb(Document document) { present_ = std::move(document); }

  [[nodiscard]] const std::string* undo_name() const;  // nullptr: there is nothing to undo
  [[nodiscard]] const std::string* redo_name() const;
  // The document to go back or on to; nullopt: there is none.
  [[nodiscard]] std::optional<Document> undo();
  [[nodiscard]] std::optional<Document> redo();
  [[nodiscard]] std::size_t depth() const { return undo_.size(); }

 private:
  struct Step {
    Document document;  // before the change, in undo_; after it, in redo_
    Change change;
    double seconds = 0;
  };
  void forget_oldest();

  Document present_;
  std::deque<Step> undo_;
  std::deque<Step> redo_;
  bool holding_ = false;  // the last step was made while held, and still is
};

}  // namespace tilescope
