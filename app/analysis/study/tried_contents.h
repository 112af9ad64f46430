#pragma once

#include "analysis/study/tried_launch.h"

namespace tilescope {

// What the buffers and the single numbers of a tried launch hold, where nothing is known of it.
// `observed`: of the launch as it is; each of these follows it.

// Random numbers, or a ramp of whole ones, for what is read and would be zero.
void fill_what_is_read(TriedLaunch& tried, TrialRun* observed);

// Of a launch that exceeds a buffer: what the host writes may be indices of arrays that are larger
// than those here, an offset of 1 becomes 0, places in a buffer are all the first, or it holds
// letters.
void clear_what_exceeds(TriedLaunch& tried, TrialRun* observed);

// Of a launch whose threads store into one place: places that are read become all different, unless
// what is stored is read, too, as sums are.
void spread_places(TriedLaunch& tried, TrialRun* observed);

// A number that nothing is known of may be a limit, a cutoff, and let more pass than a list has
// places for: threads whose lists run into each other seem to race. With a hundredth of it, or
// less, they do not; what else is computed with it still differs.
void lower_limits(TriedLaunch& tried, TrialRun* observed);

}  // namespace tilescope
