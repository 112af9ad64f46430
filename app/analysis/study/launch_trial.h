#pragma once
#include <cstdint>
#include <stop_token>
#include <string>
#include <vector>

#include "core/device_table.h"
#include "core/result.h"
#include "kernel/launch/launch_form.h"

namespace tilescope {

struct LaunchToTry {
  KernelFile file;
  LaunchForm guess;
  std::vector<std::string> defines = {};  // NAME=VALUE
  DeviceModel device = {};                // that it is compiled for
  // Its machine code will be asked for, too: one compilation gives both, and its registers say
  // which block fits.
  bool with_machine_code = false;
};

// A guessed launch after it was tried on a few blocks.
struct LaunchTrial {
  LaunchForm launch;
  // The corrections in one line: "n from 1 to 1,024; a from zeros to random numbers". Empty: none.
  std::string corrections;
  // Warp instructions of the whole launch, scaled from the tried blocks: which of a file's kernels
  // does most. 0 where the middle block, which pictures show, has nothing to do; a millionth of
  // them where no buffer is accessed.
  double warp_instructions = 0;
  // Whether problems of the kernel may come from the launch (analysis/study/guessed_findings.h).
  bool is_made_up = false;
};

// Emulates the first, the last and one more block of the launch, each for at most some million warp
// instructions, and corrects what the guess got wrong, until nothing is left to correct:
// - a buffer that is exceeded grows, up to 64 MiB, but not for a little past its end in the last
//   block, unless a number is called halo or ghost; one of offsets of rows, by their names, gets
//   one more than there are rows, and these four elements each;
// - buffers that pointers in buffers lead to grow likewise, and there are more structures with such
//   pointers where one of them leads nowhere;
// - sizes that make a loop endless, or a buffer larger than that, shrink, and the grid with them;
//   a loop that only longer rows end gets these; where there is no size, the grid alone shrinks;
// - where no thread accesses global memory, whole numbers that were guessed as 1 become 1,024;
//   also a single one, where four times as many threads then access memory, and what the host
//   computes of others follows them;
// - sizes shrink no further than the kernel asserts; one that asserts something else is tried with
//   a single block;
// - dynamic shared memory grows to what is accessed, to a thirty-second; a block that is larger
//   than the kernel's shared arrays shrinks, and one that uses words of them that nobody writes
//   shrinks or grows;
// - a grid that meets as a whole (this_grid().sync()) shrinks to a block for each SM;
// - what the text does not tell of the arguments is taken from the compiled kernel;
// - a plane that stores beyond its buffers gets fewer blocks: each covers more than it has threads;
//   PTX of several sizes gets more, until the last one stores nothing or exceeds something;
// - an offset of 1, or a buffer of indices, with which something is exceeded becomes 0; a limit of
//   1 that lets threads' lists run into each other becomes a hundredth, or less;
// - a grid of numbers whose last and middle blocks have nothing to do shrinks to half, until they
//   do;
// - places that are read, and into which several threads store, become all different;
// - buffers that are read hold random numbers, or where they hold whole numbers a ramp, or letters
//   in plain char.
// The file's own block and shared memory stay, and its sizes do not go below 1,024.
// Compiles, and emulates for a second or two. Fails where the guess cannot be launched or compiled.
[[nodiscard]] Result<LaunchTrial> try_launch(const LaunchToTry& launch,
                                             const std::stop_token& stop);

}  // namespace tilescope
