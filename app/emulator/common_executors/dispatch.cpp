#include "emulator/common_executors/families.h"
#include "emulator/decode/instruction_decoder.h"

namespace tilescope {

Executor find_common_executor(const OperationKey& key) {
  for (const auto find :
       {find_synchronisation, find_warp_exchange, find_atomic, find_approximate, find_directed,
        find_rare_conversion, find_narrow_conversion, find_packed_arithmetic, find_video,
        find_matrix_product, find_fragment_access, find_wide_atomic, find_mbarrier, find_bulk_copy,
        find_async_store, find_cluster_address, find_convergence}) {
    if (Executor found = find(key)) return found;
  }
  return nullptr;
}

}  // namespace tilescope
