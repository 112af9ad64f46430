#pragma once
#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "core/result.h"
#include "corpus.h"
#include "kernel/compile/compile.h"

namespace tilescope {

// The probes are many launches of one instruction each, which differ in macros alone: the text is
// compiled once for up to 48 launches of a kernel, each in a namespace of its own, for a
// compilation and a disassembly take 0.4 s, and the emulation of a probe nothing. The machine code
// of each is as it is compiled alone; where it were not, no recorded counter would be compared with
// it.
class ProbeModules {
 public:
  explicit ProbeModules(const std::vector<CorpusLaunch>& launches);

  // Whether the launch is a probe: NAME<0> of a file probe_*.cu.
  [[nodiscard]] static bool holds(const CorpusLaunch& launch);
  // With the cubin, of one of the launches that this was made of. Not thread-safe.
  [[nodiscard]] Result<CompiledKernel> compile(const CorpusLaunch& launch, int compute_capability);

 private:
  struct Place {
    std::size_t module = 0;
    std::size_t index = 0;  // in it
  };
  std::vector<std::vector<const CorpusLaunch*>> modules_;
  std::map<std::string, Place> places_;  // by the launch's name
  std::map<std::size_t, Result<CompiledKernel>> compiled_;
};

}  // namespace tilescope
