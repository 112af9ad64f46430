#pragma once
#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace tilescope {

// Two times may be joined by a line, ranked, drawn to one scale or divided only if their conditions
// are equal. An unknown name equals only another unknown name.
struct Conditions {
  std::string gpu = {};                        // "NVIDIA H200"
  std::string driver = {};                     // "580.159.04"
  bool cold = true;                            // the L2 before each launch
  std::map<std::string, double> factors = {};  // kernel/launch/gemm_factors.h

  friend bool operator==(const Conditions&, const Conditions&) = default;
};

// The conditions of `other` that differ from `own`: "H200", "driver 580.159.04", "warm L2", "beta
// 0.5", or several of them. Empty: they are equal.
[[nodiscard]] std::string apart_words(const Conditions& other, const Conditions& own);

// "RTX 3080" of "NVIDIA GeForce RTX 3080".
[[nodiscard]] std::string short_gpu(std::string_view name);

// A time or a rate that knows its conditions, to be set against another one.
struct Conditioned {
  double value = 0;
  Conditions under;
};
// a / b; nullopt if their conditions differ or b is not positive.
[[nodiscard]] std::optional<double> ratio(const Conditioned& a, const Conditioned& b);

}  // namespace tilescope
