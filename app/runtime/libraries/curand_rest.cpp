#include "runtime/device_access.h"

// What of cuRAND is not in curand.cpp: named when it is called.
#define MISSING(name)                                                 \
  extern "C" __attribute__((weak, visibility("default"))) int name(); \
  int name() {                                                        \
    cudaTilescopeMissing(#name);                                      \
    return 999; /* CURAND_STATUS_INTERNAL_ERROR */                    \
  }
#include "runtime/libraries/curand_missing.inc"
#undef MISSING
