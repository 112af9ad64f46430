#include "gpu/counter_reader.h"

#include <fmt/format.h>

#include "core/cuda_folders.h"

namespace tilescope {

using cupti::make;

// The names of one read, and what the profiler needs for them.
class CounterReader::Session {
 public:
  explicit Session(const CounterReader& reader) : reader_(reader), cupti_(reader.functions_) {}
  ~Session() {
    if (profiler_ != nullptr) {
      auto disable = make<cupti::OfProfiler>();
      disable.profiler = profiler_;
      cupti_.disable(&disable);
    }
    if (host_ != nullptr) {
      auto deinitialize = make<cupti::HostDeinitialize>();
      deinitialize.host = host_;
      cupti_.host_deinitialize(&deinitialize);
    }
  }
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  // Names that the chip does not have are left out, and told.
  [[nodiscard]] Status choose(const std::vector<std::string>& names,
                              std::vector<std::string>* unknown) {
    auto host = make<cupti::HostInitialize>();
    host.type = cupti::ProfilerType::kRange;
    host.chip = reader_.chip_.c_str();
    host.availability = reader_.availability_.data();
    if (Status s = reader_.check(cupti_.host_initialize(&host), "prepare counting"); !s) return s;
    host_ = host.host;
    for (const std::string& name : names) {
      const char* text = name.c_str();
      auto add = make<cupti::AddMetrics>();
      add.host = host_;
      add.names = &text;
      add.count = 1;
      if (cupti_.add_metrics(&add) == cupti::kSuccess) {
        names_.push_back(name);
      } else {
        unknown->push_back(name);
      }
    }
    for (const std::string& name : names_) texts_.push_back(name.c_str());
    return ok_status();
  }

  [[nodiscard]] bool nothing_chosen() const { return names_.empty(); }

  [[nodiscard]] Status enable() {
    if (Status s = make_config(); !s) return s;
    auto enable = make<cupti::Enable>();
    enable.context = reader_.gpu_.context();
    if (Status s = reader_.check(cupti_.enable(&enable), "read the GPU's counters"); !s) return s;
    profiler_ = enable.profiler;

    auto bytes = make<cupti::CounterDataSize>();
    bytes.profiler = profiler_;
    bytes.names = texts_.data();
    bytes.count = texts_.size();
    bytes.most_ranges = 1;
    bytes.most_tree_nodes = 1;
    if (Status s = reader_.check(cupti_.counter_data_size(&bytes), "size the counters"); !s) {
      return s;
    }
    data_.resize(bytes.bytes);
    auto initialize = make<cupti::CounterDataInitialize>();
    initialize.profiler = profiler_;
    initialize.bytes = data_.size();
    initialize.data = data_.data();
    if (Status s = reader_.check(cupti_.counter_data_initialize(&initialize), "clear the counters");
        !s) {
      return s;
    }
    auto config = make<cupti::SetConfig>();
    config.profiler = profiler_;
    config.config_bytes = config_.size();
    config.config = config_.data();
    config.counter_data_bytes = data_.size();
    config.counter_data = data_.data();
    config.range = cupti::RangeMode::kUser;
    config.replay = cupti::ReplayMode::kUser;
    config.most_ranges = 1;
    config.nesting_levels = 1;
    config.least_nesting_level = 1;
    return reader_.check(cupti_.set_config(&config), "choose the counters");
  }

  // As many launches as the counters need passes.
  [[nodiscard]] Status count(const std::function<Status()>& prepare,
                             const std::function<Status()>& launch, const std::string& kernel_id) {
    constexpr int kMostPasses = 1000;
    auto of_profiler = make<cupti::OfProfiler>();
    of_profiler.profiler = profiler_;
    auto push = make<cupti::PushRange>();
    push.profiler = profiler_;
    push.name = "launch";
    auto stop = make<cupti::Stop>();
    stop.profiler = profiler_;
    for (int pass = 0; pass < kMostPasses && stop.all_passes_done == 0; ++pass) {
      if (Status s = prepare(); !s) return s;
      if (Status s = reader_.gpu_.finish(kernel_id); !s) return s;
      if (Status s = reader_.check(cupti_.start(&of_profiler), "start counting"); !s) return s;
      if (Status s = reader_.check(cupti_.push_range(&push), "begin a range"); !s) return s;
      if (Status s = launch(); !s) return s;
      if (Status s = reader_.gpu_.finish(kernel_id); !s) return s;
      if (Status s = reader_.check(cupti_.pop_range(&of_profiler), "end a range"); !s) return s;
      if (Status s = reader_.check(cupti_.stop(&stop), "stop counting"); !s) return s;
    }
    auto decode = make<cupti::DecodeData>();
    decode.profiler = profiler_;
    return reader_.check(cupti_.decode_data(&decode), "decode the counters");
  }

  [[nodiscard]] Status evaluate(std::map<std::string, double>* values) {
    std::vector<double> numbers(names_.size());
    auto evaluate = make<cupti::Evaluate>();
    evaluate.host = host_;
    evaluate.counter_data = data_.data();
    evaluate.counter_data_bytes = data_.size();
    evaluate.names = texts_.data();
    evaluate.count = texts_.size();
    evaluate.values = numbers.data();
    if (Status s = reader_.check(cupti_.evaluate(&evaluate), "compute the counters"); !s) return s;
    for (std::size_t i = 0; i < names_.size(); ++i) (*values)[names_[i]] = numbers[i];
    return ok_status();
  }

 private:
  [[nodiscard]] Status make_config() {
    auto bytes = make<cupti::ConfigSize>();
    bytes.host = host_;
    if (Status s = reader_.check(cupti_.config_size(&bytes), "plan the passes"); !s) return s;
    config_.resize(bytes.bytes);
    auto image = make<cupti::ConfigImage>();
    image.host = host_;
    image.bytes = config_.size();
    image.image = config_.data();
    return reader_.check(cupti_.config_image(&image), "plan the passes");
  }

  const CounterReader& reader_;
  const Functions& cupti_;
  cupti::HostObject* host_ = nullptr;
  cupti::RangeProfiler* profiler_ = nullptr;
  std::vector<std::string> names_;
  std::vector<const char*> texts_;  // of names_
  std::vector<std::uint8_t> config_;
  std::vector<std::uint8_t> data_;
};

Error counters_forbidden() {
  return {ErrorCode::kMachine,
          "the driver keeps the GPU's counters for administrators",
          "As root, load the nvidia module with NVreg_RestrictProfilingToAdminUsers=0 and restart, "
          "or run tilescope as root (in a container: with SYS_ADMIN). All but counters works "
          "without",
          {}};
}

CounterReader::~CounterReader() = default;

Status CounterReader::check(int result, const char* what) const {
  if (result == cupti::kSuccess) return ok_status();
  if (result == cupti::kInsufficientPrivileges || result == cupti::kVirtualInsufficientPrivileges) {
    return counters_forbidden();
  }
  const char* words = nullptr;
  functions_.result_string(result, &words);
  return Error{ErrorCode::kMachine,
               fmt::format("cannot {}: {}", what, words != nullptr ? words : "unknown CUPTI error"),
               "",
               {}};
}

Status CounterReader::load() {
  if (!availability_.empty()) return ok_status();
  auto library = SharedLibrary::open({"libcupti.so.13", "libcupti.so.12"}, cupti_library_folders());
  if (!library) {
    Error error = library.error();
    error.remedy =
        "Install CUPTI of the CUDA toolkit 12.6 or later, or name its folder in "
        "TILESCOPE_CUDA_LIBRARIES";
    return error;
  }
  bool complete = library->find("cuptiGetResultString", &functions_.result_string);
#define TILESCOPE_FIND(member, Params, symbol) \
  complete = library->find(symbol, &functions_.member) && complete;
  TILESCOPE_CUPTI_FUNCTIONS(TILESCOPE_FIND)
#undef TILESCOPE_FIND
  if (!complete) {
    return Error{ErrorCode::kMachine,
                 fmt::format("{} has no range profiler", library->file().string()),
                 "It came with CUDA 12.6: install that or a later toolkit",
                 {}};
  }
  library_.emplace(*std::move(library));
  auto initialize = make<cupti::Initialize>();
  if (Status s = check(functions_.initialize(&initialize), "start CUPTI"); !s) return s;
  auto chip = make<cupti::ChipName>();
  if (Status s = check(functions_.chip_name(&chip), "name the chip"); !s) return s;
  chip_ = chip.name;
  auto availability = make<cupti::CounterAvailability>();
  availability.context = gpu_.context();
  if (Status s = check(functions_.counter_availability(&availability), "list the counters"); !s) {
    return s;
  }
  std::vector<std::uint8_t> image(availability.bytes);
  availability.image = image.data();
  if (Status s = check(functions_.counter_availability(&availability), "list the counters"); !s) {
    return s;
  }
  availability_ = std::move(image);
  return ok_status();
}

Result<CounterReader::Counters> CounterReader::read(const std::vector<std::string>& names,
                                                    const std::function<Status()>& prepare,
                                                    const std::function<Status()>& launch,
                                                    const std::string& kernel_id) {
  if (Status s = load(); !s) return s.error();
  Session session(*this);
  Counters counters;
  if (Status s = session.choose(names, &counters.unknown); !s) return s.error();
  if (session.nothing_chosen()) return counters;
  if (Status s = session.enable(); !s) return s.error();
  if (Status s = session.count(prepare, launch, kernel_id); !s) return s.error();
  if (Status s = session.evaluate(&counters.values); !s) return s.error();
  return counters;
}

// The stall reasons are warps that wait for this in an average cycle in which an instruction
// issues, so that they add up to the latency of an instruction (Nsight Compute, Warp State).
const std::vector<ProfileCounter>& profile_counters() {
  static const std::vector<ProfileCounter> counters = {
#define TILESCOPE_STALL(reason, words)                                                     \
  {"smsp__average_warps_issue_stalled_" reason "_per_issue_active.ratio", "stalls", words, \
   "cycles an instruction"}
      TILESCOPE_STALL("long_scoreboard", "waits for global or local memory (long scoreboard)"),
      TILESCOPE_STALL("short_scoreboard", "waits for shared memory (short scoreboard)"),
      TILESCOPE_STALL("lg_throttle", "queue to global memory full (LG throttle)"),
      TILESCOPE_STALL("mio_throttle", "queue to shared memory full (MIO throttle)"),
      TILESCOPE_STALL("barrier", "waits at a barrier"),
      TILESCOPE_STALL("wait", "fixed latency of the instruction before (wait)"),
      TILESCOPE_STALL("math_pipe_throttle", "arithmetic unit busy (math pipe throttle)"),
      TILESCOPE_STALL("not_selected", "ready, but another warp was chosen (not selected)"),
      TILESCOPE_STALL("no_instruction", "waits for its instruction (no instruction)"),
      TILESCOPE_STALL("membar", "waits at a memory fence (membar)"),
      TILESCOPE_STALL("branch_resolving", "waits for a branch's target (branch resolving)"),
      TILESCOPE_STALL("dispatch_stall", "the dispatcher holds back (dispatch stall)"),
      TILESCOPE_STALL("drain", "stores leave after exit (drain)"),
#undef TILESCOPE_STALL
      {"sm__inst_executed_pipe_fma.avg.pct_of_peak_sustained_active", "pipes",
       "FP32 multiply-add pipe", "%"},
      {"sm__inst_executed_pipe_alu.avg.pct_of_peak_sustained_active", "pipes", "integer pipe", "%"},
      {"sm__inst_executed_pipe_lsu.avg.pct_of_peak_sustained_active", "pipes", "load/store pipe",
       "%"},
      {"sm__pipe_tensor_cycles_active.avg.pct_of_peak_sustained_active", "pipes", "tensor pipe",
       "%"},
      {"sm__throughput.avg.pct_of_peak_sustained_elapsed", "pipes",
       "busiest unit of the SM (SM throughput)", "%"},
      {"smsp__issue_active.avg.pct_of_peak_sustained_active", "pipes", "issue slots used", "%"},
      {"sm__warps_active.avg.pct_of_peak_sustained_active", "occupancy", "warps resident", "%"},
      {"smsp__inst_executed.sum", "occupancy", "warp instructions", ""},
      {"dram__bytes_read.sum", "memory", "read from DRAM", "B"},
      {"dram__bytes_write.sum", "memory", "written to DRAM", "B"},
      {"lts__t_bytes.sum", "memory", "through the L2", "B"},
      {"l1tex__t_sector_hit_rate.pct", "memory", "sectors found in L1", "%"},
      {"lts__t_sector_hit_rate.pct", "memory", "sectors found in the L2", "%"},
  };
  return counters;
}

}  // namespace tilescope
