#pragma once
#include <cstdint>

#include "emulator/data_type.h"
#include "emulator/modifiers.h"

namespace tilescope {

// What an executor computes, apart from types and modifiers.
enum class Operation : std::uint8_t {
  // integer and float
  kAdd,
  kSub,
  kMul,
  kMulHi,
  kMulWide,
  kMul24,
  kMul24Hi,
  kMad,
  kMadHi,
  kMadWide,
  kMad24,
  kMad24Hi,
  kFma,
  kDiv,
  kRem,
  kAbs,
  kNeg,
  kMin,
  kMax,
  kSad,
  kDp4a,
  kDp2a,
  kAddCarry,
  kSubCarry,
  kMadCarry,
  kMadHiCarry,  // add.cc, addc, ...: flags in OperationKey
  // bits
  kAnd,
  kOr,
  kXor,
  kNot,
  kCnot,
  kLop3,
  kShl,
  kShr,
  kFunnelLeft,
  kFunnelRight,
  kBfe,
  kBfi,
  kBfind,
  kBfindShift,
  kBrev,
  kPopc,
  kClz,
  kPrmt,
  kFns,
  kBmsk,
  kSzext,
  // floating point
  kSqrt,
  kRcp,
  kRsqrt,
  kSin,
  kCos,
  kEx2,
  kLg2,
  kTanh,
  kCopysign,
  kTestp,
  // choice and movement
  kSetp,
  kSet,
  kSelp,
  kSlct,
  kMove,
  kMovePredicate,
  kPredicateLogic,
  kConvert,
  kClock,
  kPack,
  kUnpack,
  // memory
  kLoad,
  kStore,
  kAtomic,
  kReduction,
  kAsyncCopy,
  kLoadMatrix,
  kStoreMatrix,
  kCvtaTo,
  kCvta,
  kIsspacep,
  // warp
  kShuffle,
  kVote,
  kBallot,
  kMatchAny,
  kMatchAll,
  kRedux,
  kActivemask,
  kElect,
  // synchronisation inside a block's code (barriers are terminators)
  kNothing,
  kCommitGroup,
  kWaitGroup,
  kWaitAll,
  kMbarrierInit,
  kMbarrierArrive,
  kMbarrierTest,
  kMbarrierCpAsync,
  kMbarrierExpect,
  // matrices
  kMma,
  kMoveMatrix,
  // calls
  kCopyParameter,
  kPrint,
  kUnsupported,
};

// Where an address points, as far as the instruction says.
enum class AddressForm : std::uint8_t { kWide, kNarrow };  // a 64-bit or a 32-bit row

// Names one executor. Fields that an operation does not use are left at their defaults.
struct OperationKey {
  Operation operation = Operation::kNothing;
  DataType type = DataType::kNone;         // of the result, or of both
  DataType source_type = DataType::kNone;  // where it differs
  Modifier rounding = Modifier::kRn;
  Modifier comparison = Modifier::kEq;  // setp, set; also the mode of prmt, shfl, vote, atom
  Modifier combine = Modifier::kCount;  // and, or, xor of setp; kCount: none
  bool ftz = false;
  bool saturate = false;
  bool approximate = false;
  bool nan = false;  // min.NaN: a NaN wins
  bool relu = false;
  bool carry_in = false;
  bool carry_out = false;
  bool clamp = false;
  bool wide_result = false;  // the destination row has 64 bits where the type has fewer
  bool wide_source = false;
  unsigned vector = 1;
  MemorySpace space = MemorySpace::kNone;
  AddressForm address = AddressForm::kWide;
};

}  // namespace tilescope
