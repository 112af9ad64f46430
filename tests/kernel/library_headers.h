#pragma once
#include <string_view>

namespace tilescope {

// Whether a compiler's message is about a header of cuRAND, which a toolkit brings and NVIDIA's
// packages of the compiler alone do not: the test is to be skipped.
inline bool lacks_curand(std::string_view message) {
  return message.find("cannot open source file \"curand") != std::string_view::npos;
}

}  // namespace tilescope
