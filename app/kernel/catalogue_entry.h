#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "core/result.h"
#include "kernel/catalogue.h"

namespace tilescope {

// Reads NN_idea.json and the NN_idea.cu beside it. Errors name the file, the line and the path of
// the wrong value: a key that does not exist, an expression that cannot be understood or names what
// is no parameter, a default that is not among the values ...
[[nodiscard]] Result<CatalogueEntry> load_entry(const std::filesystem::path& json_file);

// Names of a problem's extents: M, N, K or ROWS, COLS.
[[nodiscard]] std::vector<std::string> extent_names(Problem problem);

// Names by which rules ask for the device's limits: compute_capability, max_threads_per_block,
// shared_bytes_per_block, shared_bytes_per_block_optin, registers_per_block, multiprocessors.
[[nodiscard]] const std::vector<std::string>& device_limit_names();

}  // namespace tilescope
