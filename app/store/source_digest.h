#pragma once
#include <string>
#include <string_view>

namespace tilescope {

// A digest of a kernel's source, equal for sources that differ only in comments, white space and
// TILESCOPE_PHASE marks, which change nothing that is timed. 32 hexadecimal digits.
[[nodiscard]] std::string kernel_source_hash(std::string_view cuda_source);

// A digest of a text, byte for byte. 32 hexadecimal digits.
[[nodiscard]] std::string text_digest(std::string_view text);

}  // namespace tilescope
