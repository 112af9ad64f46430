#pragma once
#include <cstdint>
#include <string_view>

#include "core/result.h"
#include "ptx/syntax.h"

namespace tilescope {

// Reads a PTX module. The views in the result point into `text`, which must outlive it.
// Errors (kCompile) carry the line. Any text is answered in time linear in its length.
[[nodiscard]] Result<PtxModule> parse_ptx(std::string_view text);

// The same of a text that need not be right: what cannot be read is left out. Without bodies, its
// functions are declarations alone, which takes next to no time.
enum class PtxBodies : std::uint8_t { kRead, kSkip };
[[nodiscard]] PtxModule read_what_is_ptx(std::string_view text, PtxBodies bodies);

}  // namespace tilescope
