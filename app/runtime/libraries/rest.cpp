#include "runtime/device_access.h"

// What of a library no other source here has: named when it is called. Built once for each, with
// the list of those calls and the status that says that they failed.
#define MISSING(name)                                                 \
  extern "C" __attribute__((weak, visibility("default"))) int name(); \
  int name() {                                                        \
    cudaTilescopeMissing(#name);                                      \
    return TILESCOPE_FAILED;                                          \
  }
#include TILESCOPE_MISSING
#undef MISSING
