#pragma once
#include <string>

namespace tilescope {

// "Each wavefront feeds ..." as it stands inside a sentence: "each wavefront feeds ...". Names such
// as "FP32" keep their capitals.
[[nodiscard]] std::string inside_a_sentence(std::string fact);

}  // namespace tilescope
