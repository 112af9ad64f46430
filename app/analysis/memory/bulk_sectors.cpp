#include "analysis/memory/bulk_sectors.h"

#include <algorithm>

#include "analysis/memory/coalescing.h"

namespace tilescope {

std::uint64_t bulk_sectors(std::span<const BulkCopy> pieces) {
  std::uint64_t sectors = 0;
  std::uint64_t end = 0;   // of what goes on: in global memory
  std::uint64_t line = 0;  // and its line of shared memory
  for (const BulkCopy& piece : pieces) {
    for (std::uint64_t done = 0; done < piece.bytes;) {
      const std::uint64_t shared = piece.shared + done;
      const std::uint64_t bytes =
          std::min<std::uint64_t>(kLineBytes - shared % kLineBytes, piece.bytes - done);
      const std::uint64_t first = piece.global + done;
      const std::uint64_t last = first + bytes - 1;
      sectors += last / kSectorBytes - first / kSectorBytes + 1;
      // A swizzle moves pieces within a line: they are asked for together.
      const bool goes_on = first == end && shared / kLineBytes == line;
      if (goes_on && first % kSectorBytes != 0) --sectors;
      end = first + bytes;
      line = shared / kLineBytes;
      done += bytes;
    }
  }
  return sectors;
}

}  // namespace tilescope
