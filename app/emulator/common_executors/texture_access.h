#pragma once
#include <cstdint>

#include "emulator/micro_operation.h"

namespace tilescope {

// What a texture or surface instruction says besides its operands; MicroOp::immediate holds it.
// Rows: row[0] is the object; Code::rows has the results or, of a store, nothing, then the layer,
// where there is one, the coordinates and, of a store, what is stored.
struct TextureAccess {
  enum class Query : std::uint8_t { kWidth, kHeight, kDepth, kLayers };
  enum class Edge : std::uint8_t { kTrap, kClamp, kZero };  // of surfaces

  std::uint8_t results = 0;     // rows
  std::uint8_t dimensions = 1;  // coordinates that count; 3 of a cube
  bool is_layered = false;
  bool is_cube = false;
  bool has_integer_coordinates = false;
  bool gives_floats = false;
  std::uint8_t detail = 0;         // component of tld4, Query, Edge
  std::uint8_t element_bytes = 0;  // surfaces: of each row
};
static_assert(sizeof(TextureAccess) == sizeof MicroOp::immediate);

}  // namespace tilescope
