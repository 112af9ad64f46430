#pragma once

#include <string>

namespace tilescope {

struct Lesson;
struct WindowState;

// Writes a lesson and its translations as a page into the person's home folder, on a job;
// WindowState::lesson_export says how it goes.
void export_lesson_page(WindowState& state, const Lesson& lesson);
// "Writing a page: step 3 of 8 …", "Written: …, 1.2 MiB", or what went wrong; empty: none was asked
// for.
[[nodiscard]] std::string lesson_export_words(const WindowState& state);

}  // namespace tilescope
