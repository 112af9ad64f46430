#include "runtime/device_access.h"

// What of cuFFT is not in cufft.cpp: named when it is called.
#define MISSING(name)                                                 \
  extern "C" __attribute__((weak, visibility("default"))) int name(); \
  int name() {                                                        \
    cudaTilescopeMissing(#name);                                      \
    return 5; /* CUFFT_INTERNAL_ERROR */                              \
  }
#include "runtime/libraries/cufft_missing.inc"
#undef MISSING
