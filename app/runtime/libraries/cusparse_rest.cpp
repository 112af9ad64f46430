#include "runtime/device_access.h"

// What of cuSPARSE is not in cusparse.cpp: named when it is called.
#define MISSING(name)                                                 \
  extern "C" __attribute__((weak, visibility("default"))) int name(); \
  int name() {                                                        \
    cudaTilescopeMissing(#name);                                      \
    return 10; /* CUSPARSE_STATUS_NOT_SUPPORTED */                    \
  }
#include "runtime/libraries/cusparse_missing.inc"
#undef MISSING
