#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/result.h"
#include "core/word_search.h"
#include "kernel/catalogue/problem.h"

namespace tilescope {

// Where a term can be seen: a view of a kernel of the catalogue.
struct GlossaryExample {
  std::string view;    // "banks"
  std::string kernel;  // "transpose/tiled"
  ParameterSet parameters;
};
// "banks of transpose/tiled with PAD = 0"
[[nodiscard]] std::string words_of(const GlossaryExample& example);

struct GlossaryEntry {
  std::string group;                      // "Shared memory"
  std::string term;                       // "Bank conflict"
  std::vector<std::string> also = {};     // other names, as people type them
  std::string unit = {};                  // empty: it is not a number
  std::string counted = {};               // how this program counts it
  std::vector<std::string> metrics = {};  // of Nsight Compute; '*' stands for any characters
  std::optional<GlossaryExample> example = std::nullopt;
  std::string lesson = {};      // that teaches it; empty: session/taught_term.h finds one
  std::string definition = {};  // one to three sentences
};
// What a search finds the entry by.
[[nodiscard]] SearchedText searched_text(const GlossaryEntry& entry);
// The first sentence of the definition.
[[nodiscard]] std::string_view short_definition(const GlossaryEntry& entry);

// The terms and metrics that the program shows, as assets/glossary.md explains them. The text has
// groups ("# Group") of entries ("## Term"); an entry has lines "Also:", "Unit:", "Counted:",
// "Metric:", "Try:", "Lesson:", each at most once, then its definition.
class Glossary {
 public:
  // kUsage with file and line: the text is malformed, or a term is there twice.
  [[nodiscard]] static Result<Glossary> read(std::string_view text, const std::string& file);
  // The same; kMachine: the file cannot be read.
  [[nodiscard]] static Result<Glossary> load(const std::filesystem::path& file);
  // Of resource_directory().
  [[nodiscard]] static Result<Glossary> load_shipped();

  [[nodiscard]] const std::vector<GlossaryEntry>& entries() const { return entries_; }
  // The entry of this term, of this other name, or of this metric; case is ignored. nullptr: none.
  [[nodiscard]] const GlossaryEntry* find(std::string_view name) const;
  // The entry whose pattern fits the metric's full name best; nullptr: none does.
  [[nodiscard]] const GlossaryEntry* of_metric(std::string_view metric) const;
  // The entries that match all words, the best first (core/word_search.h); a name that find() knows
  // is first.
  [[nodiscard]] std::vector<const GlossaryEntry*> search(std::string_view words) const;

 private:
  std::vector<GlossaryEntry> entries_;
};

}  // namespace tilescope
