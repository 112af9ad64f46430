#pragma once

#include <string>

#include "kernel/catalogue/catalogue.h"
#include "kernel/launch/gemm_factors.h"
#include "scene/view/view.h"

namespace tilescope {

struct WindowState;

// Opens the text of the clipboard as a kernel of the user's own; where it holds none, a note says
// so.
void paste_kernel(WindowState& state);

// Opens a small kernel of the user's own to start from, and lets them write in it.
void start_kernel(WindowState& state);

// Lets the user type another name for an own kernel, in the list; without it for the active one.
void ask_for_name(WindowState& state, const std::string& file);
void ask_for_name_of_active(WindowState& state);

// Opens a session, or a kernel; where that fails, a notice says why and nothing else has changed.
// What takes long to read is opened in a later frame, by finish_opening().
void open_path(WindowState& state, const std::string& path);
void finish_opening(WindowState& state);  // once a frame

// Brings the next error or finding of the source in sight, or the one before (by -1), from the one
// that was sought last; after the last one comes the first.
void go_to_problem(WindowState& state, int by);

// Brings the next line with a finding in sight, and selects where it was made.
void go_to_finding(WindowState& state);

// CUDA, PTX and SASS side by side, with the source in the middle of the window; or one at a time.
void set_side_by_side(WindowState& state, bool on);

// The view of the kernel, with these values of its parameters.
void show_example(WindowState& state, const CatalogueEntry& entry, View view,
                  const ParameterSet& changes);

// Lecture mode. Where the session has scenes it presents them, from the selected one on; switched
// off, what is shown then stays.
void set_lecture(WindowState& state, bool on);

// Lets the person type another name, or the note, of the selected scene in the list.
void rename_scene(WindowState& state);
void write_scene_note(WindowState& state);

// Help with its terms and keys, at this term of the glossary; "": where it was.
void open_help(WindowState& state, const std::string& term = "");
// F1: closes it, or opens it at the term under the pointer.
void toggle_help(WindowState& state);

// The panels as they are built, each where it belongs.
void reset_layout(WindowState& state);

// alpha and beta of the product in front, as far as they are named; of another kernel a note says
// that it has none.
void choose_factors(WindowState& state, const GemmFactors& factors);

// The selected lane, warp or block, so many further; it stops at the first and the last. A block
// goes by one.
void move_lane(WindowState& state, int by);
void move_warp(WindowState& state, int by);
void move_block(WindowState& state, int by);

// The view's picture, where it can be zoomed: Tiling's matrices, Pipeline's time. By 0: all of it.
void zoom_view(WindowState& state, float factor);
// What is seen of Tiling's matrices, by this part of it.
void move_view(WindowState& state, float across, float down);

// Text and all that goes with it, larger by this factor; 0: as it is by itself.
void scale_text(WindowState& state, float factor);

}  // namespace tilescope
