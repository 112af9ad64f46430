#include "emulator/decode/instruction_table.h"

#include <algorithm>
#include <array>
#include <unordered_map>
#include <vector>

#include "emulator/decode/decode_functions.h"

namespace tilescope {
namespace {

using enum InstructionClass;
using enum Synchronisation;
using Op = Operation;
constexpr auto kSpecial = ExecutionUnit::kSpecial;
constexpr auto kMultiply = ExecutionUnit::kMultiply;

constexpr std::string_view kIntegers = "u16 s16 u32 s32 u64 s64";
constexpr std::string_view kFloats = "f32 f64";
constexpr std::string_view kHalves = "f16 f16x2 bf16 bf16x2";
constexpr std::string_view kWords = "b16 b32 b64";
constexpr std::string_view kWords8 = "b8 b16 b32 b64";
constexpr std::string_view kRound = "rn rz rm rp ftz sat";
constexpr std::string_view kCompare =
    "eq ne lt le gt ge lo ls hi hs equ neu ltu leu gtu geu num nan and or xor ftz";
constexpr std::string_view kAllData =
    "b128 b8 u8 s8 b16 u16 s16 f16 bf16 b32 u32 s32 f32 f16x2 bf16x2 b64 u64 s64 f64";
constexpr std::string_view kAnyData =
    "pred b128 b8 u8 s8 b16 u16 s16 f16 bf16 b32 u32 s32 f32 f16x2 bf16x2 b64 u64 s64 f64";
constexpr std::string_view kAccess =
    "global shared shared::cta shared::cluster local const param param::entry param::func v2 v4 v8 "
    "nc volatile weak relaxed "
    "acquire release sc mmio cta cluster gpu sys ca cg cs cv lu wb wt L1::evict_normal "
    "L1::evict_unchanged "
    "L1::evict_first L1::evict_last L1::no_allocate L2::evict_normal L2::evict_first "
    "L2::evict_last "
    "L2::64B L2::128B L2::256B L2::cache_hint L2::evict_unchanged unified";
constexpr std::string_view kAtomics =
    "global shared shared::cta shared::cluster relaxed acquire release acq_rel cta cluster gpu sys "
    "add min max inc dec "
    "exch cas and or xor noftz v2 v4 v8 L2::cache_hint";
constexpr std::string_view kVideoWords = "sat add min max";
constexpr std::string_view kAsyncHints =
    "!async ca cg shared shared::cta global L2::64B L2::128B L2::256B L2::cache_hint";

// Traits of a row, joined by '|'.
constexpr InstructionTraits flop(std::uint8_t operations) { return {.flop = operations}; }
constexpr InstructionTraits unit(ExecutionUnit which) { return {.unit = which}; }
constexpr InstructionTraits synchronises(Synchronisation how) { return {.synchronisation = how}; }
constexpr InstructionTraits warp(WarpUse use) { return {.warp_use = use}; }
constexpr InstructionTraits goes(Control on) { return {.control = on}; }
constexpr InstructionTraits with_operands(std::uint8_t count) { return {.operands = count}; }
constexpr InstructionTraits accesses(AccessKind kind, std::uint8_t bytes) {
  return {.access = kind, .access_bytes = bytes};
}
constexpr InstructionTraits kMovesInBulk{.moves_in_bulk = true};
constexpr InstructionTraits kTypeIsOptional{.type_is_optional = true};

constexpr InstructionTraits operator|(InstructionTraits a, const InstructionTraits& b) {
  if (b.flop != 0) a.flop = b.flop;
  if (b.unit) a.unit = b.unit;
  if (b.synchronisation != Synchronisation::kNone) a.synchronisation = b.synchronisation;
  if (b.warp_use != WarpUse::kNone) a.warp_use = b.warp_use;
  if (b.control != Control::kNext) a.control = b.control;
  a.moves_in_bulk |= b.moves_in_bulk;
  a.type_is_optional |= b.type_is_optional;
  if (b.operands != 0) a.operands = b.operands;
  if (b.access != AccessKind::kNone) {
    a.access = b.access;
    a.access_bytes = b.access_bytes;
  }
  return a;
}

constexpr auto kTable = std::to_array<InstructionForm>({
    // Integer arithmetic
    {"add", kIntegers, "sat cc", kInteger, Op::kAdd, decode_add, "9.7.1.1"},
    {"add", "u16x2 s16x2", "", kInteger, Op::kAdd, decode_binary, "9.7.1.1"},
    {"sub", kIntegers, "sat cc", kInteger, Op::kSub, decode_add, "9.7.1.2"},
    {"mul", kIntegers, "lo hi wide", kInteger, Op::kMul, decode_multiply, "9.7.1.3",
     unit(kMultiply)},
    {"mad", kIntegers, "lo hi wide sat cc", kInteger, Op::kMad, decode_multiply, "9.7.1.4",
     unit(kMultiply)},
    {"mul24", "u32 s32", "lo hi", kInteger, Op::kMul24, decode_multiply, "9.7.1.5"},
    {"mad24", "u32 s32", "lo hi sat", kInteger, Op::kMad24, decode_multiply, "9.7.1.6"},
    {"sad", kIntegers, "", kInteger, Op::kSad, decode_ternary, "9.7.1.7"},
    {"div", kIntegers, "", kInteger, Op::kDiv, decode_binary, "9.7.1.8"},
    {"rem", kIntegers, "", kInteger, Op::kRem, decode_binary, "9.7.1.9"},
    {"abs", "s16 s32 s64", "", kInteger, Op::kAbs, decode_unary, "9.7.1.10"},
    {"neg", "s16 s32 s64", "", kInteger, Op::kNeg, decode_unary, "9.7.1.11"},
    {"min", kIntegers, "relu", kInteger, Op::kMin, decode_binary, "9.7.1.12"},
    {"min", "u16x2 s16x2", "relu", kInteger, Op::kMin, decode_binary, "9.7.1.12"},
    {"max", kIntegers, "relu", kInteger, Op::kMax, decode_binary, "9.7.1.13"},
    {"max", "u16x2 s16x2", "relu", kInteger, Op::kMax, decode_binary, "9.7.1.13"},
    {"popc", "b32 b64", "", kInteger, Op::kPopc, decode_count_bits, "9.7.1.14", unit(kSpecial)},
    {"clz", "b32 b64", "", kInteger, Op::kClz, decode_count_bits, "9.7.1.15"},
    {"bfind", "u32 s32 u64 s64", "shiftamt", kInteger, Op::kBfind, decode_count_bits, "9.7.1.16"},
    {"fns", "b32", "", kInteger, Op::kFns, decode_word, "9.7.1.17"},
    {"brev", "b32 b64", "", kInteger, Op::kBrev, decode_unary, "9.7.1.18"},
    {"bfe", "u32 s32 u64 s64", "", kInteger, Op::kBfe, decode_bit_field, "9.7.1.19"},
    {"bfi", "b32 b64", "", kInteger, Op::kBfi, decode_bit_field, "9.7.1.20"},
    {"szext", "u32 s32", "clamp wrap", kInteger, Op::kSzext, decode_word, "9.7.1.21"},
    {"bmsk", "b32", "clamp wrap", kInteger, Op::kBmsk, decode_word, "9.7.1.22"},
    {"dp4a", "u32 s32", "", kInteger, Op::kDp4a, decode_dot_product, "9.7.1.23"},
    {"dp2a", "u32 s32", "lo hi", kInteger, Op::kDp2a, decode_dot_product, "9.7.1.24"},
    {"addc", "u32 s32 u64 s64", "cc", kInteger, Op::kAddCarry, decode_carry, "9.7.2.2"},
    {"subc", "u32 s32 u64 s64", "cc", kInteger, Op::kSubCarry, decode_carry, "9.7.2.4"},
    {"madc", "u32 s32 u64 s64", "lo hi cc", kInteger, Op::kMadCarry, decode_carry, "9.7.2.6"},
    // Floating point
    {"testp", kFloats, "finite infinite number notanumber normal subnormal", kFloat, Op::kTestp,
     decode_testp, "9.7.3.1"},
    {"copysign", kFloats, "", kFloat, Op::kCopysign, decode_binary, "9.7.3.2"},
    {"add", "f32x2", "rn rz rm rp ftz", kFloat, Op::kAdd, decode_packed_float, "9.7.3.3"},
    {"sub", "f32x2", "rn rz rm rp ftz", kFloat, Op::kSub, decode_packed_float, "9.7.3.4"},
    {"mul", "f32x2", "rn rz rm rp ftz", kFloat, Op::kMul, decode_packed_float, "9.7.3.5"},
    {"fma", "f32x2", "rn rz rm rp ftz", kFloat, Op::kFma, decode_packed_float, "9.7.3.6"},
    {"add", kFloats, kRound, kFloat, Op::kAdd, decode_float_binary, "9.7.3.3", flop(1)},
    {"sub", kFloats, kRound, kFloat, Op::kSub, decode_float_binary, "9.7.3.4", flop(1)},
    {"mul", kFloats, kRound, kFloat, Op::kMul, decode_binary, "9.7.3.5", flop(1)},
    {"fma", kFloats, kRound, kFloat, Op::kFma, decode_float_ternary, "9.7.3.6", flop(2)},
    {"mad", kFloats, kRound, kFloat, Op::kFma, decode_ternary, "9.7.3.7", flop(2)},
    {"div", kFloats, "rn rz rm rp approx full ftz", kFloat, Op::kDiv, decode_binary, "9.7.3.8",
     flop(1)},
    {"abs", kFloats, "ftz", kFloat, Op::kAbs, decode_unary, "9.7.3.9"},
    {"neg", kFloats, "ftz", kFloat, Op::kNeg, decode_unary, "9.7.3.10"},
    {"min", kFloats, "ftz NaN xorsign abs", kFloat, Op::kMin, decode_float_extreme, "9.7.3.11"},
    {"max", kFloats, "ftz NaN xorsign abs", kFloat, Op::kMax, decode_float_extreme, "9.7.3.12"},
    {"rcp", kFloats, "rn rz rm rp approx ftz", kFloat, Op::kRcp, decode_unary, "9.7.3.13",
     flop(1) | unit(kSpecial)},
    {"sqrt", kFloats, "rn rz rm rp approx ftz", kFloat, Op::kSqrt, decode_unary, "9.7.3.15",
     flop(1) | unit(kSpecial)},
    {"rsqrt", kFloats, "approx ftz", kFloat, Op::kRsqrt, decode_unary, "9.7.3.16",
     flop(1) | unit(kSpecial)},
    {"sin", "f32", "approx ftz", kFloat, Op::kSin, decode_unary, "9.7.3.18",
     flop(1) | unit(kSpecial)},
    {"cos", "f32", "approx ftz", kFloat, Op::kCos, decode_unary, "9.7.3.19",
     flop(1) | unit(kSpecial)},
    {"lg2", "f32", "approx ftz", kFloat, Op::kLg2, decode_unary, "9.7.3.20",
     flop(1) | unit(kSpecial)},
    {"ex2", "f32", "approx ftz", kFloat, Op::kEx2, decode_unary, "9.7.3.21",
     flop(1) | unit(kSpecial)},
    {"tanh", "f32", "approx", kFloat, Op::kTanh, decode_unary, "9.7.3.22",
     flop(1) | unit(kSpecial)},
    // Half precision; pairs do twice the work of one
    {"add", kHalves, "rn ftz sat", kFloat, Op::kAdd, decode_binary, "9.7.4.1", flop(1)},
    {"sub", kHalves, "rn ftz sat", kFloat, Op::kSub, decode_binary, "9.7.4.2", flop(1)},
    {"mul", kHalves, "rn ftz sat", kFloat, Op::kMul, decode_binary, "9.7.4.3", flop(1)},
    {"fma", kHalves, "rn ftz sat relu", kFloat, Op::kFma, decode_ternary, "9.7.4.4", flop(2)},
    {"neg", kHalves, "ftz", kFloat, Op::kNeg, decode_unary, "9.7.4.5"},
    {"abs", kHalves, "ftz", kFloat, Op::kAbs, decode_unary, "9.7.4.6"},
    {"min", kHalves, "ftz NaN xorsign abs", kFloat, Op::kMin, decode_float_extreme, "9.7.4.7"},
    {"max", kHalves, "ftz NaN xorsign abs", kFloat, Op::kMax, decode_float_extreme, "9.7.4.8"},
    {"tanh", kHalves, "approx", kFloat, Op::kTanh, decode_unary, "9.7.4.9",
     flop(1) | unit(kSpecial)},
    {"ex2", kHalves, "approx ftz", kFloat, Op::kEx2, decode_unary, "9.7.4.10",
     flop(1) | unit(kSpecial)},
    // Comparison and selection
    {"set", "b32 u32 s32 f32 u16 s16 f16 bf16 f16x2 bf16x2", kCompare, kInteger, Op::kSet,
     decode_set, "9.7.6.1"},
    {"setp", "b16 u16 s16 b32 u32 s32 b64 u64 s64 f32 f64 f16 f16x2 bf16 bf16x2", kCompare,
     kInteger, Op::kSetp, decode_setp, "9.7.6.2"},
    {"selp", kAllData, "", kMove, Op::kSelp, decode_selp, "9.7.6.3"},
    {"slct", "b16 u16 s16 b32 u32 s32 b64 u64 s64 f32 f64", "ftz", kMove, Op::kSlct, decode_slct,
     "9.7.6.4"},
    // Logic and shift
    {"and", "pred b16 b32 b64", "", kInteger, Op::kAnd, decode_logic, "9.7.8.1"},
    {"or", "pred b16 b32 b64", "", kInteger, Op::kOr, decode_logic, "9.7.8.2"},
    {"xor", "pred b16 b32 b64", "", kInteger, Op::kXor, decode_logic, "9.7.8.3"},
    {"not", "pred b16 b32 b64", "", kInteger, Op::kNot, decode_logic, "9.7.8.4"},
    {"cnot", kWords, "", kInteger, Op::kCnot, decode_unary, "9.7.8.5"},
    {"lop3", "b32", "and or xor", kInteger, Op::kLop3, decode_word, "9.7.8.6"},
    {"shf", "b32", "!l clamp wrap", kInteger, Op::kFunnelLeft, decode_word, "9.7.8.7"},
    {"shf", "b32", "!r clamp wrap", kInteger, Op::kFunnelRight, decode_word, "9.7.8.7"},
    {"shl", kWords, "", kInteger, Op::kShl, decode_shift, "9.7.8.8"},
    {"shr", "b16 b32 b64 u16 u32 u64 s16 s32 s64", "", kInteger, Op::kShr, decode_shift, "9.7.8.9"},
    // Data movement and conversion
    {"mov", kAnyData, "", kMove, Op::kMove, decode_mov, "9.7.9.2"},
    {"shfl", "b32", "sync up down bfly idx", kWarp, Op::kShuffle, decode_shuffle, "9.7.9.6",
     unit(ExecutionUnit::kMemory) | warp(WarpUse::kNamed)},
    {"prmt", "b32", "f4e b4e rc8 ecl ecr rc16", kInteger, Op::kPrmt, decode_word, "9.7.9.7"},
    {"ld", kAllData, kAccess, kMemory, Op::kLoad, decode_load, "9.7.9.8"},
    {"ldu", kAllData, "global v2 v4", kMemory, Op::kLoad, decode_load, "9.7.9.10"},
    {"st", kAllData, kAccess, kMemory, Op::kStore, decode_store, "9.7.9.11"},
    {"prefetch", "", "global local L1 L2 L2::evict_last L2::evict_normal const param", kSync,
     Op::kNothing, decode_nothing, "9.7.9.15"},
    {"prefetchu", "", "L1", kSync, Op::kNothing, decode_nothing, "9.7.9.15"},
    {"prefetch", "", "!tensormap const param", kSync, Op::kNothing, decode_nothing, "9.7.9.15"},
    {"applypriority", "", "global L2::evict_normal", kSync, Op::kNothing, decode_nothing,
     "9.7.9.16"},
    {"discard", "", "global L2", kSync, Op::kNothing, decode_nothing, "9.7.9.17"},
    {"createpolicy", "b64",
     "fractional L2::evict_last L2::evict_normal L2::evict_first L2::evict_unchanged", kMove,
     Op::kMove, decode_policy, "9.7.9.18"},
    {"isspacep", "", "global shared shared::cta shared::cluster local const param param::entry",
     kMove, Op::kIsspacep, decode_isspacep, "9.7.9.19"},
    {"cvta", "u64", "to global shared shared::cta shared::cluster local const param param::entry",
     kMove, Op::kCvta, decode_cvta, "9.7.9.20"},
    {"cvt", "u16 s16 u8 s8 u4 s4", "!pack !sat", kConvert, Op::kConvertPack, decode_cvt_pack,
     "9.7.9.22"},
    {"cvt",
     "u8 s8 u16 s16 u32 s32 u64 s64 f16 bf16 f32 f64 f16x2 bf16x2 tf32 e4m3x2 e5m2x2 e2m3x2 e3m2x2 "
     "e2m1x2 ue8m0x2",
     "rn rz rm rp rna rni rzi rmi rpi ftz sat relu satfinite", kConvert, Op::kConvert, decode_cvt,
     "9.7.9.21", unit(kSpecial)},
    // Asynchronous copies
    {"cp", "", kAsyncHints, kMemory, Op::kAsyncCopy, decode_cp_async, "9.7.9.25.3.1"},
    {"cp", "", "!async !commit_group", kSync, Op::kCommitGroup, decode_commit_group, "9.7.9.25.3.2",
     synchronises(kCommitCopies)},
    {"cp", "", "!async !wait_group", kSync, Op::kWaitGroup, decode_wait_group, "9.7.9.25.3.3",
     synchronises(kWaitCopies)},
    {"cp", "", "!async !wait_all", kSync, Op::kWaitAll, decode_wait_group, "9.7.9.25.3.3",
     synchronises(kWaitAllCopies)},
    {"cp", "b64", "!async !mbarrier !arrive noinc shared shared::cta", kSync, Op::kMbarrierCpAsync,
     decode_copy_arrive, "9.7.13.15.17", synchronises(kArriveMbarrier)},
    {"cp", "",
     "!async !bulk shared::cluster shared::cta global mbarrier::complete_tx::bytes bulk_group "
     "multicast::cluster L2::cache_hint",
     kMemory, Op::kBulkCopy, decode_bulk_copy, "9.7.9.25.4.1", kMovesInBulk},
    {"st", "b32 u32 s32 f32 b64 u64 s64 f64",
     "!async !mbarrier::complete_tx::bytes weak shared::cluster v2 v4", kMemory, Op::kAsyncStore,
     decode_async_store, "9.7.9.12"},
    {"st", "", "!bulk weak shared::cta", kMemory, Op::kBulkZero, decode_operands, "9.7.9.13",
     with_operands(3) | accesses(AccessKind::kStore, 8)},
    {"red", "b32 u32 s32 u64",
     "!async !mbarrier::complete_tx::bytes relaxed cluster shared::cluster add min max inc dec and "
     "or xor",
     kMemory, Op::kAsyncReduction, decode_async_store, "9.7.13.8"},
    {"cp", "s32 u32 s64 u64 f16 bf16 b32 b64 f32 f64",
     "!reduce !async !bulk shared::cluster shared::cta global mbarrier::complete_tx::bytes "
     "bulk_group L2::cache_hint add min max inc dec and or xor noftz",
     kMemory, Op::kBulkReduction, decode_bulk_reduction, "9.7.9.25.4.2", kMovesInBulk},
    {"cp", "",
     "!async !bulk !tensor 1d 2d 3d 4d 5d !shared::cluster global shared::cta tile im2col "
     "mbarrier::complete_tx::bytes multicast::cluster L2::cache_hint",
     kMemory, Op::kTensorLoad, decode_tensor_copy, "9.7.9.25.5.2", kMovesInBulk},
    {"cp", "",
     "!async !bulk !tensor 1d 2d 3d 4d 5d global !shared::cta tile im2col "
     "!mbarrier::complete_tx::bytes L2::cache_hint",
     kMemory, Op::kTensorLoad, decode_tensor_copy, "9.7.9.25.5.2", kMovesInBulk},
    {"cp", "",
     "!async !bulk !tensor 1d 2d 3d 4d 5d global shared::cta tile im2col_no_offs !bulk_group "
     "L2::cache_hint",
     kMemory, Op::kTensorStore, decode_tensor_copy, "9.7.9.25.5.2", kMovesInBulk},
    {"cp", "",
     "!reduce !async !bulk !tensor 1d 2d 3d 4d 5d global shared::cta tile im2col_no_offs "
     "!bulk_group L2::cache_hint add min max inc dec and or xor",
     kMemory, Op::kTensorReduction, decode_tensor_copy, "9.7.9.25.5.3", kMovesInBulk},
    {"cp", "", "!async !bulk !prefetch !tensor 1d 2d 3d 4d 5d L2 global tile im2col L2::cache_hint",
     kSync, Op::kNothing, decode_nothing, "9.7.9.25.5.4"},
    {"tensormap", "b32 b64",
     "!replace !tile !b1024 global shared::cta global_address rank box_dim global_dim "
     "global_stride element_stride elemtype interleave_layout swizzle_mode swizzle_atomicity "
     "fill_mode",
     kMemory, Op::kTensorMapReplace, decode_tensor_map, "9.7.9.26.1"},
    {"tensormap", "",
     "!cp_fenceproxy global shared::cta tensormap::generic release cta cluster gpu sys sync "
     "aligned",
     kSync, Op::kTensorMapCopy, decode_tensor_map, "9.7.13.17", warp(WarpUse::kTogether)},
    {"cp", "", "!async !bulk !prefetch L2 global L2::cache_hint", kSync, Op::kNothing,
     decode_nothing, "9.7.9.25.4.3"},
    {"cp", "", "!async !bulk !commit_group", kSync, Op::kNothing, decode_nothing, "9.7.9.25.6.1"},
    {"cp", "", "!async !bulk !wait_group read", kSync, Op::kNothing, decode_nothing, "9.7.9.25.6.2",
     synchronises(kWaitBulkCopies)},
    // Control flow
    {"bra", "", "uni", kControl, Op::kNothing, decode_branch, "9.7.12.3", goes(Control::kBranch)},
    {"brx", "", "!idx uni", kControl, Op::kNothing, decode_branch_indexed, "9.7.12.4",
     goes(Control::kBranch)},
    {"call", "", "uni", kControl, Op::kNothing, decode_call, "9.7.12.5", goes(Control::kCall)},
    {"ret", "", "uni", kControl, Op::kNothing, decode_return, "9.7.12.6", goes(Control::kReturn)},
    {"exit", "", "", kControl, Op::kNothing, decode_return, "9.7.12.7", goes(Control::kReturn)},
    // Synchronisation
    {"bar", "u32 pred", "cta sync arrive red and or popc", kSync, Op::kNothing, decode_barrier,
     "9.7.13.1", kTypeIsOptional},
    {"barrier", "u32 pred", "cta sync arrive red and or popc aligned", kSync, Op::kNothing,
     decode_barrier, "9.7.13.1", kTypeIsOptional},
    {"bar", "", "!warp !sync", kSync, Op::kNothing, decode_barrier, "9.7.13.2"},
    {"barrier", "", "!cluster arrive wait acquire release relaxed aligned", kSync, Op::kNothing,
     decode_cluster_barrier, "9.7.13.3"},
    {"mbarrier", "b64", "!init shared shared::cta", kSync, Op::kMbarrierInit, decode_mbarrier,
     "9.7.13.15", synchronises(kStartMbarrier)},
    {"mbarrier", "b64", "!test_wait parity shared shared::cta relaxed acquire cta cluster", kSync,
     Op::kMbarrierTest, decode_mbarrier, "9.7.13.15", synchronises(kWaitMbarrier)},
    {"mbarrier", "b64", "!try_wait parity shared shared::cta relaxed acquire cta cluster", kSync,
     Op::kMbarrierTest, decode_mbarrier, "9.7.13.15", synchronises(kWaitMbarrier)},
    {"mbarrier", "b64",
     "inval expect_tx complete_tx arrive arrive_drop pending_count noComplete shared shared::cta "
     "shared::cluster relaxed acquire release cta cluster",
     kSync, Op::kMbarrierArrive, decode_mbarrier, "9.7.13.15", synchronises(kArriveMbarrier)},
    {"mapa", "u32 u64", "shared::cluster", kMove, Op::kMapRank, decode_cluster_address, "9.7.9.23"},
    {"getctarank", "u32 u64", "shared::cluster", kMove, Op::kRankOf, decode_cluster_address,
     "9.7.9.24"},
    {"membar", "", "!cta", kSync, Op::kNothing, decode_nothing, "9.7.13.4",
     synchronises(kBlockFence)},
    {"membar", "", "gl sys", kSync, Op::kNothing, decode_nothing, "9.7.13.4",
     synchronises(kDeviceFence)},
    {"fence", "",
     "!proxy alias async global shared shared::cta shared::cluster async::generic "
     "tensormap::generic acquire release cta cluster gpu sys sync_restrict::shared::cta "
     "sync_restrict::shared::cluster",
     kSync, Op::kNothing, decode_nothing, "9.7.13.4"},
    {"fence", "", "!mbarrier_init release cluster", kSync, Op::kNothing, decode_nothing,
     "9.7.13.4"},
    {"fence", "", "!cta sc acq_rel acquire release", kSync, Op::kNothing, decode_nothing,
     "9.7.13.4", synchronises(kBlockFence)},
    {"fence", "",
     "sc acq_rel acquire release cluster gpu sys sync_restrict::shared::cta "
     "sync_restrict::shared::cluster",
     kSync, Op::kNothing, decode_nothing, "9.7.13.4", synchronises(kDeviceFence)},
    {"atom", "b128 b32 u32 s32 f32 b64 u64 s64 f64 f16 f16x2 bf16 bf16x2 b16", kAtomics, kMemory,
     Op::kAtomic, decode_atomic, "9.7.13.5"},
    {"red", "b32 u32 s32 f32 b64 u64 s64 f64 f16 f16x2 bf16 bf16x2", kAtomics, kMemory, Op::kAtomic,
     decode_atomic, "9.7.13.7"},
    {"vote", "pred", "sync all any uni", kWarp, Op::kVote, decode_vote, "9.7.13.9",
     warp(WarpUse::kNamed)},
    {"vote", "b32", "sync !ballot", kWarp, Op::kBallot, decode_vote, "9.7.13.9",
     warp(WarpUse::kNamed)},
    {"match", "b32 b64", "any all sync", kWarp, Op::kMatchAny, decode_match, "9.7.13.10",
     warp(WarpUse::kNamed)},
    {"activemask", "b32", "", kWarp, Op::kActivemask, decode_activemask, "9.7.13.11"},
    {"redux", "b32 u32 s32", "!sync add min max and or xor", kWarp, Op::kRedux, decode_redux,
     "9.7.13.12", warp(WarpUse::kNamed)},
    {"redux", "f32", "!sync min max abs NaN", kWarp, Op::kRedux, decode_redux, "9.7.13.12",
     warp(WarpUse::kNamed)},
    {"griddepcontrol", "", "launch_dependents wait", kSync, Op::kNothing, decode_nothing,
     "9.7.13.13"},
    {"elect", "", "!sync", kWarp, Op::kElect, decode_elect, "9.7.13.14"},
    // Textures and surfaces
    {"tex", "u32 s32 f32", "1d 2d 3d a1d a2d cube acube level grad v4", kMemory, Op::kTexture,
     decode_texture, "9.7.10.3"},
    {"tld4", "u32 s32 f32", "2d a2d r g b a v4", kMemory, Op::kTextureGather, decode_texture,
     "9.7.10.4"},
    {"txq", "b32", "width height depth array_size", kMemory, Op::kTextureQuery,
     decode_texture_query, "9.7.10.5"},
    {"suld", kWords8, "!b 1d 2d 3d a1d a2d v2 v4 trap clamp zero", kMemory, Op::kSurfaceLoad,
     decode_surface, "9.7.11.1"},
    {"sust", kWords8, "!b 1d 2d 3d a1d a2d v2 v4 trap clamp zero", kMemory, Op::kSurfaceStore,
     decode_surface, "9.7.11.2"},
    {"suq", "b32", "width height depth array_size", kMemory, Op::kTextureQuery,
     decode_texture_query, "9.7.11.4"},
    // Matrices
    {"ldmatrix", "b16", "!sync aligned m8n8 x1 x2 x4 trans shared shared::cta", kMemory,
     Op::kLoadMatrix, decode_load_matrix, "9.7.14.5.15", warp(WarpUse::kAll)},
    {"stmatrix", "b16", "!sync aligned m8n8 x1 x2 x4 trans shared shared::cta", kMemory,
     Op::kStoreMatrix, decode_load_matrix, "9.7.14.5.16", warp(WarpUse::kAll)},
    {"movmatrix", "b16", "!sync aligned m8n8 trans", kWarp, Op::kMoveMatrix, decode_move_matrix,
     "9.7.14.5.17", warp(WarpUse::kAll)},
    {"mma", "f16 f32 f64 s32",
     "!sync aligned m8n8k4 m8n8k16 m8n8k32 m8n8k128 m16n8k4 m16n8k8 m16n8k16 m16n8k32 m16n8k64 "
     "m16n8k128 m16n8k256 row col satfinite and xor popc kind::f8f6f4",
     kTensor, Op::kMma, decode_matrix_product, "9.7.14.5.14", warp(WarpUse::kAll)},
    {"wmma", "f16 bf16 tf32 f32 f64 s8 u8 s4 u4 b1 s32",
     "!load a b c sync aligned row col m16n16k16 m32n8k16 m8n32k16 m16n16k8 m8n8k4 m8n8k32 "
     "m8n8k128 "
     "global shared shared::cta",
     kMemory, Op::kLoadFragment, decode_wmma, "9.7.14.4.3", warp(WarpUse::kTogether)},
    {"wmma", "f16 f32 f64 s32",
     "!store d sync aligned row col m16n16k16 m32n8k16 m8n32k16 m16n16k8 m8n8k4 m8n8k32 m8n8k128 "
     "global shared shared::cta",
     kMemory, Op::kStoreFragment, decode_wmma, "9.7.14.4.4", warp(WarpUse::kTogether)},
    {"wmma", "f16 f32 f64 s32",
     "!mma sync aligned row col m16n16k16 m32n8k16 m8n32k16 m16n16k8 m8n8k4 m8n8k32 m8n8k128 "
     "satfinite rn and xor popc",
     kTensor, Op::kMatrixProduct, decode_wmma, "9.7.14.4.5", warp(WarpUse::kTogether)},
    {"wgmma", "", "!fence sync aligned", kSync, Op::kNothing, decode_nothing, "9.7.15.7.1",
     warp(WarpUse::kTogether)},
    {"wgmma", "", "!commit_group sync aligned", kSync, Op::kNothing, decode_nothing, "9.7.15.7.2",
     warp(WarpUse::kTogether)},
    {"wgmma", "", "!wait_group sync aligned", kSync, Op::kNothing, decode_warpgroup_wait,
     "9.7.15.7.3", warp(WarpUse::kTogether)},
    {"wgmma", "f16 f32 s32", "!mma_async sync aligned m64nNkK satfinite and popc", kTensor,
     Op::kWarpgroupProduct, decode_warpgroup_product, "9.7.15.5.2", warp(WarpUse::kTogether)},
    // Video
    {"vadd", "u32 s32", kVideoWords, kInteger, Op::kVideo, decode_video, "9.7.20.1"},
    {"vsub", "u32 s32", kVideoWords, kInteger, Op::kVideo, decode_video, "9.7.20.1"},
    {"vabsdiff", "u32 s32", kVideoWords, kInteger, Op::kVideo, decode_video, "9.7.20.1"},
    {"vmin", "u32 s32", kVideoWords, kInteger, Op::kVideo, decode_video, "9.7.20.1"},
    {"vmax", "u32 s32", kVideoWords, kInteger, Op::kVideo, decode_video, "9.7.20.1"},
    {"vshl", "u32 s32", "sat clamp wrap add min max", kInteger, Op::kVideo, decode_video,
     "9.7.20.2"},
    {"vshr", "u32 s32", "sat clamp wrap add min max", kInteger, Op::kVideo, decode_video,
     "9.7.20.2"},
    {"vmad", "u32 s32", "sat po shr7 shr15", kInteger, Op::kVideo, decode_video, "9.7.20.3",
     unit(kMultiply)},
    {"vset", "u32 s32", "eq ne lt le gt ge add min max", kInteger, Op::kVideo, decode_video,
     "9.7.20.4"},
    {"vadd2", "u32 s32", "sat add", kInteger, Op::kVideo, decode_video, "9.7.20.5"},
    {"vsub2", "u32 s32", "sat add", kInteger, Op::kVideo, decode_video, "9.7.20.5"},
    {"vabsdiff2", "u32 s32", "sat add", kInteger, Op::kVideo, decode_video, "9.7.20.5"},
    {"vmin2", "u32 s32", "sat add", kInteger, Op::kVideo, decode_video, "9.7.20.5"},
    {"vmax2", "u32 s32", "sat add", kInteger, Op::kVideo, decode_video, "9.7.20.5"},
    {"vset2", "u32 s32", "eq ne lt le gt ge add", kInteger, Op::kVideo, decode_video, "9.7.20.6"},
    {"vadd4", "u32 s32", "sat add", kInteger, Op::kVideo, decode_video, "9.7.20.7"},
    {"vsub4", "u32 s32", "sat add", kInteger, Op::kVideo, decode_video, "9.7.20.7"},
    {"vabsdiff4", "u32 s32", "sat add", kInteger, Op::kVideo, decode_video, "9.7.20.7"},
    {"vmin4", "u32 s32", "sat add", kInteger, Op::kVideo, decode_video, "9.7.20.7"},
    {"vmax4", "u32 s32", "sat add", kInteger, Op::kVideo, decode_video, "9.7.20.7"},
    {"vset4", "u32 s32", "eq ne lt le gt ge add", kInteger, Op::kVideo, decode_video, "9.7.20.8"},
    // Miscellaneous
    {"setmaxnreg", "u32", "inc dec !sync aligned", kSync, Op::kNothing, decode_nothing, "9.7.19.5"},
    {"brkpt", "", "", kControl, Op::kNothing, decode_nothing, "9.7.19.1"},
    {"nanosleep", "u32", "", kSync, Op::kNothing, decode_yield, "9.7.19.2"},
    {"pmevent", "", "", kSync, Op::kNothing, decode_nothing, "9.7.19.3"},
    {"trap", "", "", kControl, Op::kNothing, decode_trap, "9.7.19.4"},
    // Of lifted machine code alone: functions of turns, convergence barriers
    {"$sin", "f32", "", kFloat, Op::kSinTurns, decode_unary, "", flop(1) | unit(kSpecial)},
    {"$cos", "f32", "", kFloat, Op::kCosTurns, decode_unary, "", flop(1) | unit(kSpecial)},
    {"$bssy", "", "", kControl, Op::kConvergenceStart, decode_convergence, ""},
    {"$break", "", "", kControl, Op::kConvergenceBreak, decode_convergence, ""},
    {"$bsave", "", "", kControl, Op::kConvergenceSave, decode_convergence, ""},
    {"$brestore", "", "", kControl, Op::kConvergenceRestore, decode_convergence, ""},
    {"$bapart", "", "", kControl, Op::kConvergenceTest, decode_convergence_test, ""},
    {"$bsync", "", "", kControl, Op::kNothing, decode_converge, ""},
    {"$warpsync", "", "", kSync, Op::kNothing, decode_converge, ""},
    {"$warpexclusive", "", "", kSync, Op::kNothing, decode_converge, ""},
    {"$warpturns", "", "", kControl, Op::kNothing, decode_converge, ""},
    {"$yield", "", "", kSync, Op::kNothing, decode_give_way, ""},
    {"$pause", "", "", kSync, Op::kNothing, decode_pause, ""},
});

// A row with its words looked up.
struct Compiled {
  ModifierSet allowed;
  ModifierSet required;
  std::vector<DataType> types;
};

template <class F>
void for_each_word(std::string_view words, F f) {
  while (!words.empty()) {
    const std::size_t end = std::min(words.find(' '), words.size());
    f(words.substr(0, end));
    words.remove_prefix(std::min(end + 1, words.size()));
  }
}

Compiled compile(const InstructionForm& form) {
  Compiled compiled;
  for_each_word(form.modifiers, [&](std::string_view word) {
    const bool required = word.starts_with('!');
    if (required) word.remove_prefix(1);
    const ModifierSet one = modifier_set(word);
    compiled.allowed |= one;
    if (required) compiled.required |= one;
  });
  for_each_word(form.types,
                [&](std::string_view word) { compiled.types.push_back(*parse_data_type(word)); });
  return compiled;
}

constexpr std::array kMnemonics{
#define MNEMONIC(name, word) std::string_view(word),
#include "ptx/mnemonics.inc"
#undef MNEMONIC
};
static_assert(std::ranges::all_of(kTable,
                                  [](const InstructionForm& form) {
                                    return std::ranges::find(kMnemonics, form.mnemonic) !=
                                           kMnemonics.end();
                                  }),
              "mnemonics.inc lacks the mnemonic of a row");

struct Index {
  std::vector<Compiled> compiled;
  std::unordered_map<Mnemonic, std::vector<std::size_t>> by_mnemonic;
};
const Index& index() {
  static const Index built = [] {
    Index result;
    for (std::size_t i = 0; i < kTable.size(); ++i) {
      result.compiled.push_back(compile(kTable[i]));
      result.by_mnemonic[parse_mnemonic(kTable[i].mnemonic)].push_back(i);
    }
    return result;
  }();
  return built;
}

bool allows_type(const Compiled& form, const Modifiers& modifiers, bool is_optional) {
  if (modifiers.type_count == 0) return is_optional || form.types.empty();
  if (form.types.empty()) return false;
  for (const DataType type : form.types) {
    if (type == modifiers.types[0]) return true;
  }
  return false;
}

bool is_half_pair(DataType type) { return type == DataType::kF16x2 || type == DataType::kBf16x2; }

}  // namespace

std::span<const InstructionForm> instruction_table() { return kTable; }

ExecutionUnit unit_of(const InstructionForm& form, const Modifiers& modifiers) {
  const std::span types(modifiers.types.data(), modifiers.type_count);
  const auto any = [&](auto holds) { return std::ranges::any_of(types, holds); };
  if (form.operation == Operation::kConvert && !any(is_float)) return ExecutionUnit::kAlu;
  if (form.traits.unit) return *form.traits.unit;
  switch (form.instruction_class) {
    case InstructionClass::kFloat:
      if (any([](DataType type) { return type == DataType::kF64; })) return ExecutionUnit::kDouble;
      return any([](DataType type) { return bytes_of(type) == 2 || is_half_pair(type); })
                 ? ExecutionUnit::kHalf
                 : ExecutionUnit::kFma;
    case InstructionClass::kTensor:
      return ExecutionUnit::kTensor;
    case InstructionClass::kInteger:
    case InstructionClass::kConvert:
    case InstructionClass::kMove:
    case InstructionClass::kWarp:
      return ExecutionUnit::kAlu;
    default:
      return ExecutionUnit::kNone;
  }
}

const InstructionForm* find_form(Mnemonic mnemonic, const Modifiers& modifiers,
                                 std::string_view* reason) {
  const auto found = index().by_mnemonic.find(mnemonic);
  *reason = "this instruction";
  if (found == index().by_mnemonic.end()) return nullptr;
  for (const std::size_t i : found->second) {
    const Compiled& form = index().compiled[i];
    *reason = "this combination of types and modifiers";
    if (!allows_type(form, modifiers, kTable[i].traits.type_is_optional)) continue;
    if ((modifiers.set & ~form.allowed).any() || (form.required & ~modifiers.set).any()) continue;
    return &kTable[i];
  }
  return nullptr;
}

namespace {

constexpr std::array kFamilies{
    UnsupportedFamily{"wgmma", ".sp", "a product of sparse matrices", "`wgmma.mma_async.sp`"},
    UnsupportedFamily{"tcgen05", "", "tensor memory and its products", "`tcgen05`"},
    UnsupportedFamily{"cp", "::gather4", "gathering rows through a tensor map",
                      "`cp.async.bulk.tensor` with `.tile::gather4` or `.tile::scatter4`"},
    UnsupportedFamily{"cp", "::scatter4", "scattering rows through a tensor map", ""},
    UnsupportedFamily{"cp", ".im2col::w", "the im2col modes along the width",
                      "`.im2col::w` and `.im2col::w::128`"},
    UnsupportedFamily{"cp", ".cta_group", "a tensor copy for a pair of blocks", "`.cta_group`"},
    UnsupportedFamily{"multimem", "", "memory of several GPUs at once", "`multimem`"},
    UnsupportedFamily{"mma", ".sp", "a product of sparse matrices", "`mma.sp`"},
    UnsupportedFamily{"mma", ".block_scale", "a product with block scaling",
                      "`mma` with `.block_scale`"},
    UnsupportedFamily{"ldmatrix", ".b8", "a matrix of bytes or of packed small floats",
                      "`ldmatrix` and `stmatrix` of `.b8`"},
    UnsupportedFamily{"stmatrix", ".b8", "a matrix of bytes", ""},
    UnsupportedFamily{"clusterlaunchcontrol", "", "work stealing between clusters",
                      "`clusterlaunchcontrol`"},
    UnsupportedFamily{"alloca", "", "local memory of a size known at run time only", "`alloca`"},
    UnsupportedFamily{"stacksave", "", "local memory of a size known at run time only", ""},
    UnsupportedFamily{"stackrestore", "", "local memory of a size known at run time only", ""},
    UnsupportedFamily{"tex", "ms.", "reading a texture of several samples",
                      "`tex` of several samples"},
    UnsupportedFamily{"tex", ".f16", "reading a texture as half precision",
                      "`tex` with results of half precision"},
    UnsupportedFamily{"sured", "", "reducing into a surface", "`sured`"},
    UnsupportedFamily{"cvt", ".rs", "stochastic rounding", "`cvt.rs`"},
    UnsupportedFamily{"fma", ".oob", "an out-of-bounds marker in an operand", "`fma.oob`"},
};

}  // namespace

std::span<const UnsupportedFamily> unsupported_families() { return kFamilies; }

const UnsupportedFamily* find_unsupported(std::string_view mnemonic, std::string_view suffix) {
  for (const UnsupportedFamily& family : kFamilies) {
    if (family.mnemonic == mnemonic && suffix.find(family.word) != std::string_view::npos)
      return &family;
  }
  return nullptr;
}

}  // namespace tilescope
