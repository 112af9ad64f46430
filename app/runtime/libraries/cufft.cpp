#include <algorithm>
#include <array>
#include <cmath>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <numbers>
#include <optional>
#include <vector>

#include "runtime/device_access.h"

// cuFFT on the CPU: plans of one to three dimensions, strided and in batches, of all six types,
// computed in double precision by the definition, one prime factor after the other.
namespace {

using Result = int;  // cufftResult
constexpr Result kSuccess = 0;
constexpr Result kInvalidPlan = 1;
constexpr Result kInvalidType = 3;
constexpr Result kInvalidValue = 4;
constexpr Result kExecutionFailed = 6;
constexpr Result kInvalidSize = 8;

enum class Type : int {  // cufftType
  kC2C = 0x29,
  kR2C = 0x2a,
  kC2R = 0x2c,
  kZ2Z = 0x69,
  kD2Z = 0x6a,
  kZ2D = 0x6c,
};
bool is_known(int type) {
  return type == 0x29 || type == 0x2a || type == 0x2c || type == 0x69 || type == 0x6a ||
         type == 0x6c;
}

using Complex = std::complex<double>;
constexpr std::size_t kMostRank = 3;

// Where the elements of one side lie: element (i, j, k) of batch b at
// b * distance + ((i * embed[1] + j) * embed[2] + k) * stride. Without embed they are dense.
struct Layout {
  bool is_dense = true;
  std::array<std::size_t, kMostRank> embed{};
  std::size_t stride = 1;
  std::size_t distance = 0;
};

struct Plan {
  bool is_live = false;
  bool is_made = false;
  std::vector<std::size_t> n;
  Type type = Type::kC2C;
  std::size_t batch = 1;
  Layout in;
  Layout out;

  [[nodiscard]] std::size_t count() const {
    std::size_t product = 1;
    for (const std::size_t extent : n) product *= extent;
    return product;
  }
};

std::mutex plans_mutex;
std::vector<Plan> plans(1);  // a handle is an index; 0 is none

Plan* find_plan(int handle) {
  const auto index = static_cast<std::size_t>(handle);
  return handle > 0 && index < plans.size() && plans[index].is_live ? &plans[index] : nullptr;
}

// ---- the transform ------------------------------------------------------------------------------

std::size_t smallest_factor(std::size_t n) {
  for (std::size_t factor = 2; factor * factor <= n; ++factor)
    if (n % factor == 0) return factor;
  return n;
}

// Of n values `stride` apart; `roots`: the powers of the root of `whole`, of which n is a part.
void transform(const Complex* from, std::size_t stride, std::size_t n,
               const std::vector<Complex>& roots, Complex* to) {
  if (n == 1) {
    *to = *from;
    return;
  }
  const std::size_t whole = roots.size();
  const std::size_t factor = smallest_factor(n);
  const std::size_t part = n / factor;
  for (std::size_t i = 0; i < factor; ++i)
    transform(from + i * stride, stride * factor, part, roots, to + i * part);
  std::vector<Complex> column(factor);
  for (std::size_t k = 0; k < part; ++k) {
    for (std::size_t i = 0; i < factor; ++i)
      column[i] = to[i * part + k] * roots[i * k % n * (whole / n)];
    for (std::size_t j = 0; j < factor; ++j) {
      Complex sum = column[0];
      for (std::size_t i = 1; i < factor; ++i)
        sum += column[i] * roots[i * j % factor * (whole / factor)];
      to[j * part + k] = sum;
    }
  }
}

// Along each dimension. `sign`: of the exponent.
void transform_all(std::vector<Complex>& values, const std::vector<std::size_t>& n, double sign) {
  std::size_t stride = 1;
  for (std::size_t d = n.size(); d-- > 0;) {
    const std::size_t extent = n[d];
    std::vector<Complex> roots(extent);
    for (std::size_t i = 0; i < extent; ++i) {
      const double angle =
          sign * 2 * std::numbers::pi * static_cast<double>(i) / static_cast<double>(extent);
      roots[i] = {std::cos(angle), std::sin(angle)};
    }
    std::vector<Complex> line(extent);
    for (std::size_t first = 0; first < values.size(); ++first) {
      if (first / stride % extent != 0) continue;
      transform(values.data() + first, stride, extent, roots, line.data());
      for (std::size_t i = 0; i < extent; ++i) values[first + i * stride] = line[i];
    }
    stride *= extent;
  }
}

// ---- the two sides of a plan --------------------------------------------------------------------

// Elements of one side as they lie in memory.
struct Side {
  std::vector<std::size_t> extents;  // of what is stored: the last one is halved of a spectrum
  std::array<std::size_t, kMostRank> embed{};
  std::size_t stride = 1;
  std::size_t distance = 0;

  [[nodiscard]] std::size_t place(std::size_t batch,
                                  const std::array<std::size_t, kMostRank>& at) const {
    std::size_t row = 0;
    for (std::size_t d = 0; d < extents.size(); ++d) row = row * embed[d] + at[d];
    return batch * distance + row * stride;
  }
  [[nodiscard]] std::size_t reach(std::size_t batches) const {  // elements, to the last one
    std::array<std::size_t, kMostRank> last{};
    for (std::size_t d = 0; d < extents.size(); ++d) last[d] = extents[d] - 1;
    return place(batches - 1, last) + 1;
  }
};

// `is_half`: a spectrum of real values. `is_padded`: real values in the place of their spectrum.
Side side_of(const Plan& plan, const Layout& layout, bool is_half, bool is_padded) {
  Side side;
  side.extents = plan.n;
  const std::size_t last = plan.n.size() - 1;
  if (is_half) side.extents[last] = plan.n[last] / 2 + 1;
  if (!layout.is_dense) {
    side.embed = layout.embed;
    side.stride = layout.stride;
    side.distance = layout.distance;
    return side;
  }
  std::copy(side.extents.begin(), side.extents.end(), side.embed.begin());
  if (is_padded) side.embed[last] = 2 * (plan.n[last] / 2 + 1);
  side.distance = 1;
  for (std::size_t d = 0; d <= last; ++d) side.distance *= side.embed[d];
  return side;
}

template <class Do>
void for_all(const std::vector<std::size_t>& extents, const Do& f) {
  std::array<std::size_t, kMostRank> at{};
  while (true) {
    f(at);
    std::size_t d = extents.size();
    while (d-- > 0 && ++at[d] == extents[d]) at[d] = 0;
    if (d == static_cast<std::size_t>(-1)) return;
  }
}

std::size_t index_in(const std::vector<std::size_t>& n,
                     const std::array<std::size_t, kMostRank>& at) {
  std::size_t index = 0;
  for (std::size_t d = 0; d < n.size(); ++d) index = index * n[d] + at[d];
  return index;
}

template <class In, class Out>
Result execute(int handle, Type type, const void* from, void* to, double sign) {
  constexpr bool kFromReal = std::is_floating_point_v<In>;
  constexpr bool kToReal = std::is_floating_point_v<Out>;
  const std::lock_guard lock(plans_mutex);
  const Plan* plan = find_plan(handle);
  if (plan == nullptr || !plan->is_made) return kInvalidPlan;
  if (plan->type != type) return kInvalidType;
  const bool in_place = from == to;
  const Side in = side_of(*plan, plan->in, kToReal, kFromReal && in_place);
  const Side out = side_of(*plan, plan->out, kFromReal, kToReal && in_place);
  const auto* source =
      static_cast<const In*>(cudaTilescopePlace(from, in.reach(plan->batch) * sizeof(In), 0));
  auto* target = static_cast<Out*>(cudaTilescopePlace(to, out.reach(plan->batch) * sizeof(Out), 1));
  if (source == nullptr || target == nullptr) return kExecutionFailed;
  std::vector<Complex> values(plan->count());
  std::vector<Out> results;  // of all batches: in place they may lie over what is still to be read
  for (std::size_t batch = 0; batch < plan->batch; ++batch) {
    for_all(in.extents, [&](const auto& at) {
      const In value = source[in.place(batch, at)];
      if constexpr (kFromReal) {
        values[index_in(plan->n, at)] = static_cast<double>(value);
      } else {
        values[index_in(plan->n, at)] = {value.real(), value.imag()};
      }
      if constexpr (kToReal) {  // the other half is the conjugate one
        auto mirrored = at;
        for (std::size_t d = 0; d < plan->n.size(); ++d)
          mirrored[d] = (plan->n[d] - at[d]) % plan->n[d];
        if (mirrored[plan->n.size() - 1] >= in.extents.back())
          values[index_in(plan->n, mirrored)] = {value.real(), -value.imag()};
      }
    });
    transform_all(values, plan->n, sign);
    for_all(out.extents, [&](const auto& at) {
      const Complex& value = values[index_in(plan->n, at)];
      if constexpr (kToReal) {
        results.push_back(static_cast<Out>(value.real()));
      } else {
        using Part = typename Out::value_type;
        results.emplace_back(static_cast<Part>(value.real()), static_cast<Part>(value.imag()));
      }
    });
  }
  std::size_t next = 0;
  for (std::size_t batch = 0; batch < plan->batch; ++batch)
    for_all(out.extents, [&](const auto& at) { target[out.place(batch, at)] = results[next++]; });
  const auto count = static_cast<double>(plan->count() * plan->batch);
  constexpr double kShareOfPeak = 0.1;  // memory limits most transforms
  cudaTilescopeSpend(5 * count *
                     std::log2(std::max<double>(2, static_cast<double>(plan->count()))) /
                     (kShareOfPeak * cudaTilescopePeak()));
  return kSuccess;
}

Result make_plan(int handle, int rank, const long long* n, const Layout& in, const Layout& out,
                 int type, long long batch, std::size_t* work_bytes) {
  const std::lock_guard lock(plans_mutex);
  Plan* plan = find_plan(handle);
  if (plan == nullptr) return kInvalidPlan;
  if (rank < 1 || rank > static_cast<int>(kMostRank) || n == nullptr) return kInvalidValue;
  if (!is_known(type)) return kInvalidType;
  if (batch < 1 || std::any_of(n, n + rank, [](long long extent) { return extent < 1; }))
    return kInvalidSize;
  plan->n.assign(n, n + rank);
  plan->type = static_cast<Type>(type);
  plan->batch = static_cast<std::size_t>(batch);
  plan->in = in;
  plan->out = out;
  plan->is_made = true;
  if (work_bytes != nullptr) *work_bytes = 0;
  return kSuccess;
}

template <class Integer>
Layout layout_of(int rank, const Integer* embed, Integer stride, Integer distance) {
  Layout layout;
  if (embed == nullptr || rank < 1 || rank > static_cast<int>(kMostRank)) return layout;
  layout.is_dense = false;
  std::copy(embed, embed + rank, layout.embed.begin());
  layout.stride = static_cast<std::size_t>(stride);
  layout.distance = static_cast<std::size_t>(distance);
  return layout;
}

Result create(int* handle) {
  if (handle == nullptr) return kInvalidValue;
  const std::lock_guard lock(plans_mutex);
  *handle = static_cast<int>(plans.size());
  plans.emplace_back().is_live = true;
  return kSuccess;
}

template <class... Extents>
Result make_dense(int handle, int type, int batch, std::size_t* work_bytes, Extents... extents) {
  const std::array<long long, sizeof...(Extents)> n{extents...};
  return make_plan(handle, static_cast<int>(n.size()), n.data(), {}, {}, type, batch, work_bytes);
}

// cufftPlan...: create and make.
template <class Make>
Result plan_with(int* handle, const Make& make) {
  if (const Result made = create(handle); made != kSuccess) return made;
  return make(*handle);
}

}  // namespace

#define EXPORT extern "C" __attribute__((visibility("default")))

EXPORT Result cufftCreate(int* handle) { return create(handle); }
EXPORT Result cufftDestroy(int handle) {
  const std::lock_guard lock(plans_mutex);
  Plan* plan = find_plan(handle);
  if (plan == nullptr) return kInvalidPlan;
  *plan = {};
  return kSuccess;
}

EXPORT Result cufftMakePlan1d(int handle, int nx, int type, int batch, std::size_t* work) {
  return make_dense(handle, type, batch, work, nx);
}
EXPORT Result cufftMakePlan2d(int handle, int nx, int ny, int type, std::size_t* work) {
  return make_dense(handle, type, 1, work, nx, ny);
}
EXPORT Result cufftMakePlan3d(int handle, int nx, int ny, int nz, int type, std::size_t* work) {
  return make_dense(handle, type, 1, work, nx, ny, nz);
}
EXPORT Result cufftMakePlanMany(int handle, int rank, int* n, int* in_embed, int in_stride,
                                int in_distance, int* out_embed, int out_stride, int out_distance,
                                int type, int batch, std::size_t* work) {
  std::vector<long long> extents;
  if (n != nullptr && rank > 0 && rank <= static_cast<int>(kMostRank)) extents.assign(n, n + rank);
  const bool is_dense = in_embed == nullptr || out_embed == nullptr;  // then both are
  return make_plan(handle, rank, extents.empty() ? nullptr : extents.data(),
                   is_dense ? Layout{} : layout_of(rank, in_embed, in_stride, in_distance),
                   is_dense ? Layout{} : layout_of(rank, out_embed, out_stride, out_distance), type,
                   batch, work);
}
EXPORT Result cufftMakePlanMany64(int handle, int rank, long long* n, long long* in_embed,
                                  long long in_stride, long long in_distance, long long* out_embed,
                                  long long out_stride, long long out_distance, int type,
                                  long long batch, std::size_t* work) {
  const bool is_dense = in_embed == nullptr || out_embed == nullptr;
  return make_plan(handle, rank, n,
                   is_dense ? Layout{} : layout_of(rank, in_embed, in_stride, in_distance),
                   is_dense ? Layout{} : layout_of(rank, out_embed, out_stride, out_distance), type,
                   batch, work);
}

// cudaDataType of numbers.
enum DataType : int { kR32 = 0, kR64 = 1, kC32 = 4, kC64 = 5 };
EXPORT Result cufftXtMakePlanMany(int handle, int rank, long long* n, long long* in_embed,
                                  long long in_stride, long long in_distance, int from,
                                  long long* out_embed, long long out_stride,
                                  long long out_distance, int to, long long batch,
                                  std::size_t* work, int) {
  struct Row {
    DataType from, to;
    Type type;
  };
  constexpr Row kRows[] = {{kC32, kC32, Type::kC2C}, {kR32, kC32, Type::kR2C},
                           {kC32, kR32, Type::kC2R}, {kC64, kC64, Type::kZ2Z},
                           {kR64, kC64, Type::kD2Z}, {kC64, kR64, Type::kZ2D}};
  for (const Row& row : kRows) {
    if (row.from != from || row.to != to) continue;
    return cufftMakePlanMany64(handle, rank, n, in_embed, in_stride, in_distance, out_embed,
                               out_stride, out_distance, static_cast<int>(row.type), batch, work);
  }
  return kInvalidType;  // halves among them
}

EXPORT Result cufftPlan1d(int* handle, int nx, int type, int batch) {
  return plan_with(handle, [&](int made) { return make_dense(made, type, batch, nullptr, nx); });
}
EXPORT Result cufftPlan2d(int* handle, int nx, int ny, int type) {
  return plan_with(handle, [&](int made) { return make_dense(made, type, 1, nullptr, nx, ny); });
}
EXPORT Result cufftPlan3d(int* handle, int nx, int ny, int nz, int type) {
  return plan_with(handle,
                   [&](int made) { return make_dense(made, type, 1, nullptr, nx, ny, nz); });
}
EXPORT Result cufftPlanMany(int* handle, int rank, int* n, int* in_embed, int in_stride,
                            int in_distance, int* out_embed, int out_stride, int out_distance,
                            int type, int batch) {
  return plan_with(handle, [&](int made) {
    return cufftMakePlanMany(made, rank, n, in_embed, in_stride, in_distance, out_embed, out_stride,
                             out_distance, type, batch, nullptr);
  });
}

constexpr int kForward = -1;  // CUFFT_FORWARD
EXPORT Result cufftExecC2C(int handle, void* from, void* to, int direction) {
  using Value = std::complex<float>;
  return execute<Value, Value>(handle, Type::kC2C, from, to, direction == kForward ? -1 : 1);
}
EXPORT Result cufftExecZ2Z(int handle, void* from, void* to, int direction) {
  using Value = std::complex<double>;
  return execute<Value, Value>(handle, Type::kZ2Z, from, to, direction == kForward ? -1 : 1);
}
EXPORT Result cufftExecR2C(int handle, void* from, void* to) {
  return execute<float, std::complex<float>>(handle, Type::kR2C, from, to, -1);
}
EXPORT Result cufftExecD2Z(int handle, void* from, void* to) {
  return execute<double, std::complex<double>>(handle, Type::kD2Z, from, to, -1);
}
EXPORT Result cufftExecC2R(int handle, void* from, void* to) {
  return execute<std::complex<float>, float>(handle, Type::kC2R, from, to, 1);
}
EXPORT Result cufftExecZ2D(int handle, void* from, void* to) {
  return execute<std::complex<double>, double>(handle, Type::kZ2D, from, to, 1);
}
EXPORT Result cufftXtExec(int handle, void* from, void* to, int direction) {
  const auto type = [&]() -> std::optional<Type> {
    const std::lock_guard lock(plans_mutex);
    const Plan* plan = find_plan(handle);
    return plan == nullptr ? std::nullopt : std::optional(plan->type);
  }();
  if (!type) return kInvalidPlan;
  switch (*type) {
    case Type::kC2C:
      return cufftExecC2C(handle, from, to, direction);
    case Type::kZ2Z:
      return cufftExecZ2Z(handle, from, to, direction);
    case Type::kR2C:
      return cufftExecR2C(handle, from, to);
    case Type::kD2Z:
      return cufftExecD2Z(handle, from, to);
    case Type::kC2R:
      return cufftExecC2R(handle, from, to);
    case Type::kZ2D:
      return cufftExecZ2D(handle, from, to);
  }
  return kInvalidType;
}

// What has no meaning here: transforms need no work area, and end before the call does.
EXPORT Result cufftSetStream(int handle, void*) {
  const std::lock_guard lock(plans_mutex);
  return find_plan(handle) == nullptr ? kInvalidPlan : kSuccess;
}
EXPORT Result cufftSetWorkArea(int, void*) { return kSuccess; }
EXPORT Result cufftSetAutoAllocation(int, int) { return kSuccess; }
EXPORT Result cufftGetSize(int, std::size_t* work) {
  if (work == nullptr) return kInvalidValue;
  *work = 0;
  return kSuccess;
}
EXPORT Result cufftGetVersion(int* version) {
  if (version == nullptr) return kInvalidValue;
  *version = TILESCOPE_RUNTIME_MAJOR * 1000;
  return kSuccess;
}
