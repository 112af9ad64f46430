#pragma once
#include <iostream>
#include "more/indices.cuh"

struct Extent {
  int rows, cols;
};

inline void print(const Extent& extent) { std::cout << extent.rows << ' ' << extent.cols << '\n'; }
