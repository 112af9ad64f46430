#include "gpu/gpu_device.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <set>
#include <span>
#include <utility>

namespace tilescope {

Result<std::unique_ptr<GpuDevice>> GpuDevice::open(int index) {
  Result<CudaDriver> driver = CudaDriver::load();
  if (!driver) return driver.error();
  std::unique_ptr<GpuDevice> gpu(new GpuDevice(*std::move(driver)));
  if (Status started = gpu->start(index); !started) return started.error();
  gpu->read_info();
  return gpu;
}

Status GpuDevice::start(int index) {
  int count = 0;
  if (Status s = driver_.check(driver_.cuDeviceGetCount(&count), "count GPUs"); !s) return s;
  if (count == 0) {
    return Error{ErrorCode::kMachine, "the driver shows no GPU", "Check nvidia-smi", {}};
  }
  if (index >= count) {
    return Error{ErrorCode::kMachine,
                 fmt::format("there is no GPU {}: the driver shows {}", index, count),
                 "GPUs are numbered from 0",
                 {}};
  }
  info_.visible = count;
  if (Status s = driver_.check(driver_.cuDeviceGet(&device_, index), "take the GPU"); !s) return s;
  const CUresult retained = driver_.cuDevicePrimaryCtxRetain(&context_, device_);
  if (Status s = driver_.check(retained, "make a context on the GPU"); !s) return s;
  if (Status s = driver_.check(driver_.cuCtxSetCurrent(context_), "use the context"); !s) return s;
  const CUresult streamed = driver_.cuStreamCreate(&stream_, CU_STREAM_DEFAULT);
  if (Status s = driver_.check(streamed, "make a stream"); !s) return s;

  std::array<char, 32> bus_id{};
  driver_.cuDeviceGetPCIBusId(bus_id.data(), static_cast<int>(bus_id.size()), device_);
  monitor_.emplace(bus_id.data());
  Result<Cublas> cublas = Cublas::open(stream_);
  if (cublas) {
    cublas_.emplace(*std::move(cublas));
  } else {
    info_.cublas_problem = to_string(cublas.error());
  }
  return ok_status();
}

namespace {

// "GPU-5c2d5b1e-…", as nvidia-smi -L writes it.
std::string uuid_text(const CUuuid& uuid) {
  std::string text = "GPU";
  for (std::size_t i = 0; i < sizeof uuid.bytes; ++i) {
    if (i == 0 || i == 4 || i == 6 || i == 8 || i == 10) text += '-';
    text += fmt::format("{:02x}", static_cast<unsigned char>(uuid.bytes[i]));
  }
  return text;
}

}  // namespace

void GpuDevice::read_info() {
  std::array<char, 256> name{};
  driver_.cuDeviceGetName(name.data(), static_cast<int>(name.size()), device_);
  info_.name = name.data();
  CUuuid uuid{};
  if (driver_.cuDeviceGetUuid(&uuid, device_) == CUDA_SUCCESS) info_.uuid = uuid_text(uuid);
  info_.compute_capability = 10 * attribute(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR) +
                             attribute(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR);
  info_.multiprocessors = attribute(CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT);
  info_.max_clock_hz = 1e3 * attribute(CU_DEVICE_ATTRIBUTE_CLOCK_RATE);
  std::size_t memory = 0;
  driver_.cuDeviceTotalMem(&memory, device_);
  info_.memory_bytes = memory;
  constexpr double kTransfersOfAClock = 2;  // double data rate
  info_.memory_bytes_per_second = kTransfersOfAClock *
                                  (1e3 * attribute(CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE)) *
                                  (attribute(CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH) / 8.0);
  info_.l2_bytes = static_cast<std::uint64_t>(attribute(CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE));
  info_.driver = monitor_->driver_version().value_or("");
  int version = 0;
  driver_.cuDriverGetVersion(&version);
  info_.cuda_driver = fmt::format("{}.{}", version / 1000, version / 10 % 100);
  if (cublas_) info_.cublas = cublas_->version();
}

GpuDevice::~GpuDevice() {
  cublas_.reset();
  if (stream_ != nullptr) driver_.cuStreamDestroy(stream_);
  if (context_ != nullptr) driver_.cuDevicePrimaryCtxRelease(device_);
}

int GpuDevice::attribute(CUdevice_attribute attribute) const {
  int value = 0;
  driver_.cuDeviceGetAttribute(&value, attribute, device_);
  return value;
}

Status GpuDevice::check_kernel(CUresult result, const std::string& kernel_id,
                               std::string_view what) const {
  const char* fault = fault_in_words(result);
  if (fault == nullptr) return driver_.check(result, what);
  return Error{ErrorCode::kKernel,
               fmt::format("{}: the kernel {}", kernel_id, fault),
               "'tilescope trace' with the same arguments finds the line and the thread",
               {}};
}

Status GpuDevice::finish(const std::string& kernel_id) const {
  return check_kernel(driver_.cuStreamSynchronize(stream_), kernel_id, "wait for the GPU");
}

bool GpuDevice::alive() const { return driver_.cuCtxSynchronize() == CUDA_SUCCESS; }

DeviceModel model_of(const DeviceInfo& device, const std::vector<DeviceModel>& table) {
  const auto same = std::ranges::find_if(table, [&](const DeviceModel& row) {
    return row.name == device.name && row.compute_capability == device.compute_capability;
  });
  const bool listed = same != table.end();
  DeviceModel model = listed ? *same : device_model_for(table, device.compute_capability);
  if (!listed) model.measured.reset();  // of another GPU
  if (!device.name.empty()) model.name = device.name;
  if (device.multiprocessors > 0) model.multiprocessors = device.multiprocessors;
  if (device.max_clock_hz > 0 && !model.measured) model.boost_clock_hz = device.max_clock_hz;
  if (!listed && device.memory_bytes_per_second > 0)
    model.memory_bytes_per_second = device.memory_bytes_per_second;
  return model;
}

namespace {

constexpr int kSmClock = 1;         // NVML_CLOCK_SM
constexpr int kGpuTemperature = 0;  // NVML_TEMPERATURE_GPU

}  // namespace

DeviceMonitor::DeviceMonitor(const std::string& pci_bus_id) {
  Result<SharedLibrary> library = SharedLibrary::open({"libnvidia-ml.so.1"});
  if (!library) return;
  library_.emplace(*std::move(library));
  const bool complete =
      library_->find("nvmlInit_v2", &functions_.init) &&
      library_->find("nvmlShutdown", &functions_.shutdown) &&
      library_->find("nvmlDeviceGetHandleByPciBusId_v2", &functions_.device_by_bus_id) &&
      library_->find("nvmlDeviceGetClockInfo", &functions_.clock_info) &&
      library_->find("nvmlDeviceGetTemperature", &functions_.temperature) &&
      // Under its older name, which newer drivers keep.
      library_->find("nvmlDeviceGetCurrentClocksThrottleReasons", &functions_.throttle_reasons) &&
      library_->find("nvmlSystemGetDriverVersion", &functions_.driver_version);
  static_cast<void>(library_->find("nvmlDeviceGetProcessUtilization", &functions_.process_use));
  if (!complete || functions_.init() != 0) return;
  started_ = true;
  if (functions_.device_by_bus_id(pci_bus_id.c_str(), &device_) != 0) device_ = nullptr;
}

DeviceMonitor::~DeviceMonitor() {
  if (started_) functions_.shutdown();
}

std::optional<double> DeviceMonitor::sm_clock_hz() const {
  unsigned megahertz = 0;
  if (device_ == nullptr || functions_.clock_info(device_, kSmClock, &megahertz) != 0) {
    return std::nullopt;
  }
  return megahertz * 1e6;
}

std::optional<double> DeviceMonitor::temperature_celsius() const {
  unsigned degrees = 0;
  if (device_ == nullptr || functions_.temperature(device_, kGpuTemperature, &degrees) != 0) {
    return std::nullopt;
  }
  return degrees;
}

std::optional<std::uint64_t> DeviceMonitor::throttle_reasons() const {
  unsigned long long reasons = 0;
  if (device_ == nullptr || functions_.throttle_reasons(device_, &reasons) != 0) {
    return std::nullopt;
  }
  return reasons;
}

std::optional<std::string> DeviceMonitor::driver_version() const {
  std::array<char, 96> text{};
  if (!started_ || functions_.driver_version(text.data(), text.size()) != 0) return std::nullopt;
  return std::string(text.data());
}

namespace {

// Here, and not in a namespace of processes that this one cannot see.
bool is_alive(unsigned process) {
  return ::kill(static_cast<pid_t>(process), 0) == 0 || errno == EPERM;
}

}  // namespace

int DeviceMonitor::others_since(std::chrono::system_clock::time_point start) const {
  using std::chrono::microseconds;
  if (device_ == nullptr || functions_.process_use == nullptr) return 0;
  // NVML looks every sixth of a second to every second.
  const auto since =
      std::chrono::duration_cast<microseconds>(start.time_since_epoch() - std::chrono::seconds(1));
  std::array<ProcessUse, 256> samples{};
  auto count = static_cast<unsigned>(samples.size());
  const auto begin = static_cast<unsigned long long>(since.count());
  if (functions_.process_use(device_, samples.data(), &count, begin) != 0) return 0;
  const auto own = static_cast<unsigned>(::getpid());
  std::set<unsigned> others;
  for (const ProcessUse& sample :
       std::span(samples).first(std::min<std::size_t>(count, samples.size()))) {
    if (sample.percent_of_time > 0 && sample.process != own && is_alive(sample.process)) {
      others.insert(sample.process);
    }
  }
  return static_cast<int>(others.size());
}

}  // namespace tilescope
