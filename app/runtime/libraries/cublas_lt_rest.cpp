#include "runtime/device_access.h"

// What of cuBLASLt is not in cublas_lt.cpp: named when it is called.
#define MISSING(name)                                                 \
  extern "C" __attribute__((weak, visibility("default"))) int name(); \
  int name() {                                                        \
    cudaTilescopeMissing(#name);                                      \
    return 15; /* CUBLAS_STATUS_NOT_SUPPORTED */                      \
  }
#include "runtime/libraries/cublas_lt_missing.inc"
#undef MISSING
