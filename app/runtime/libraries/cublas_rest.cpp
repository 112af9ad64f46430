#include "runtime/device_access.h"

// What of cuBLAS is not in cublas.cpp: named when it is called.
#define MISSING(name)                                                 \
  extern "C" __attribute__((weak, visibility("default"))) int name(); \
  int name() {                                                        \
    cudaTilescopeMissing(#name);                                      \
    return 15; /* CUBLAS_STATUS_NOT_SUPPORTED */                      \
  }
#include "runtime/libraries/cublas_missing.inc"
#undef MISSING
