#pragma once
#include <string>
#include <vector>

#include "kernel/json_document.h"
#include "session/session_file.h"

namespace tilescope {

struct VariantWanted {
  const SessionNames& names;
  bool own_recovery = false;  // whether a text may run on the GPU is read
};
// A variant of a session file. Mistakes are kept in the JSON document; `remarks` gets a sentence on
// what is not as it was when it was saved.
[[nodiscard]] VariantDocument read_variant(const JsonDocument::Node& node,
                                           const VariantWanted& wanted,
                                           std::vector<std::string>* remarks);

// A kernel of the user's own; its name is a usable one.
[[nodiscard]] OwnKernelDocument read_own_kernel(const JsonDocument::Node& node,
                                                const VariantWanted& wanted);

// As much of a name out of a file as a sentence takes, in one line.
[[nodiscard]] std::string shortened_name(const std::string& name);

}  // namespace tilescope
