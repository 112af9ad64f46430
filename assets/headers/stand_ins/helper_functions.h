// What CUDA's samples share: the command line, the stop watch, and the comparison of results.
#ifndef TILESCOPE_HELPER_FUNCTIONS
#define TILESCOPE_HELPER_FUNCTIONS
#include <helper_string.h>
#include <helper_timer.h>
#include <math.h>

#include <algorithm>
#include <cassert>
#include <fstream>
#include <iostream>
#include <string>
#include <vector>

// Whether the root of the squared differences is at most `epsilon` of the reference's.
inline bool sdkCompareL2fe(const float* reference, const float* values, const unsigned count,
                           const float epsilon) {
  double error = 0, size = 0;
  for (unsigned i = 0; i < count; ++i) {
    error += (static_cast<double>(reference[i]) - values[i]) * (reference[i] - values[i]);
    size += static_cast<double>(reference[i]) * reference[i];
  }
  return size > 0 && sqrt(error / size) < epsilon;
}
template <class T>
inline bool compareData(const T* reference, const T* values, unsigned count, float epsilon,
                        float share = 0.0f) {
  unsigned wrong = 0;
  for (unsigned i = 0; i < count; ++i) {
    const double difference = static_cast<double>(reference[i]) - static_cast<double>(values[i]);
    wrong += difference > epsilon || difference < -epsilon;
  }
  return wrong <= share * count;
}
#endif
