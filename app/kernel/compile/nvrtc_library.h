#pragma once

#include <cstddef>
#include <memory>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "core/result.h"
#include "kernel/compile/nvrtc_facts.h"

namespace tilescope {

// NVIDIA's run-time compiler, loaded when it is first asked for. It needs no GPU and no driver. A
// source can crash it and the process that it is in, or keep it busy for ever: only the processes
// of kernel/compile/nvrtc_process.h load it. Immutable once loaded.
class NvrtcLibrary {
 public:
  // The one that $TILESCOPE_NVRTC names (a file or its folder), else what the loader finds, else
  // what lies in CUDA's usual places. kMachine with what to do when there is none.
  [[nodiscard]] static Result<std::shared_ptr<const NvrtcLibrary>> load();
  // The file that load() tries first; empty: it leaves the choice to the loader.
  [[nodiscard]] static std::filesystem::path first_file();

  ~NvrtcLibrary();
  NvrtcLibrary(const NvrtcLibrary&) = delete;
  NvrtcLibrary& operator=(const NvrtcLibrary&) = delete;

  [[nodiscard]] const NvrtcFacts& facts() const { return facts_; }

  struct Input {
    std::string name;  // as the log names the source
    std::string source;
    std::vector<std::pair<std::string, std::string>> headers;  // as named in #include, with text
    std::vector<std::string> options;
    std::string kernel;  // a name expression; empty: none is asked for
    // All that goes into it is here, CUDA's own headers aside; else NVRTC reads other files too.
    bool is_closed = false;
  };
  struct Output {
    bool compiled = false;
    std::string log;
    std::string ptx;
    std::vector<std::byte> cubin;  // for -arch=sm_NN
    std::string lowered_name;      // of Input::kernel
  };
  // Fails for kCancelled and for what is no matter of the source; a source with errors is an
  // Output that did not compile, with the log.
  [[nodiscard]] Result<Output> compile(const Input& input, const std::stop_token& stop) const;

 private:
  struct Functions;
  explicit NvrtcLibrary(std::unique_ptr<Functions> functions);
  [[nodiscard]] Result<Output> collect(void* program, bool compiled,
                                       const std::string& kernel) const;

  std::unique_ptr<Functions> functions_;
  NvrtcFacts facts_;
};

}  // namespace tilescope
