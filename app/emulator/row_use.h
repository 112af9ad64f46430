#pragma once
#include <cstdint>

#include "emulator/operation.h"

namespace tilescope {

// What an operation does with its rows: some it writes, the other used ones it reads.
struct RowUse {
  std::uint8_t used = 0;           // bit i: MicroOp::row[i] means something
  std::uint8_t written = 0;        // of those
  std::uint8_t extra_written = 0;  // the first so many of the further rows are written
  bool updates_extra = false;      // ... after they were read
  Operation operation = Operation::kNothing;
  Modifier mode = Modifier::kEq;  // OperationKey::comparison
  bool transposes = false;        // ldmatrix, stmatrix: .trans
};

}  // namespace tilescope
