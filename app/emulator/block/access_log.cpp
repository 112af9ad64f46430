#include "emulator/block/access_log.h"

namespace tilescope {

void AccessLog::go_on() {
  next_ = list_.add_chunk();
  end_ = next_ + AccessList::kChunk;
  full_ += AccessList::kChunk;
}

}  // namespace tilescope
