#include "kernel_run.h"

#include <gtest/gtest.h>

#include <cmath>

#include "core/device_table.h"
#include "core/paths.h"
#include "kernel/catalogue/catalogue.h"

namespace tilescope {
namespace {

const DeviceModel& test_device() {
  static const DeviceModel device = [] {
    const auto table = load_device_table(resource_directory() / "assets" / "devices.json");
    EXPECT_TRUE(table.ok());
    const DeviceModel* found = table.ok() ? find_device(table.value(), 90) : nullptr;
    return found == nullptr ? DeviceModel{} : *found;
  }();
  return device;
}

const Argument* argument_of(const KernelInstance& instance, Role role) {
  for (const Argument& argument : instance.arguments) {
    if (argument.role == role) return &argument;
  }
  return nullptr;
}

float scalar_of(const KernelInstance& instance, const std::string& name) {
  for (const Argument& argument : instance.arguments) {
    if (argument.name != name) continue;
    const auto bits = static_cast<std::uint32_t>(argument.bits);
    float value;
    std::memcpy(&value, &bits, sizeof value);
    return value;
  }
  return 0.0f;
}

}  // namespace

std::vector<float> PreparedKernel::floats(const std::string& argument) const {
  for (const DeviceMemory::Buffer& buffer : memory.buffers()) {
    if (buffer.name != argument) continue;
    std::vector<float> values(buffer.contents->size() / sizeof(float));
    std::memcpy(values.data(), buffer.contents->data(), values.size() * sizeof(float));
    return values;
  }
  return {};
}

PreparedKernel prepare_kernel(const std::string& id, const ParameterSet& changes,
                              const std::string& size) {
  PreparedKernel prepared;
  const auto catalogue = load_catalogue({resource_directory() / "kernels"});
  EXPECT_TRUE(catalogue.ok()) << to_string(catalogue.error());
  const CatalogueEntry* entry = catalogue->find(id);
  EXPECT_NE(entry, nullptr) << id;
  if (entry == nullptr) return prepared;
  const auto parameters = complete_parameters(*entry, changes);
  EXPECT_TRUE(parameters.ok()) << to_string(parameters.error());
  const auto extents = parse_size(entry->problem, size);
  EXPECT_TRUE(extents.ok());
  auto instance = instantiate(*entry, *parameters, *extents, test_device());
  EXPECT_TRUE(instance.ok()) << to_string(instance.error());
  if (!instance) return prepared;
  prepared.instance = std::move(*instance);
  const auto compiled = compile({prepared.instance, 90, false}, {});
  EXPECT_TRUE(compiled.ok()) << to_string(compiled.error());
  if (!compiled) return prepared;
  const auto program = decode_ptx(compiled->ptx, compiled->kernel, prepared.instance.source);
  EXPECT_TRUE(program.ok()) << to_string(program.error());
  if (!program) return prepared;
  prepared.program = *program;
  prepared.launch.grid = prepared.instance.grid;
  prepared.launch.block = prepared.instance.block;
  prepared.launch.dynamic_shared_bytes = prepared.instance.dynamic_shared_bytes;
  for (const Argument& argument : prepared.instance.arguments) {
    if (!argument.is_pointer) {
      prepared.launch.arguments.push_back(argument.bits);
      continue;
    }
    auto contents = std::make_shared<std::vector<std::byte>>(argument.buffer.bytes());
    EXPECT_TRUE(fill_buffer(argument.buffer, *contents).ok());
    const auto index = prepared.memory.add(argument.name, argument.type, contents);
    prepared.launch.arguments.push_back(prepared.memory.buffers()[index].address);
  }
  return prepared;
}

std::vector<float> expected_result(const PreparedKernel& prepared,
                                   const std::vector<float>& before) {
  const KernelInstance& instance = prepared.instance;
  if (instance.problem && (*instance.problem)->reference == ReferenceKind::kTranspose) {
    const Argument* in = argument_of(instance, Role::kIn);
    const std::vector<float> from = prepared.floats(in->name);
    std::vector<float> to = before;
    for (std::size_t r = 0; r < in->rows; ++r) {
      for (std::size_t c = 0; c < in->cols; ++c) to[c * in->rows + r] = from[r * in->leading + c];
    }
    return to;
  }
  const Argument* a = argument_of(instance, Role::kA);
  const Argument* b = argument_of(instance, Role::kB);
  const std::vector<float> left = prepared.floats(a->name);
  const std::vector<float> right = prepared.floats(b->name);
  const float alpha = scalar_of(instance, "alpha");
  const float beta = scalar_of(instance, "beta");
  std::vector<float> result = before;
  for (std::size_t m = 0; m < a->rows; ++m) {
    for (std::size_t n = 0; n < b->cols; ++n) {
      float sum = 0.0f;
      for (std::size_t k = 0; k < a->cols; ++k) {
        sum = std::fma(left[m * a->leading + k], right[k * b->leading + n], sum);
      }
      const float product = alpha * sum;
      float& c = result[m * b->cols + n];
      c = beta == 0.0f ? product : std::fma(beta, c, product);
    }
  }
  return result;
}

}  // namespace tilescope
