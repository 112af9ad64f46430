#include "analysis/time/verdicts.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <utility>

#include "analysis/memory/coalescing.h"
#include "analysis/occupancy/occupancy.h"
#include "analysis/study/line_costs.h"

namespace tilescope {
namespace {

constexpr double kLeastWorth = 0.02;
constexpr double kBigWorth = 0.1;
constexpr double kMuchOfALaunch = 0.3;
constexpr double kMostError = 1.2;  // of the modelled time
// A kernel whose instructions are less often arithmetic than this does not live by it.
constexpr double kLeastArithmetic = 0.02;
constexpr double kAtomicBytes = 4;  // as the time model counts addresses
constexpr double kSectorsOfLine = kLineBytes / kSectorBytes;

std::string number(double value) {
  if (value > 0 && value < 0.05) return fmt::format("{:.1g}", value);
  if (value >= 1e7)
    return fmt::format("{} million",
                       format_count(static_cast<std::uint64_t>(std::llround(value / 1e6))));
  return std::abs(value - std::round(value)) < 0.05 || value >= 100
             ? format_count(static_cast<std::uint64_t>(std::llround(value)))
             : fmt::format("{:.1f}", value);
}

std::string some(double value, std::string_view noun) {
  const std::string words = number(value);
  return fmt::format("{} {}{}", words, noun, words == "1" ? "" : "s");
}

double ratio(double part, double whole) { return whole > 0 ? part / whole : 0; }

std::string on_line(std::uint32_t line, std::string_view words) {
  return line == 0 ? std::string(words) : fmt::format("line {} {}", line, words);
}

std::pair<std::uint32_t, double> most(const std::map<std::uint32_t, double>& by_line) {
  std::pair<std::uint32_t, double> found{0, 0};
  for (const auto& [line, clocks] : by_line) {
    if (clocks > found.second) found = {line, clocks};
  }
  return found;
}

double sum_of(const std::map<std::uint32_t, double>& by_line) {
  double sum = 0;
  for (const auto& [line, clocks] : by_line) sum += clocks;
  return sum;
}

// Asks the model how much time each cause costs.
class Inquiry {
 public:
  Inquiry(const KernelStudy& study, Diagnosis& diagnosis)
      : study_(study),
        diagnosis_(diagnosis),
        work_(diagnosis.work),
        lines_(line_costs(study)),
        total_(diagnosis.bounds.total()) {}

  void ask_all() {
    load_pattern();
    store_pattern();
    bank_conflicts();
    data_stage();
    rereads();
    overhead();
    divergence();
    part_warps();
    waits();
    barriers();
    atomics();
    occupancy();
    short_blocks();
    tail();
    launch();
    std::ranges::stable_sort(diagnosis_.verdicts, std::ranges::greater{}, &Verdict::worth);
  }

 private:
  [[nodiscard]] bool computes() const {
    return work_.pipes.multiply_adds > kLeastArithmetic * work_.pipes.issued;
  }
  [[nodiscard]] double worth_of(const LaunchWork& without, const MachineRates& rates) const {
    return 1 - bounds_of(without, rates).total() / total_;
  }
  [[nodiscard]] double worth_of(const LaunchWork& without) const {
    return worth_of(without, diagnosis_.rates);
  }
  void add(Cause cause, double worth, std::string fact, std::string detail,
           std::uint32_t line = 0) {
    if (!(worth >= kLeastWorth)) return;
    diagnosis_.verdicts.push_back({cause, std::move(fact), std::move(detail), line, worth});
  }

  // Of loads, or of stores.
  void pattern(Cause cause, GlobalWork LaunchWork::*side, const LineCost& line,
               std::string_view verb) {
    LaunchWork without = work_;
    GlobalWork& global = without.*side;
    if (line.requests == 0 || line.sectors <= line.sectors_ideal) return;
    global.sectors = global.sectors_ideal;
    global.wavefronts = global.wavefronts_ideal;
    global.lines = std::min(global.lines, global.sectors_ideal / kSectorsOfLine);
    global.partial_sectors = 0;
    without.block_sectors = std::min(without.block_sectors, without.loads.sectors);
    const double sectors = ratio(line.sectors, line.requests);
    const double ideal = ratio(line.sectors_ideal, line.requests);
    add(cause, worth_of(without),
        fmt::format("{} per request instead of {}", some(sectors, "sector"), number(ideal)),
        on_line(
            line.line,
            fmt::format("{}; not coalesced: its lanes are too far apart to share sectors", verb)),
        line.line);
  }
  void load_pattern() {
    pattern(Cause::kLoadPattern, &LaunchWork::loads, lines_.worst_load, "loads");
  }
  void store_pattern() {
    pattern(Cause::kStorePattern, &LaunchWork::stores, lines_.worst_store, "stores");
  }

  void bank_conflicts() {
    const LineCost& line = lines_.worst_shared;
    if (line.requests == 0 || line.wavefronts <= line.wavefronts_ideal) return;
    LaunchWork without = work_;
    without.shared_wavefronts = without.shared_wavefronts_ideal;
    add(Cause::kBankConflicts, worth_of(without),
        fmt::format("{} per access instead of {}",
                    some(ratio(line.wavefronts, line.requests), "wavefront"),
                    number(ratio(line.wavefronts_ideal, line.requests))),
        on_line(line.line, line.copies   ? "copies to shared memory in separate writes"
                           : line.writes ? "writes shared memory with bank conflicts"
                                         : "reads shared memory with bank conflicts"),
        line.line);
  }

  // Every FMA waits for the loads of its operands at the one data stage.
  void data_stage() {
    if (!computes()) return;
    LaunchWork without = work_;
    without.shared_wavefronts = 0;
    without.loads.wavefronts = 0;
    const double wavefronts = work_.shared_wavefronts_ideal + work_.loads.wavefronts_ideal;
    const double per_fma = ratio(wavefronts, work_.pipes.multiply_adds);
    const bool tensor = work_.pipes.tensor_flop > 0;
    const std::string unit = tensor ? "MMA" : "FMA";
    const bool shared = work_.shared_wavefronts > work_.loads.wavefronts;
    const LineCost& line = shared ? lines_.most_shared : lines_.most_loads;
    add(Cause::kDataStage, worth_of(without),
        per_fma >= 0.95
            ? fmt::format("Each {} needs {} of loads", unit, some(per_fma, "wavefront"))
            : fmt::format("Only {} {}s per wavefront of loads", number(1 / per_fma), unit),
        on_line(line.line, fmt::format("loads from {}, one wavefront per clock",
                                       shared ? "shared memory" : "L1")),
        line.line);
  }

  void rereads() {
    const double once = work_.dram_read_bytes / kSectorBytes;
    if (work_.block_sectors <= once * 1.5) return;
    LaunchWork without = work_;
    without.block_sectors = once;
    add(Cause::kRereads, worth_of(without),
        fmt::format("Each byte is read {} times from L2", number(ratio(work_.block_sectors, once))),
        on_line(lines_.most_loads.line, "loads data that other blocks load too"),
        lines_.most_loads.line);
  }

  void overhead() {
    const PipeWork& pipes = work_.pipes;
    const double arithmetic = pipes.multiply_adds;
    if (!computes()) return;
    LaunchWork without = work_;
    without.pipes.issued = arithmetic + pipes.memory;
    without.pipes.integer = without.pipes.multiply = 0;
    without.pipes.fma_clocks = std::min(pipes.fma_clocks, arithmetic);
    const double others = pipes.issued - arithmetic - pipes.memory;
    const double each = ratio(others, arithmetic);
    const std::string unit = pipes.tensor_flop > 0 ? "MMA" : "FMA";
    add(Cause::kOverhead, worth_of(without),
        each >= 0.95 ? fmt::format("Each {} needs {}", unit, some(each, "other instruction"))
                     : fmt::format("1 non-{} instruction per {} {}s", unit, number(1 / each), unit),
        on_line(lines_.most_others.line, "has most of them: addresses, loops, conversions"),
        lines_.most_others.line);
  }

  void divergence() {
    if (lines_.worst_branch.divergent == 0) return;
    LaunchWork without = work_;
    const double filled =
        ratio(static_cast<double>(study_.launch.block.count()), work_.warps_per_block * kWarpSize);
    const double share = std::min(work_.lane_share / filled, 1.0);
    for (double PipeWork::*pipe :
         {&PipeWork::issued, &PipeWork::fp32, &PipeWork::fp64, &PipeWork::half, &PipeWork::integer,
          &PipeWork::multiply, &PipeWork::special}) {
      without.pipes.*pipe *= share;
    }
    without.pipes.fma_clocks *= share;
    without.path.clocks *= share;
    without.path.busy *= share;
    add(Cause::kDivergence, worth_of(without),
        fmt::format("{} of 32 lanes are active", number(work_.lane_share * kWarpSize)),
        on_line(lines_.worst_branch.line,
                lines_.worst_branch.leaves_loop
                    ? "runs more iterations for some lanes; finished lanes wait"
                    : "splits the warp; its paths run one after another"),
        lines_.worst_branch.line);
  }

  void part_warps() {
    const double threads = static_cast<double>(study_.launch.block.count());
    const double filled = ratio(threads, work_.warps_per_block * kWarpSize);
    if (filled >= 1) return;
    LaunchWork without = work_;
    without.pipes.issued *= filled;
    for (GlobalWork LaunchWork::*side : {&LaunchWork::loads, &LaunchWork::stores}) {
      (without.*side).wavefronts *= filled;
    }
    without.shared_wavefronts *= filled;
    without.path.clocks *= filled;
    without.path.busy *= filled;
    add(Cause::kPartWarps, worth_of(without),
        fmt::format("{} of 32 lanes have a thread", number(filled * kWarpSize)),
        fmt::format("{} per block; make it a multiple of 32", some(threads, "thread")));
  }

  void wait(Cause cause, const std::map<std::uint32_t, double>& waits, std::string_view what) {
    const double clocks = sum_of(waits);
    const auto [line, longest] = most(waits);
    LaunchWork without = work_;
    without.path.clocks -= clocks;
    add(cause, worth_of(without),
        fmt::format("A warp waits {} of {} clocks for {}", number(clocks),
                    number(work_.path.clocks), what),
        line == 0 ? std::string("for one warp alone; other warps hide part of it")
                  : fmt::format("mostly for line {}; other warps hide part of it", line),
        line);
  }
  void waits() {
    wait(Cause::kGlobalWaits, work_.path.global_waits, "global memory");
    wait(Cause::kSharedWaits, work_.path.shared_waits, "shared memory");
  }

  void barriers() {
    if (work_.path.barriers == 0) return;
    LaunchWork without = work_;
    without.path.clocks -= work_.path.barrier_waits;
    add(Cause::kBarriers, worth_of(without),
        fmt::format("{} per block", some(work_.path.barriers, "barrier")),
        fmt::format("a warp waits {} of {} clocks at them", number(work_.path.barrier_waits),
                    number(work_.path.clocks)));
  }

  void atomics() {
    const AtomicWork& atomics = work_.atomics;
    if (atomics.lanes <= 0) return;
    LaunchWork without = work_;
    without.atomics = {};
    const double addresses = std::max(atomics.bytes / kAtomicBytes, 1.0);
    add(Cause::kAtomics, worth_of(without),
        fmt::format("{} to each address", some(atomics.lanes / addresses, "atomic")),
        "one after the other; let each block combine its values first");
  }

  void occupancy() {
    const double warps = work_.resident_blocks * work_.warps_per_block;
    if (!study_.occupancy || warps + 0.5 >= work_.most_resident_warps) return;
    LaunchWork without = work_;
    without.resident_blocks = work_.most_resident_warps / work_.warps_per_block;
    add(Cause::kOccupancy, worth_of(without),
        fmt::format("{} per SM, limited by {}", some(work_.resident_blocks, "block"),
                    limits_in_words(*study_.occupancy)),
        fmt::format("{} of {} warps to hide the waits", number(warps),
                    number(work_.most_resident_warps)));
  }

  void short_blocks() {
    MachineRates without = diagnosis_.rates;
    without.block_clocks = without.block_start_clocks = without.warp_start_clocks = 0;
    const double blocks = static_cast<double>(work_.blocks) / diagnosis_.rates.multiprocessors;
    if (blocks <= work_.resident_blocks) return;
    add(Cause::kShortBlocks, worth_of(work_, without),
        fmt::format("Each SM starts {} short blocks", number(blocks)),
        fmt::format("of {} clocks each; let each thread process more elements",
                    number(work_.path.clocks)));
  }

  void tail() {
    LaunchWork without = work_;
    without.even = true;
    const double per_sm = static_cast<double>(work_.blocks) / diagnosis_.rates.multiprocessors;
    if (per_sm < 1) without.path.clocks *= per_sm;
    const std::string machine = number(diagnosis_.rates.multiprocessors) + " SMs";
    const std::string blocks = some(static_cast<double>(work_.blocks), "block");
    const std::string fact = per_sm < 1 ? fmt::format("{} for {}", blocks, machine)
                                        : fmt::format("{} on {}: an uneven tail", blocks, machine);
    const std::string detail =
        per_sm < 1 ? fmt::format("{} of them are idle", number(diagnosis_.rates.multiprocessors -
                                                               static_cast<double>(work_.blocks)))
                   : fmt::format("the busiest SM has {}; {} would be even",
                                 number(std::ceil(per_sm)), fmt::format("{:.2f}", per_sm));
    add(Cause::kTail, worth_of(without), fact, detail);
  }

  // How much larger a problem of a short launch must be until starting it hardly counts.
  [[nodiscard]] std::string size_advice() const {
    constexpr double kShort = 20e-6;      // seconds
    constexpr double kHardlyCounts = 16;  // times the start is the work then
    const double start = diagnosis_.rates.launch_seconds;
    if (total_ >= kShort || total_ <= start) return "; matters less for larger sizes";
    const double times = std::exp2(std::ceil(std::log2(kHardlyCounts * start / (total_ - start))));
    return fmt::format(", too short to judge: try {} times the size", number(times));
  }

  void launch() {
    MachineRates without = diagnosis_.rates;
    without.launch_seconds = 0;
    add(Cause::kLaunch, worth_of(work_, without),
        fmt::format("Launch and start-up take {}",
                    format(diagnosis_.rates.launch_seconds, Unit::kSeconds)),
        fmt::format("of {}{}", format(total_, Unit::kSeconds), size_advice()));
  }

  const KernelStudy& study_;
  Diagnosis& diagnosis_;
  const LaunchWork& work_;
  LineCosts lines_;
  double total_;
};

std::string limit_words(const Diagnosis& diagnosis) {
  const Limit limit = diagnosis.bounds.first();
  const double total = diagnosis.bounds.total();
  const double share = ratio(diagnosis.bounds[limit], total);
  if (diagnosis.bounds.launch > diagnosis.bounds[limit]) {
    return fmt::format("Too short to judge: launch and start-up take {} of {}",
                       format(diagnosis.bounds.launch, Unit::kSeconds),
                       format(total, Unit::kSeconds));
  }
  if (limit == Limit::kDram) {
    const double rate =
        ratio(diagnosis.work.dram_read_bytes + diagnosis.work.dram_write_bytes, total);
    return fmt::format("Limited by DRAM bandwidth: {} of {} (datasheet)",
                       format(rate, Unit::kBytesPerSecond),
                       format(diagnosis.rates.dram_datasheet, Unit::kBytesPerSecond));
  }
  if (limit == Limit::kStarts) {
    return fmt::format("Limited by starting blocks: {} of {}",
                       some(static_cast<double>(diagnosis.work.blocks), "block"),
                       some(diagnosis.work.warps_per_block, "warp"));
  }
  if (limit == Limit::kAtomics) {
    return "Limited by atomics on the same addresses";
  }
  if (limit == Limit::kWaiting && diagnosis.bounds.bulk_waits > 0.5) {
    return "Limited by latency: blocks wait for their bulk copies";
  }
  if (limit == Limit::kWaiting) {
    return fmt::format("Limited by latency: {} per SM cannot hide the waits",
                       some(diagnosis.bounds.resident_warps, "warp"));
  }
  return fmt::format("Limited by {}: busy {} of the time", name_of(limit),
                     about_percent_words(share));
}

}  // namespace

std::string not_modelled(const KernelStudy& study) {
  if (!study.traced() || study.trace->complete) return {};
  return "No time can be modelled: the traced block did not finish, for example because it waits "
         "for another block.";
}

bool Diagnosis::nothing_big() const {
  return std::ranges::none_of(verdicts, [](const Verdict& verdict) {
    return verdict.worth >= (verdict.cause == Cause::kLaunch ? kMuchOfALaunch : kBigWorth);
  });
}

std::optional<Diagnosis> diagnose(const KernelStudy& study) {
  if (!study.traced() || !study.counters || !study.device || !study.program) return std::nullopt;
  if (!study.trace->complete) return std::nullopt;
  Diagnosis diagnosis;
  diagnosis.device = study.device->name;
  if (study.device->measured) diagnosis.calibrated = study.device->measured->date;
  diagnosis.rates = rates_of(*study.device);
  diagnosis.work = work_of(study, diagnosis.rates);
  if (diagnosis.work.pipes.issued <= 0) return std::nullopt;
  diagnosis.bounds = bounds_of(diagnosis.work, diagnosis.rates);
  diagnosis.limited_by = limit_words(diagnosis);
  Inquiry(study, diagnosis).ask_all();
  return diagnosis;
}

bool misses(double modelled_seconds, double known_seconds) {
  return modelled_seconds > kMostError * known_seconds ||
         known_seconds > kMostError * modelled_seconds;
}

std::string explained(const Diagnosis& diagnosis, double known_seconds, Source source) {
  const std::string& date = diagnosis.calibrated;
  return fmt::format("The model{} predicts {} ({} {}).",
                     date.empty() ? "" : ", calibrated " + date + ",",
                     time_words(diagnosis.bounds, diagnosis.rates), name_of(source),
                     format(known_seconds, Unit::kSeconds));
}

std::string inside_a_sentence(std::string fact) {
  const bool is_word =
      fact.size() > 1 && (std::islower(static_cast<unsigned char>(fact[1])) || fact[1] == ' ');
  if (is_word) fact[0] = static_cast<char>(std::tolower(static_cast<unsigned char>(fact[0])));
  return fact;
}

}  // namespace tilescope
