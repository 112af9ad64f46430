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
#include "emulator/checks/division_check.h"
#include "emulator/checks/heap_check.h"
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

template <class Check, class... Arguments>
void BlockChecks::add(Arguments&&... arguments) {
  checks_.push_back(std::make_unique<Check>(std::forward<Arguments>(arguments)...));
}

BlockChecks::BlockChecks(ThreadBlock& block, LaunchCheck* launch) {
  add<AccessFaultCheck>(block.context());
  add<BarrierCheck>(block, launch == nullptr ? nullptr : &launch->program());
  if (launch == nullptr) {
    add<EarlyReadCheck>(block.context());
  } else {
    checked_ = std::make_unique<Checked>(*launch, block);
    CheckedBlock& checked = checked_->block;
    auto races = std::make_unique<RaceCheck>(checked, checked_->copies);
    // In this order: what orders the accesses comes before those who ask for it, and what says all
    // there is to say about an access before those that would say more of it.
    add<HappensBefore>(checked);
    add<NamedBarrierCheck>(checked);
    add<ArrayBoundsCheck>(checked);
    add<ConstantBoundsCheck>(checked);
    add<HeapCheck>(checked);
    add<WarpSyncCheck>(checked);
    add<CopyCheck>(checked, checked_->copies, *races);
    add<BulkReadCheck>(checked, *races);
    add<BulkWriteCheck>(checked, *races);
    add<UninitialisedCheck>(checked, checked_->copies, *races);
    add<ReadOnlyCheck>(checked, *races);
    RaceCheck& race_check = *races;
    checks_.push_back(std::move(races));
    add<ProductReadCheck>(checked);
    add<ProductResultCheck>(checked);
    add<ProductFenceCheck>(checked);
    add<WarpgroupCheck>(checked);
    add<ProxyCheck>(checked, race_check);
    add<ClusterRaceCheck>(checked, race_check);
    add<DescriptorCheck>(checked);
    add<DivisionCheck>(checked);
  }
  for (const auto& check : checks_) block.observers().add(*check);
  if (launch != nullptr) block.watch(launch->notes().of.size());
}

BlockChecks::~BlockChecks() = default;

}  // namespace tilescope
