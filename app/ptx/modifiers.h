#pragma once
#include <algorithm>
#include <array>
#include <bitset>
#include <cstdint>
#include <optional>
#include <string_view>

#include "ptx/data_type.h"

namespace tilescope {

// Every word that can follow an opcode's mnemonic, except types. The spelling is in modifiers.cpp;
// the two lists have the same order.
enum class Modifier : std::uint8_t {
  // rounding
  kRn,
  kRz,
  kRm,
  kRp,
  kRna,
  kRni,
  kRzi,
  kRmi,
  kRpi,
  // arithmetic
  kFtz,
  kSat,
  kSatfinite,
  kRelu,
  kApprox,
  kFull,
  kNan,
  kXorsign,
  kAbs,
  kNoftz,
  kOob,
  kCc,
  kLo,
  kHi,
  kWide,
  kShiftamt,
  kClamp,
  kWrap,
  // comparison and boolean
  kEq,
  kNe,
  kLt,
  kLe,
  kGt,
  kGe,
  kLs,
  kHs,
  kEqu,
  kNeu,
  kLtu,
  kLeu,
  kGtu,
  kGeu,
  kNum,
  kNanTest,
  kAnd,
  kOr,
  kXor,
  kNot,
  // testp
  kFinite,
  kInfinite,
  kNumber,
  kNotanumber,
  kNormal,
  kSubnormal,
  // prmt
  kF4e,
  kB4e,
  kRc8,
  kEcl,
  kEcr,
  kRc16,
  // spaces
  kGlobal,
  kShared,
  kSharedCta,
  kSharedCluster,
  kLocal,
  kConst,
  kParam,
  kParamEntry,
  kParamFunc,
  // memory
  kV2,
  kV4,
  kV8,
  kNc,
  kVolatile,
  kWeak,
  kRelaxed,
  kAcquire,
  kRelease,
  kAcqRel,
  kSc,
  kMmio,
  kScopeCta,
  kScopeCluster,
  kScopeGpu,
  kScopeSys,
  kCa,
  kCg,
  kCs,
  kCv,
  kLu,
  kWb,
  kWt,
  kL1EvictNormal,
  kL1EvictUnchanged,
  kL1EvictFirst,
  kL1EvictLast,
  kL1NoAllocate,
  kL2EvictNormal,
  kL2EvictFirst,
  kL2EvictLast,
  kL2CacheHint,
  kL264B,
  kL2128B,
  kL2256B,
  kUnified,
  kL1,
  kL2,
  kTo,
  // atomics
  kAdd,
  kMin,
  kMax,
  kInc,
  kDec,
  kExch,
  kCas,
  // control, synchronisation
  kUni,
  kSync,
  kAligned,
  kArrive,
  kRed,
  kWarp,
  kGl,
  kPopc,
  kIdx,
  // warp
  kUp,
  kDown,
  kBfly,
  kAll,
  kAny,
  kBallot,
  kMatch,
  // asynchronous copies, mbarrier
  kAsync,
  kCommitGroup,
  kWaitGroup,
  kWaitAll,
  kBulk,
  kTensor,
  kMbarrier,
  kInit,
  kInval,
  kExpectTx,
  kArriveDrop,
  kTestWait,
  kTryWait,
  kParity,
  kNoComplete,
  kNoinc,
  kCompleteTx,
  kPendingCount,
  kB64State,
  // matrices
  kM8n8k4,
  kM8n8k16,
  kM8n8k32,
  kM16n8k4,
  kM16n8k8,
  kM16n8k16,
  kM16n8k32,
  kM8n8,
  kM16n16k16,
  kM32n8k16,
  kM8n32k16,
  kM16n16k8,
  kX1,
  kX2,
  kX4,
  kTrans,
  kRow,
  kCol,
  kLoad,
  kStore,
  kMma,
  kA,
  kB,
  kC,
  kD,
  kProxy,
  kAlias,
  kFunnelL,
  kFunnelR,
  // more of those above; kWords has the same order
  kPo,
  kShr7,
  kShr15,
  kWait,
  kLaunchDependents,
  kMbarrierInit,
  kAsyncGeneric,
  kTensormapGeneric,
  kTensormap,
  kCompleteTxBytes,
  kMbarrierArriveOne,
  kBulkGroup,
  kRead,
  kMulticastCluster,
  kCpMask,
  kM8n8k128,
  kM16n8k64,
  kM16n8k128,
  kM16n8k256,
  kKindF8f6f4,
  kFractional,
  kL2EvictUnchanged,
  kSyncRestrictCta,
  kSyncRestrictCluster,
  kPack,
  kPrefetch,
  kWarpgroupShape,
  kFenceWord,
  kMmaAsync,
  kCount,
};

using ModifierSet = std::bitset<static_cast<std::size_t>(Modifier::kCount)>;

// What stands after the mnemonic, taken apart.
struct Modifiers {
  ModifierSet set;
  std::array<DataType, 4> types{};
  unsigned type_count = 0;

  [[nodiscard]] bool has(Modifier modifier) const {
    return set[static_cast<std::size_t>(modifier)];
  }
  [[nodiscard]] DataType type(unsigned index) const {
    return index < type_count ? types[index] : DataType::kNone;
  }
  [[nodiscard]] DataType last_type() const {
    return type_count == 0 ? DataType::kNone : types[type_count - 1];
  }
  [[nodiscard]] bool has_type(DataType type) const {
    return std::find(types.begin(), types.begin() + type_count, type) != types.begin() + type_count;
  }
};

[[nodiscard]] std::string_view name_of(Modifier modifier);
[[nodiscard]] std::optional<Modifier> parse_modifier(std::string_view word);

// ".lo.s32" -> {lo}, {s32}. On an unknown word, or a fifth type, `unknown` names it.
[[nodiscard]] std::optional<Modifiers> parse_modifiers(std::string_view suffix,
                                                       std::string_view* unknown);

// "rn rz ftz" -> the set. Precondition: every word is a modifier.
[[nodiscard]] ModifierSet modifier_set(std::string_view words);

}  // namespace tilescope
