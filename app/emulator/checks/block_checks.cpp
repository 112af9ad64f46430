#include "emulator/checks/block_checks.h"

#include <utility>

#include "emulator/checks/barrier_check.h"
#include "emulator/checks/bounds_check.h"
#include "emulator/checks/bulk_read_check.h"
#include "emulator/checks/bulk_write_check.h"
#include "emulator/checks/checked_block.h"
#include "emulator/checks/cluster_race_check.h"
#include "emulator/checks/constant_bounds_check.h"
#include "emulator/checks/copy_check.h"
#include "emulator/checks/descriptor_check.h"
#include "emulator/checks/named_barrier_check.h"
#include "emulator/checks/product_fence_check.h"
#include "emulator/checks/product_read_check.h"
#include "emulator/checks/product_result_check.h"
#include "emulator/checks/proxy_check.h"
#include "emulator/checks/race_check.h"
#include "emulator/checks/read_only_check.h"
#include "emulator/checks/uninitialised_check.h"
#include "emulator/checks/warp_sync_check.h"
#include "emulator/checks/warpgroup_check.h"

namespace tilescope {

struct BlockChecks::Checked {
  Checked(LaunchCheck& launch, ThreadBlock& of_block) : block(launch, of_block), copies(block) {}

  CheckedBlock block;
  CopyReports copies;
};

BlockChecks::BlockChecks(ThreadBlock& block, LaunchCheck* launch) {
  checks_.push_back(std::make_unique<AccessFaultCheck>(block.context()));
  checks_.push_back(
      std::make_unique<BarrierCheck>(block, launch == nullptr ? nullptr : &launch->program()));
  if (launch == nullptr) {
    checks_.push_back(std::make_unique<EarlyReadCheck>(block.context()));
  } else {
    checked_ = std::make_unique<Checked>(*launch, block);
    CheckedBlock& checked = checked_->block;
    auto races = std::make_unique<RaceCheck>(checked, checked_->copies);
    // In this order: what orders the accesses comes before those who ask for it, and what says all
    // there is to say about an access before those that would say more of it.
    checks_.push_back(std::make_unique<HappensBefore>(checked));
    checks_.push_back(std::make_unique<NamedBarrierCheck>(checked));
    checks_.push_back(std::make_unique<ArrayBoundsCheck>(checked));
    checks_.push_back(std::make_unique<ConstantBoundsCheck>(checked));
    checks_.push_back(std::make_unique<WarpSyncCheck>(checked));
    checks_.push_back(std::make_unique<CopyCheck>(checked, checked_->copies, *races));
    checks_.push_back(std::make_unique<BulkReadCheck>(checked, *races));
    checks_.push_back(std::make_unique<BulkWriteCheck>(checked, *races));
    checks_.push_back(std::make_unique<UninitialisedCheck>(checked, checked_->copies, *races));
    RaceCheck& race_check = *races;
    checks_.push_back(std::make_unique<ReadOnlyCheck>(checked, race_check));
    checks_.push_back(std::move(races));
    checks_.push_back(std::make_unique<ProductReadCheck>(checked));
    checks_.push_back(std::make_unique<ProductResultCheck>(checked));
    checks_.push_back(std::make_unique<ProductFenceCheck>(checked));
    checks_.push_back(std::make_unique<WarpgroupCheck>(checked));
    checks_.push_back(std::make_unique<ProxyCheck>(checked, race_check));
    checks_.push_back(std::make_unique<ClusterRaceCheck>(checked, race_check));
    checks_.push_back(std::make_unique<DescriptorCheck>(checked));
  }
  for (const auto& check : checks_) block.observers().add(*check);
  if (launch != nullptr) block.watch(launch->notes().of.size());
}

BlockChecks::~BlockChecks() = default;

}  // namespace tilescope
