#pragma once
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/result.h"
#include "gpu/launch_buffers.h"
#include "kernel/launch/element_reference.h"

namespace tilescope {

// What a catalogue kernel is measured against and verified with: cuBLAS for a GEMM, SGEMM in strict
// FP32 or bf16 operands with FP32 sums; for the other problems a device-to-device copy of the same
// bytes (time) and what the host makes of the input (values).
class ReferenceWork {
 public:
  // The last GEMM's right result, kept while only the kernel's parameters change.
  struct KnownResult {
    std::vector<BufferRecipe> recipes;
    std::vector<std::uint64_t> shape;
    std::vector<float> scalars;
    std::vector<float> values;
  };

  // nullopt: the kernel is no problem with a reference, or cuBLAS is missing. The reference writes
  // to *result, which is kept while its size stays.
  [[nodiscard]] static Result<std::optional<ReferenceWork>> make(
      const GpuDevice& gpu, const RunMessage& run, const LaunchBuffers& buffers,
      std::optional<DeviceBuffer>* result);

  [[nodiscard]] const std::string& name() const { return name_; }

  // Queues it once.
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
  ReferenceWork(const GpuDevice& gpu, std::string name, const DeviceBuffer& result)
      : gpu_(&gpu), name_(std::move(name)), result_(&result) {}
  [[nodiscard]] Result<Comparison> compare_gemm(KnownResult& known) const;
  [[nodiscard]] Result<Comparison> compare_elements() const;
  [[nodiscard]] Status multiply() const;
  [[nodiscard]] Status know(KnownResult& known) const;

  const GpuDevice* gpu_;
  std::string name_;
  const DeviceBuffer* result_;  // the reference's own output
  LaunchBuffers::Operand a_, b_, c_;
  LaunchBuffers::Operand in_, out_;
  std::optional<Cublas::Gemm> gemm_;
  bool bf16_ = false;  // A and B of gemm_
  Problem problem_ = Problem::kGemm;
  std::optional<ElementReference> elements_;  // elementwise only
};

}  // namespace tilescope
