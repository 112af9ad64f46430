#pragma once

#include <cstddef>
#include <set>
#include <string_view>
#include <vector>

#include "kernel/text/cuda_lexer.h"

namespace tilescope {

// Which text an #ifdef or #ifndef leaves out, as far as the file's own #defines say. An #if takes
// what it is about.
class ConditionalText {
 public:
  // The words of the next directive, without its #.
  void read(const std::vector<CudaToken>& words);

  // How many conditions are open.
  [[nodiscard]] std::size_t depth() const { return left_out_.size(); }

  // Whether one of the open conditions from `first` on leaves out what follows.
  [[nodiscard]] bool leaves_out(std::size_t first = 0) const;

 private:
  std::set<std::string_view> defined_;
  std::vector<bool> left_out_;  // by open condition
};

// Without the directives between round brackets, and without the text there that they leave out:
// parameters and arguments as the compiler sees them.
[[nodiscard]] std::vector<CudaToken> with_plain_lists(const std::vector<CudaToken>& tokens);

}  // namespace tilescope
