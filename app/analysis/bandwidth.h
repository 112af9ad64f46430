#pragma once

namespace tilescope {

// A rule of thumb for a kernel that moves more than it computes, by the part of the memory's
// bandwidth that it reaches, in percent: from 40 "okay", from 60 "good", above 75 "excellent",
// below 40 "low". From the course notes (001) in docs/seeds.md.
[[nodiscard]] const char* bandwidth_verdict(double percent);

}  // namespace tilescope
