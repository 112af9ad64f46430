#include "device_fixture.h"

#include <fmt/format.h>

#include <chrono>
#include <optional>
#include <stdexcept>
#include <stop_token>
#include <thread>
#include <utility>

#include "build_config.h"
#include "cli/command.h"
#include "kernel/launch/tensor_shape.h"

namespace tilescope {

std::unique_ptr<WorkerLink> OnDevice::link_;
std::optional<DeviceInfo> OnDevice::device_;
std::string OnDevice::why_not_;
Catalogue OnDevice::catalogue_;
std::vector<DeviceModel> OnDevice::models_;

void OnDevice::SetUpTestSuite() {
  WorkerSettings settings;
  settings.command = {TILESCOPE_PROGRAM, "worker"};
  link_ = start_worker(settings);
  std::optional<Result<DeviceInfo>> device;
  while (!(device = link_->device())) std::this_thread::sleep_for(std::chrono::milliseconds(5));
  if (!*device) {
    why_not_ = device->error().message;
    return;
  }
  device_ = **device;
  auto resources = load_resources();
  ASSERT_TRUE(resources.ok()) << to_string(resources.error());
  catalogue_ = std::move(resources->catalogue);
  models_ = std::move(resources->devices);
}

void OnDevice::TearDownTestSuite() {
  link_.reset();
  device_.reset();
}

void OnDevice::SetUp() {
  if (!device_) GTEST_SKIP() << why_not_;
}

void OnDevice::compile_into(RunRequest* request) {
  auto compiled =
      compile({request->instance, device_->compute_capability, true}, std::stop_token());
  ASSERT_TRUE(compiled.ok()) << to_string(compiled.error());
  request->compiled = std::make_shared<const CompiledKernel>(*std::move(compiled));
  request->timing.samples = 3;
  request->timing.warm_up = 1;
}

RunRequest OnDevice::catalogue_request(const std::string& id, const ParameterSet& changes,
                                       const std::string& size) const {
  RunRequest request;
  const CatalogueEntry* entry = catalogue_.find(id);
  if (entry == nullptr) throw std::runtime_error(fmt::format("no kernel {}", id));
  auto parameters = complete_parameters(*entry, changes);
  auto extents = parse_size(entry->problem, size);
  if (!parameters || !extents)
    throw std::runtime_error(fmt::format("bad parameters or size for {}", id));
  auto instance = instantiate(*entry, *parameters, *extents,
                              device_model_for(models_, device_->compute_capability));
  if (!instance) throw std::runtime_error(to_string(instance.error()));
  request.instance = *std::move(instance);
  compile_into(&request);
  return request;
}

RunRequest OnDevice::source_request(const std::string& source, const Dim3& grid, const Dim3& block,
                                    const std::vector<std::string>& arguments) const {
  RunRequest request;
  KernelInstance& instance = request.instance;
  instance.id = "test.cu";
  instance.file_name = "test.cu";
  instance.source = source;
  instance.kernel = std::string("k");
  instance.grid = grid;
  instance.block = block;
  for (const std::string& text : arguments) {
    Argument argument;
    std::string buffer = text;
    if (is_tensor_text(text)) {
      const auto tensor = parse_tensor(text, &buffer);
      if (!tensor) throw std::runtime_error(to_string(tensor.error()));
      argument.tensor = *tensor;
    }
    const auto spec = parse_argument_spec(buffer);
    if (!spec) throw std::runtime_error(to_string(spec.error()));
    argument.name = fmt::format("arg{}", instance.arguments.size());
    argument.is_pointer = spec->is_buffer;
    argument.type = spec->is_buffer ? spec->buffer.type : spec->type;
    argument.buffer = spec->buffer;
    argument.bits = spec->bits;
    argument.rows = 1;
    argument.cols = argument.leading = spec->buffer.count;
    instance.arguments.push_back(argument);
  }
  compile_into(&request);
  return request;
}

RunRequest OnDevice::with_source(RunRequest request, const std::string& source) const {
  request.instance.source = source;
  request.instance.kernel = std::string("k");
  compile_into(&request);
  return request;
}

Result<RunResult> OnDevice::run(RunRequest request) const {
  return run_and_wait(*link_, std::move(request));
}

void OnDevice::expect_in_order() const {
  const auto result = run(catalogue_request("transpose/naive", {}, "100x60"));
  ASSERT_TRUE(result.ok()) << to_string(result.error());
  EXPECT_TRUE(result->correct);
}

}  // namespace tilescope
