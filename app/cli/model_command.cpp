#include "cli/model_command.h"

#include <fmt/format.h>

#include <array>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "analysis/memory/launch_memory.h"
#include "analysis/time/machine_rates.h"
#include "analysis/time/time_model.h"
#include "cli/command.h"
#include "cli/gpu_session.h"
#include "cli/interrupt.h"
#include "cli/options.h"
#include "cli/parser/command_line.h"
#include "cli/progress_line.h"
#include "core/device_table.h"
#include "core/file.h"
#include "core/parallel.h"
#include "core/quantity.h"
#include "gpu/calibration.h"
#include "gpu/worker_link.h"
#include "session/model_chart.h"
#include "session/model_check.h"

namespace tilescope {
namespace {

using nlohmann::json;

struct CheckArguments {
  std::string records;
  PointChoice choice;
  bool held_out = false;
  bool fitted = false;
  bool features = false;
  bool json = false;
  std::string output;
  bool light = false;
};

json json_of(const GlobalWork& work) {
  return {{"requests", work.requests},
          {"sectors", work.sectors},
          {"sectors_ideal", work.sectors_ideal},
          {"wavefronts", work.wavefronts},
          {"wavefronts_ideal", work.wavefronts_ideal},
          {"lines", work.lines},
          {"partial_sectors", work.partial_sectors}};
}

double sum_of(const std::map<std::uint32_t, double>& by_line) {
  double sum = 0;
  for (const auto& [line, clocks] : by_line) sum += clocks;
  return sum;
}

json json_of(const WarpPath& path) {
  return {{"clocks", path.clocks},
          {"busy", path.busy},
          {"global_waits", sum_of(path.global_waits)},
          {"far_waits", path.far_waits},
          {"shared_waits", sum_of(path.shared_waits)},
          {"barrier_waits", path.barrier_waits},
          {"barriers", path.barriers},
          {"reloads", path.reloads}};
}

json json_of(const LaunchWork& work) {
  const PipeWork& pipes = work.pipes;
  return {{"as_issued", work.as_issued},
          {"issued", pipes.issued},
          {"fp32", pipes.fp32},
          {"fp64", pipes.fp64},
          {"half", pipes.half},
          {"integer", pipes.integer},
          {"multiply", pipes.multiply},
          {"special", pipes.special},
          {"tensor_flop", pipes.tensor_flop},
          {"fma_clocks", pipes.fma_clocks},
          {"shared_wavefronts", work.shared_wavefronts},
          {"loads", json_of(work.loads)},
          {"stores", json_of(work.stores)},
          {"atomics",
           {{"sectors", work.atomics.sectors},
            {"again", work.atomics.again},
            {"lanes", work.atomics.lanes},
            {"bytes", work.atomics.bytes}}},
          {"block_sectors", work.block_sectors},
          {"bulk_sectors", work.bulk_sectors},
          {"bulk_arrivals", work.bulk_arrivals},
          {"bulk_stages", work.bulk_stages},
          {"dram_read_bytes", work.dram_read_bytes},
          {"dram_write_bytes", work.dram_write_bytes},
          {"dram_other_bytes", work.dram_other_bytes},
          {"blocks", work.blocks},
          {"warps_per_block", work.warps_per_block},
          {"resident_blocks", work.resident_blocks},
          {"path", json_of(work.path)}};
}

json json_of(const TimeBounds& bounds) {
  json parts = json::object();
  for (std::size_t i = 0; i < kLimits; ++i) {
    const auto limit = static_cast<Limit>(i);
    if (bounds[limit] > 0) parts[std::string(name_of(limit))] = bounds[limit];
  }
  return {{"seconds", std::move(parts)},
          {"launch", bounds.launch},
          {"resident_warps", bounds.resident_warps}};
}

json json_of(const CheckedPoint& point) {
  json row = {{"kernel", point.instance.id},
              {"parameters", point.instance.parameters},
              {"size", point.instance.extents},
              {"gpu", point.device.name},
              {"measured_seconds", point.measured}};
  if (point.why_not.empty()) row["modelled_seconds"] = point.modelled;
  if (!point.why_not.empty()) row["why_not"] = point.why_not;
  return row;
}

json json_of(const ModelErrors& errors) {
  json row = {{"kernel", errors.name},
              {"points", errors.points},
              {"mean_error", errors.mean},
              {"median_error", errors.median},
              {"within_20_percent", errors.within_fifth},
              {"within_40_percent", errors.within_two_fifths},
              {"least_ratio", errors.least},
              {"most_ratio", errors.most}};
  if (errors.best_found) row["best_of_predicted_top_5_percent"] = *errors.best_found;
  return row;
}

// Models every point, several at once; `features`: prints each as a line of JSON when it is done.
void model_points(std::vector<CheckedPoint>& points, bool features) {
  InputCache inputs;
  std::mutex printing;
  ProgressLine progress(points.size());
  for_each_parallel(points.size(), processor_count(), [&](std::size_t i) {
    CheckedPoint& point = points[i];
    StudyRequest request;
    request.instance = point.instance;
    request.inputs = &inputs;
    request.compute_capability = point.device.compute_capability;
    const auto time = modelled_time(request, point.device, {});
    if (time) {
      point.modelled = time->seconds;
    } else {
      point.why_not = to_string(time.error());
    }
    progress.step(point.instance.id);
    if (!features) return;
    json row = json_of(point);
    if (time) {
      row["work"] = json_of(time->work);
      row["bounds"] = json_of(time->bounds);
      if (const auto range = range_of(time->bounds, rates_of(point.device))) {
        row["range"] = {{"least_seconds", range->least}, {"most_seconds", range->most}};
      }
    }
    const std::scoped_lock lock(printing);
    print_out("{}\n", row.dump());
  });
}

void print_table(const std::vector<ModelErrors>& rows) {
  print_out("{:<28} {:>6} {:>7} {:>7} {:>9} {:>9} {:>6} {:>6} {:>7}\n", "modelled / measured",
            "points", "mean", "median", "within 20", "within 40", "least", "most", "rank");
  for (const ModelErrors& row : rows) {
    print_out("{:<28} {:>6} {:>5.1f} % {:>5.1f} % {:>7.0f} % {:>7.0f} % {:>6.2f} {:>6.2f} {:>7}\n",
              row.name, row.points, row.mean * 100, row.median * 100, row.within_fifth * 100,
              row.within_two_fifths * 100, row.least, row.most,
              row.best_found ? fmt::format("{:.1f} %", *row.best_found * 100) : "");
  }
  print_out(
      "\nMean, median: of |modelled / measured - 1|. Rank: the fastest of the twentieth that the "
      "model ranks\nfirst, as a share of the best rate measured; the worst of the sizes with {} "
      "points or more.\n",
      kRankedPoints);
}

Result<RecordedRuns> records_of(const std::string& file) {
  if (!file.empty()) return load_recorded_runs(file);
  auto shipped = load_shipped_runs();
  if (!shipped) return std::move(shipped).error();
  if (shipped->empty()) {
    return Error{ErrorCode::kMachine, "no runs come with this program", "Use --records", {}};
  }
  return std::move(shipped->front());
}

int check(CheckArguments& arguments) {
  end_at_signals();
  if (!arguments.output.empty()) {
    if (!arguments.output.ends_with(".svg")) {
      return report(usage(fmt::format("-o {}: the chart is an .svg", arguments.output),
                          "Use a file name ending in .svg"));
    }
    if (Status there = check_folder_of(arguments.output); !there) return report(there.error());
  }
  const auto& resources = load_resources();
  if (!resources) return report(resources.error());
  const auto recorded = records_of(arguments.records);
  if (!recorded) return report(recorded.error());
  arguments.choice.used = arguments.held_out ? PointsUsed::kHeldOut
                          : arguments.fitted ? PointsUsed::kFitted
                                             : PointsUsed::kAll;
  auto points =
      choose_points(*recorded, resources->catalogue, resources->devices, arguments.choice);
  if (!points) return report(points.error());
  if (points->empty()) {
    return report(usage("no run of these records can be compared",
                        "Runs count that are cold, of the present source, at a steady clock"));
  }
  model_points(*points, arguments.features);
  if (arguments.features) return 0;
  const std::vector<ModelErrors> rows = model_errors(*points);
  if (!arguments.output.empty()) {
    if (rows.back().points == 0) return report(usage("no time could be modelled", ""));
    const Theme theme = arguments.light ? Theme::kLight : Theme::kDark;
    const std::string chart = model_chart(*points, recorded->machine.gpu, theme);
    if (Status kept = write_file(arguments.output, chart); !kept) return report(kept.error());
  }
  if (arguments.json) {
    json encoded = {
        {"gpu", recorded->machine.gpu}, {"kernels", json::array()}, {"points", json::array()}};
    for (const ModelErrors& row : rows) encoded["kernels"].push_back(json_of(row));
    for (const CheckedPoint& point : *points) encoded["points"].push_back(json_of(point));
    print_out("{}\n", encoded.dump(2));
    return 0;
  }
  print_out("{}; cold runs of {}\n", name_of(Source::kModelled),
            name_with_calibration(points->front().device));
  print_table(rows);
  for (const CheckedPoint& point : *points) {
    if (!point.why_not.empty())
      print_error("tilescope: {}: {}\n", point.instance.id, point.why_not);
  }
  return 0;
}

struct CalibrateArguments {
  bool json = false;
};

// A constant of the model, with what it is without and with the calibration.
struct CalibratedRow {
  std::string_view name;
  Unit unit = Unit::kNone;
  double MachineRates::*rate = nullptr;
};
constexpr std::array kCalibratedRows{
    CalibratedRow{"clock under load", Unit::kHertz, &MachineRates::clock_hz},
    CalibratedRow{"launch", Unit::kSeconds, &MachineRates::launch_seconds},
    CalibratedRow{"start of a block, clocks", Unit::kNone, &MachineRates::block_start_clocks},
    CalibratedRow{"start of a warp, clocks", Unit::kNone, &MachineRates::warp_start_clocks},
    CalibratedRow{"barrier, clocks", Unit::kNone, &MachineRates::barrier_clocks},
    CalibratedRow{"barrier, more for each warp", Unit::kNone, &MachineRates::barrier_warp_clocks},
    CalibratedRow{"shared load, clocks", Unit::kNone, &MachineRates::shared_latency},
    CalibratedRow{"L1 hit, clocks", Unit::kNone, &MachineRates::l1_latency},
    CalibratedRow{"L2 hit, clocks", Unit::kNone, &MachineRates::idle_l2_latency},
    CalibratedRow{"DRAM, clocks", Unit::kNone, &MachineRates::idle_dram_latency},
    CalibratedRow{"L2, sectors a clock", Unit::kNone, &MachineRates::l2_sectors},
    CalibratedRow{"DRAM, read and written", Unit::kBytesPerSecond,
                  &MachineRates::dram_bytes_per_second},
    CalibratedRow{"an addition to one address, clocks", Unit::kNone,
                  &MachineRates::atomic_address_clocks},
    CalibratedRow{"tensor cores, flop a clock and SM", Unit::kNone, &MachineRates::tensor_flop},
};

std::string figure_of(const CalibratedRow& row, const MachineRates& rates) {
  const double value = rates.*row.rate;
  return row.unit == Unit::kNone ? fmt::format("{:.4g}", value) : format(value, row.unit);
}

void print_calibration(const DeviceModel& device, double seconds) {
  DeviceModel usual = device;
  usual.measured.reset();
  const MachineRates before = rates_of(usual);
  const MachineRates now = rates_of(device);
  print_out("{}\n{:<36} {:>12} {:>12}\n", name_with_calibration(device), "", "calibrated", "usual");
  for (const CalibratedRow& row : kCalibratedRows) {
    if (now.*row.rate <= 0) continue;
    // The usual clock is the one that the device tells.
    const bool is_clock = row.rate == &MachineRates::clock_hz;
    print_out("{:<36} {:>12} {:>12}\n", row.name, figure_of(row, now),
              is_clock ? "" : figure_of(row, before));
  }
  print_out(
      "\nMeasured in {:.0f} s and kept in {}.\nTimes modelled on sm_{} are of this GPU from now "
      "on; without the file they are as before.\n",
      seconds, calibrated_file(device).string(), device.compute_capability);
}

int calibrate_gpu(const CalibrateArguments& arguments) {
  const Interrupt interrupt;
  end_at_signals({SIGTERM});
  const auto& resources = load_resources();
  if (!resources) return report(resources.error());
  const auto start = std::chrono::steady_clock::now();
  const auto link = start_worker({});
  const auto info = wait_for_device(*link);
  if (!info) return report(info.error());
  constexpr std::size_t kSteps = 13;
  ProgressLine progress(kSteps);
  CalibrationWatcher watcher;
  watcher.begins = [&](std::string_view what) { progress.step(std::string(what)); };
  watcher.is_cancelled = [&] { return interrupt.wanted(); };
  const auto device = calibrate(*link, *info, resources->devices, watcher);
  if (!device) {
    if (device.error().code != ErrorCode::kCancelled) return report(device.error());
    print_error("tilescope: interrupted; nothing was kept\n");
    return kStoppedByUser;
  }
  if (Status kept = write_own_file(calibrated_file(*device), calibrated_text(*device)); !kept) {
    return report(kept.error());
  }
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
  if (arguments.json) {
    print_out("{}", calibrated_text(*device));
  } else {
    print_calibration(*device, took.count());
  }
  return 0;
}

}  // namespace

void add_model_command(CommandOptions app, CommandContext& context) {
  CommandOptions command =
      app.add_subcommand("model", "the time model: how far its times are from measured ones");
  command.require_subcommand(1, 1);
  auto calibration = std::make_shared<CalibrateArguments>();
  CommandOptions calibrate_it = command.add_subcommand(
      "calibrate",
      "measures this machine's GPU with small kernels and keeps what the model needs of it");
  calibrate_it.add_flag("--json", calibration->json, "output what is kept, JSON");
  calibrate_it.callback([calibration, &context] { context.status = calibrate_gpu(*calibration); });
  auto arguments = std::make_shared<CheckArguments>();
  CommandOptions check_it = command.add_subcommand(
      "check", "compares modelled with measured times, kernel by kernel; needs no GPU");
  check_it.add_option("--records", arguments->records,
                      "a file of recorded runs; default: those that come with the program");
  check_it.add_option("--kernel", arguments->choice.kernels, "kernels or families; default: all");
  check_it.add_option("--points", arguments->choice.each, "of each kernel at the most; 0: all")
      .between(0, 1'000'000)
      .capture_default_str();
  CommandOption held_out = check_it.add_flag(
      "--hold-out", arguments->held_out, "only points that no constant of the model was fitted to");
  check_it.add_flag("--fitted", arguments->fitted, "only the other points").excludes(held_out);
  check_it.add_flag(
      "--features", arguments->features,
      "instead of the table: what the model is computed from, a line of JSON a point");
  check_it.add_flag("--json", arguments->json, "output JSON");
  check_it.add_option("-o,--output", arguments->output,
                      "also draw modelled over measured times, into this .svg");
  check_it.add_flag("--light", arguments->light, "the drawing in the light theme");
  check_it.callback([arguments, &context] { context.status = check(*arguments); });
}

}  // namespace tilescope
