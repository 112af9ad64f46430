#pragma once
#include <cstdint>

#include "ptx/data_type.h"
#include "ptx/modifiers.h"

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
  kVideo,
  // floating point
  kSqrt,
  kRcp,
  kRsqrt,
  kSin,
  kCos,
  kSinTurns,  // the hardware's own: of lifted machine code
  kCosTurns,
  kEx2,
  kLg2,
  kTanh,
  kPackedFloat,  // add, sub, mul, fma of f32x2: comparison says which
  kMixedFloat,   // add, sub, fma of f32 with f16 or bf16 operands
  kRareExtreme,  // min, max of three, or with .xorsign or .abs
  kCopysign,
  kTestp,
  // choice and movement
  kSetp,
  kSet,
  kSelp,
  kSlct,
  kMove,
  kPredicateLogic,
  kConvert,
  kConvertNarrow,  // to and from formats narrower than f32; MicroOp::immediate says how
  kConvertPack,
  kClock,
  kPack,
  kUnpack,
  // memory
  kLoad,
  kStore,
  kAtomic,
  kReduction,
  kVectorAtomic,
  kPairAtomic,  // of 128 bits
  kAsyncCopy,
  kLoadMatrix,
  kStoreMatrix,
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
  kMbarrierPending,
  kBulkCopy,
  kBulkStore,
  kAsyncStore,
  kAsyncReduction,
  // addresses of a cluster
  kMapRank,
  kRankOf,
  kIsOwnShared,
  // convergence barriers of machine code
  kConvergenceStart,
  kConvergenceBreak,
  kConvergenceSave,
  kConvergenceRestore,
  kConvergenceTest,
  // matrices
  kMma,
  kMoveMatrix,
  kMatrixProduct,     // any shape and type; MicroOp::immediate says which
  kWarpgroupProduct,  // likewise
  kLoadFragment,
  kStoreFragment,
  // calls
  kCopyParameter,
  kLeaveFrame,
  kUnsupported,
};

// Where an address points, as far as the instruction says.
enum class AddressForm : std::uint8_t { kWide, kNarrow };  // a 64-bit or a 32-bit row

// Names one executor. Fields that an operation does not use are left at their defaults.
struct OperationKey {
  Operation operation = Operation::kNothing;
  Operation second = Operation::kNothing;  // what a packed or mixed operation computes
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
