#ifndef INDICES_CUH
#define INDICES_CUH
#include <string>
#include <vector>

__device__ inline int row_major(int row, int col, int cols) { return row * cols + col; }

inline std::string describe(const std::vector<int>& v) { return std::to_string(v.size()); }
#endif
