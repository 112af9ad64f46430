#pragma once
#include <memory>
#include <vector>

#include "emulator/checks/launch_check.h"
#include "emulator/execution/thread_block.h"

namespace tilescope {

// The checkers of a block, attached to it as observers. Those of faults and barriers always are;
// `launch`, where there is one, adds those that need a memory of who accessed what.
class BlockChecks {
 public:
  BlockChecks(ThreadBlock& block, LaunchCheck* launch);
  ~BlockChecks();
  BlockChecks(const BlockChecks&) = delete;
  BlockChecks& operator=(const BlockChecks&) = delete;

 private:
  struct Checked;  // what the checkers of a launch that is checked share

  template <class Check, class... Arguments>
  void add(Arguments&&... arguments);

  std::unique_ptr<Checked> checked_;
  std::vector<std::unique_ptr<BlockObserver>> checks_;
};

}  // namespace tilescope
