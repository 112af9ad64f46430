#include "session/exercise_progress.h"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <optional>
#include <string_view>
#include <utility>

#include "core/file.h"
#include "core/json_document.h"
#include "core/paths.h"

namespace tilescope {
namespace {

namespace fs = std::filesystem;

constexpr std::array<std::pair<ExerciseState, std::string_view>, 3> kStates{
    {{ExerciseState::kNotBegun, "not begun"},
     {ExerciseState::kFails, "fails"},
     {ExerciseState::kPasses, "passes"}}};

fs::path progress_file() { return data_directory() / "exercises.json"; }

ExerciseState parse_state(std::string_view name) {
  const auto* found =
      std::ranges::find(kStates, name, &std::pair<ExerciseState, std::string_view>::second);
  return found != kStates.end() ? found->first : ExerciseState::kNotBegun;
}

}  // namespace

std::string_view name_of(ExerciseState state) {
  return kStates[static_cast<std::size_t>(state)].second;
}

ExerciseProgress::Entry ExerciseProgress::of(const std::string& exercise) const {
  const auto found = entries.find(exercise);
  return found != entries.end() ? found->second : Entry{};
}

void ExerciseProgress::remember(const std::string& exercise, bool passes) {
  entries[exercise].state = passes ? ExerciseState::kPasses : ExerciseState::kFails;
}

const Exercise* ExerciseProgress::next(const ExerciseLibrary& library) const {
  const auto found = std::ranges::find_if(library.exercises, [&](const Exercise& exercise) {
    return of(exercise.name).state != ExerciseState::kPasses;
  });
  return found != library.exercises.end() ? &*found : nullptr;
}

ExerciseProgress load_exercise_progress() {
  using Node = JsonDocument::Node;
  auto progress = load_json_file(progress_file(), "exercises", "Delete it", [](const Node& root) {
    ExerciseProgress read;
    read.folder = root["folder"].text();
    for (const auto& [name, entry] : root["exercises"].members()) {
      read.entries[name] = {parse_state(entry["state"].text()),
                            static_cast<int>(entry["hints"].natural())};
    }
    return read;
  });
  return progress ? *std::move(progress) : ExerciseProgress{};
}

Status save_exercise_progress(const ExerciseProgress& progress) {
  nlohmann::json entries = nlohmann::json::object();
  for (const auto& [name, entry] : progress.entries) {
    entries[name] = {{"state", name_of(entry.state)}, {"hints", entry.hints}};
  }
  const nlohmann::json all = {{"folder", progress.folder.string()}, {"exercises", entries}};
  return write_own_file(progress_file(), all.dump(1) + "\n");
}

Result<WrittenExercises> write_exercises(const ExerciseLibrary& library, const fs::path& folder) {
  WrittenExercises count;
  for (const Exercise& exercise : library.exercises) {
    const fs::path file = folder / exercise.place;
    if (is_there(file)) {
      ++count.kept;
      continue;
    }
    const auto text = first_text(exercise);
    if (!text) return text.error();
    if (Status written = write_own_file(file, *text); !written) return written.error();
    ++count.written;
  }
  return count;
}

}  // namespace tilescope
