#include "emulator/checks/stored_value.h"

#include <algorithm>
#include <cstring>

#include "emulator/block/async_copies.h"

namespace tilescope {

std::uint64_t stored_value(const MicroOp& op, const std::byte* registers, unsigned lane,
                           unsigned first, unsigned bytes, const ExecutionContext& context) {
  const unsigned elements = op.extra_count;
  const unsigned size = op.bytes / elements;
  const unsigned cell_bytes = (op.flags & kWideRows) != 0 ? 8 : 4;
  std::uint64_t value = 0;
  if (size == bytes && elements <= 4) [[likely]] {
    std::memcpy(&value, registers + op.row[first / size + 1] + std::size_t{lane} * cell_bytes,
                bytes);
    return value;
  }
  for (unsigned done = 0; done < bytes;) {
    const unsigned k = (first + done) / size;
    const unsigned inside = (first + done) % size;
    const unsigned take = std::min(size - inside, bytes - done);
    const std::uint32_t row = elements > 4 ? further_row(op, context, k) : op.row[k + 1];
    std::memcpy(reinterpret_cast<std::byte*>(&value) + done,
                registers + row + std::size_t{lane} * cell_bytes + inside, take);
    done += take;
  }
  return value;
}

}  // namespace tilescope
