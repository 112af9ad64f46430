#pragma once
#include "core/result.h"
#include "kernel/catalogue.h"
#include "kernel/instance.h"

namespace tilescope {

// An argument of a catalogue entry with the numbers filled in; `names` holds parameters and
// extents. Errors (kUsage): a value that does not fit its type, a matrix with no or too many
// elements.
[[nodiscard]] Result<Argument> make_argument(const ArgumentTemplate& from,
                                             const ParameterSet& names);

}  // namespace tilescope
