#pragma once
#include "emulator/micro_operation.h"
#include "emulator/operation.h"

namespace tilescope {

// The executor for a key among those that are built once; nullptr: there is none.
[[nodiscard]] Executor find_common_executor(const OperationKey& key);

// Atomics, warp exchange, approximate functions ...: families that are not worth a build for each
// instruction set. Each answers nullptr for what is not its own.
Executor find_synchronisation(const OperationKey& key);  // cp.async, clocks, parameters of calls
Executor find_warp_exchange(const OperationKey& key);    // shfl, vote, match, redux
Executor find_atomic(const OperationKey& key);
Executor find_approximate(const OperationKey& key);  // sin, ex2, rsqrt, div.approx ...
Executor find_rare_conversion(const OperationKey& key);
Executor find_narrow_conversion(const OperationKey& key);
Executor find_packed_arithmetic(const OperationKey& key);
Executor find_video(const OperationKey& key);
Executor find_matrix_product(const OperationKey& key);
Executor find_fragment_access(const OperationKey& key);
Executor find_wide_atomic(const OperationKey& key);
Executor find_mbarrier(const OperationKey& key);
Executor find_bulk_copy(const OperationKey& key);
Executor find_tensor_copy(const OperationKey& key);
Executor find_tensor_map(const OperationKey& key);  // tensormap.replace, .cp_fenceproxy
Executor find_texture(const OperationKey& key);     // and surfaces
Executor find_async_store(const OperationKey& key);
Executor find_cluster_address(const OperationKey& key);
Executor find_convergence(const OperationKey& key);        // of machine code
Executor find_device_print(const OperationKey& key);       // printf, assert
Executor find_device_allocation(const OperationKey& key);  // malloc, free
Executor find_device_runtime(const OperationKey& key);     // launches of kernels by kernels
Executor find_directed(const OperationKey& key);           // .rz, .rm, .rp

}  // namespace tilescope
