#include "emulator/executors/families.h"
#include "emulator/executors/lanes.h"

// mov, vector packing and unpacking, predicate logic, cvta.
namespace tilescope::TILESCOPE_ISA {
namespace {

struct Same {
  template <class T>
  T operator()(T a) const {
    return a;
  }
};

struct AddImmediate {  // cvta: to and from a window
  explicit AddImmediate(const MicroOp& op) : offset(static_cast<std::uint64_t>(op.immediate)) {}
  std::uint64_t operator()(std::uint64_t a) const { return a == 0 && zero_stays ? 0 : a + offset; }
  std::uint64_t offset;
  bool zero_stays = false;
};

struct IsSpace {  // a generic address in the window that begins at the immediate
  explicit IsSpace(const MicroOp& op) : window(static_cast<std::uint64_t>(op.immediate)) {}
  bool operator()(std::uint64_t a) const { return (a >> 32) == (window >> 32); }
  std::uint64_t window;
};
void execute_isspacep(const MicroOp& op, std::byte* registers, std::uint32_t mask,
                      ExecutionContext&) {
  const Row64* a = row_at<std::uint64_t>(registers, op.row[1]);
  const IsSpace inside(op);
  std::uint32_t lanes = collect_lanes([&](int l) { return inside(a[l]); });
  if (op.flags != 0) {  // .global: in none of the windows 0x7b.. to 0x7e..
    lanes = collect_lanes([&](int l) { return (a[l] >> 40) < 0x7bu || (a[l] >> 40) > 0x7eu; });
  }
  set_predicate(registers, op.row[0], lanes, mask);
}

// flags bit 0, 1: negate a, b. comparison of the key: and, or, xor, not, or kEq for a plain move.
template <int Kind>
void execute_predicate_logic(const MicroOp& op, std::byte* registers, std::uint32_t mask,
                             ExecutionContext&) {
  std::uint32_t a = predicate_at(registers, op.row[1]);
  std::uint32_t b = predicate_at(registers, op.row[2]);
  if ((op.flags & 1u) != 0) a = ~a;
  if ((op.flags & 2u) != 0) b = ~b;
  std::uint32_t result = a;
  if constexpr (Kind == 1) result = a & b;
  if constexpr (Kind == 2) result = a | b;
  if constexpr (Kind == 3) result = a ^ b;
  if constexpr (Kind == 4) result = ~a;
  set_predicate(registers, op.row[0], result, mask);
}

// One wide value to or from its parts, low part first; an unused part is a scratch row.
// Rows: the wide one in row[0], the parts in row[1 ..].
template <class Wide, int Parts>
void execute_pack(const MicroOp& op, std::byte* registers, std::uint32_t mask, ExecutionContext&) {
  constexpr int kBits = static_cast<int>(8 * sizeof(Wide)) / Parts;
  RowOf<Wide>* d = row_at<Wide>(registers, op.row[0]);
  alignas(64) RowOf<Wide> result[kLanes] = {};
  for (int part = 0; part < Parts; ++part) {
    const Row32* a = row_at<std::uint32_t>(registers, op.row[static_cast<std::size_t>(part) + 1]);
    TILESCOPE_LANES
    for (int l = 0; l < kLanes; ++l) {
      const Wide low = static_cast<Wide>(a[l]) & ((Wide{1} << kBits) - 1);
      result[l] |= static_cast<Wide>(low << (kBits * part));
    }
  }
  blend_row(d, result, mask);
}
template <class Wide, int Parts>
void execute_unpack(const MicroOp& op, std::byte* registers, std::uint32_t mask,
                    ExecutionContext&) {
  constexpr int kBits = static_cast<int>(8 * sizeof(Wide)) / Parts;
  alignas(64) RowOf<Wide> source[kLanes];
  std::memcpy(source, registers + op.row[0], sizeof source);
  for (int part = 0; part < Parts; ++part) {
    alignas(64) Row32 result[kLanes];
    TILESCOPE_LANES
    for (int l = 0; l < kLanes; ++l) {
      result[l] =
          static_cast<std::uint32_t>((source[l] >> (kBits * part)) & ((Wide{1} << kBits) - 1));
    }
    blend_row(row_at<std::uint32_t>(registers, op.row[static_cast<std::size_t>(part) + 1]), result,
              mask);
  }
}

Executor packing(const OperationKey& key) {
  const bool pack = key.operation == Operation::kPack;
  const unsigned bytes = bytes_of(key.type);
  using U32 = std::uint32_t;
  using U64 = std::uint64_t;
  if (bytes == 8 && key.vector == 2) return pack ? execute_pack<U64, 2> : execute_unpack<U64, 2>;
  if (bytes == 8 && key.vector == 4) return pack ? execute_pack<U64, 4> : execute_unpack<U64, 4>;
  if (bytes == 4 && key.vector == 2) return pack ? execute_pack<U32, 2> : execute_unpack<U32, 2>;
  if (bytes == 4 && key.vector == 4) return pack ? execute_pack<U32, 4> : execute_unpack<U32, 4>;
  if (bytes == 2 && key.vector == 2)
    return pack ? execute_pack<std::uint16_t, 2> : execute_unpack<std::uint16_t, 2>;
  return nullptr;
}

}  // namespace

Executor find_movement(const OperationKey& key) {
  switch (key.operation) {
    case Operation::kMove:
      if (key.type == DataType::kB128) return nullptr;
      return bytes_of(key.type) == 8 ? execute_unary<Same, std::uint64_t, std::uint64_t>
                                     : execute_unary<Same, std::uint32_t, std::uint32_t>;
    case Operation::kPredicateLogic:
      switch (key.comparison) {
        case Modifier::kAnd:
          return execute_predicate_logic<1>;
        case Modifier::kOr:
          return execute_predicate_logic<2>;
        case Modifier::kXor:
          return execute_predicate_logic<3>;
        case Modifier::kNot:
          return execute_predicate_logic<4>;
        default:
          return execute_predicate_logic<0>;
      }
    case Operation::kPack:
    case Operation::kUnpack:
      return packing(key);
    case Operation::kCvta:
      return execute_unary<AddImmediate, std::uint64_t, std::uint64_t>;
    case Operation::kIsspacep:
      return execute_isspacep;
    default:
      return nullptr;
  }
}

}  // namespace tilescope::TILESCOPE_ISA
