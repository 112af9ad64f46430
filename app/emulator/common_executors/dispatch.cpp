#include <array>

#include "emulator/common_executors/families.h"

namespace tilescope {
namespace {

using Find = Executor (*)(const OperationKey& key);

// Which family has an operation. Where several have it, for other types or rounding, they are asked
// in the order of the rows.
struct FamilyRow {
  Operation operation;
  Find find;
};
constexpr auto kFamilies = [] {
  using enum Operation;
  return std::to_array<FamilyRow>({
      {kAdd, find_directed},
      {kSub, find_directed},
      {kMul, find_directed},
      {kFma, find_directed},
      {kDiv, find_approximate},
      {kDiv, find_directed},
      {kSqrt, find_approximate},
      {kSqrt, find_directed},
      {kRcp, find_approximate},
      {kRcp, find_directed},
      {kRsqrt, find_approximate},
      {kSin, find_approximate},
      {kCos, find_approximate},
      {kSinTurns, find_approximate},
      {kCosTurns, find_approximate},
      {kEx2, find_approximate},
      {kLg2, find_approximate},
      {kTanh, find_approximate},
      {kTestp, find_approximate},
      {kPackedFloat, find_packed_arithmetic},
      {kMixedFloat, find_packed_arithmetic},
      {kRareExtreme, find_packed_arithmetic},
      {kVideo, find_video},
      {kConvert, find_directed},
      {kConvert, find_rare_conversion},
      {kConvertNarrow, find_narrow_conversion},
      {kConvertPack, find_narrow_conversion},
      {kClock, find_synchronisation},
      {kAtomic, find_atomic},
      {kVectorAtomic, find_wide_atomic},
      {kPairAtomic, find_wide_atomic},
      {kShuffle, find_warp_exchange},
      {kVote, find_warp_exchange},
      {kBallot, find_warp_exchange},
      {kMatchAny, find_warp_exchange},
      {kMatchAll, find_warp_exchange},
      {kRedux, find_warp_exchange},
      {kActivemask, find_warp_exchange},
      {kElect, find_warp_exchange},
      {kNothing, find_synchronisation},
      {kCommitGroup, find_synchronisation},
      {kWaitGroup, find_synchronisation},
      {kWaitAll, find_synchronisation},
      {kMbarrierInit, find_mbarrier},
      {kMbarrierArrive, find_mbarrier},
      {kMbarrierTest, find_mbarrier},
      {kMbarrierCpAsync, find_mbarrier},
      {kMbarrierExpect, find_mbarrier},
      {kMbarrierPending, find_mbarrier},
      {kBulkCopy, find_bulk_copy},
      {kBulkStore, find_bulk_copy},
      {kAsyncStore, find_async_store},
      {kAsyncReduction, find_async_store},
      {kMapRank, find_cluster_address},
      {kRankOf, find_cluster_address},
      {kIsOwnShared, find_cluster_address},
      {kConvergenceStart, find_convergence},
      {kConvergenceBreak, find_convergence},
      {kConvergenceSave, find_convergence},
      {kConvergenceRestore, find_convergence},
      {kConvergenceTest, find_convergence},
      {kMatrixProduct, find_matrix_product},
      {kLoadFragment, find_fragment_access},
      {kStoreFragment, find_fragment_access},
      {kCopyParameter, find_synchronisation},
      {kLeaveFrame, find_synchronisation},
  });
}();

constexpr std::size_t kOperations = static_cast<std::size_t>(Operation::kUnsupported) + 1;

// The first row of each operation; its others follow it.
constexpr auto kFirstRow = [] {
  std::array<std::uint8_t, kOperations> first{};
  first.fill(static_cast<std::uint8_t>(kFamilies.size()));
  for (std::size_t i = kFamilies.size(); i-- > 0;) {
    first[static_cast<std::size_t>(kFamilies[i].operation)] = static_cast<std::uint8_t>(i);
  }
  return first;
}();

}  // namespace

Executor find_common_executor(const OperationKey& key) {
  for (std::size_t row = kFirstRow[static_cast<std::size_t>(key.operation)];
       row < kFamilies.size() && kFamilies[row].operation == key.operation; ++row) {
    if (Executor found = kFamilies[row].find(key)) return found;
  }
  return nullptr;
}

}  // namespace tilescope
