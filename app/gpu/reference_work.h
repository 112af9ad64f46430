#pragma once
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/result.h"
#include "gpu/kernel_module.h"
#include "gpu/launch_buffers.h"
#include "kernel/launch/element_reference.h"

namespace tilescope {

// What a catalogue kernel is measured against and verified with: cuBLAS for a GEMM, SGEMM in strict
// FP32 or bf16 operands with FP32 sums. For the other problems the time is that of a
// device-to-device copy that moves as many bytes, and the values are what the host makes of the
// input, or what the problem's reference kernel makes of it here.
class ReferenceWork {
 public:
  // The last right result that took the GPU, kept while only the kernel's parameters change.
  struct KnownResult {
    std::string kernel;  // the reference kernel's id and launch; empty: cuBLAS
    std::vector<BufferRecipe> recipes;
    std::vector<std::uint64_t> shape;
    std::vector<float> scalars;
    std::vector<float> values;  // of cuBLAS
    std::vector<std::vector<std::byte>>
        contents;  // of the buffers that the reference kernel writes
  };

  struct Tools {
    const GpuDevice& gpu;
    BufferCache& cache;
    ModuleCache& modules;
  };

  // nullopt: the kernel is no problem with a reference, or cuBLAS is missing. The reference writes
  // to *result, which is kept while its size stays. All arguments must outlive it.
  [[nodiscard]] static Result<std::optional<ReferenceWork>> make(
      const Tools& tools, const RunMessage& run, const LaunchBuffers& buffers,
      std::optional<DeviceBuffer>* result);

  [[nodiscard]] const std::string& name() const { return name_; }

  // Whether its time says something beside the kernel's: not that of a kernel that is only right.
  [[nodiscard]] bool can_be_timed() const { return !name_.empty(); }
  // Queues it once. Precondition: can_be_timed().
  [[nodiscard]] Status queue() const;

  // Another way to do the same that is worth a time: cuBLAS's own transpose. Empty: none.
  [[nodiscard]] std::string other_name() const;
  [[nodiscard]] Status queue_other() const;

  // Compares what the kernel wrote; the stream must be idle.
  struct Comparison {
    double max_error = 0;  // NaN when a NaN stands where it should not
    double tolerance = 0;
  };
  [[nodiscard]] Result<Comparison> compare(KnownResult& known) const;

 private:
  ReferenceWork(const Tools& tools, const RunMessage& run, const LaunchBuffers& buffers)
      : gpu_(&tools.gpu),
        cache_(&tools.cache),
        modules_(&tools.modules),
        run_(&run),
        buffers_(&buffers) {}
  // The reference's own output of this size.
  [[nodiscard]] Status hold(std::uint64_t bytes, std::optional<DeviceBuffer>* result);
  [[nodiscard]] Status take_product(std::optional<DeviceBuffer>* result);
  [[nodiscard]] Status take_elements(std::optional<DeviceBuffer>* result);
  [[nodiscard]] Status take_kernel(std::optional<DeviceBuffer>* result);
  // A device copy that moves as many bytes as the problem, where an input is large enough for one.
  [[nodiscard]] Status take_copy(std::optional<DeviceBuffer>* result);
  [[nodiscard]] Result<Comparison> compare_gemm(KnownResult& known) const;
  [[nodiscard]] Result<Comparison> compare_elements() const;
  [[nodiscard]] Status multiply() const;
  [[nodiscard]] Status know(KnownResult& known) const;
  [[nodiscard]] Result<Comparison> compare_kernel(KnownResult& known) const;
  [[nodiscard]] Status run_kernel(KnownResult& known) const;

  const GpuDevice* gpu_;
  BufferCache* cache_;
  ModuleCache* modules_;
  const RunMessage* run_;
  const LaunchBuffers* buffers_;
  std::string name_;                      // empty: cannot be timed
  const DeviceBuffer* result_ = nullptr;  // the reference's own output
  const DeviceBuffer* copied_ = nullptr;  // what a device copy reads
  LaunchBuffers::Operand a_, b_, c_;
  LaunchBuffers::Operand in_, out_;
  std::optional<Cublas::Gemm> gemm_;
  bool bf16_ = false;  // A and B of gemm_
  ReferenceKind kind_ = ReferenceKind::kNone;
  std::optional<ElementReference> elements_;  // kElements only
};

}  // namespace tilescope
