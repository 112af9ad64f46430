#include "cli/list_command.h"

#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "cli/command.h"
#include "cli/parser/command_line.h"
#include "core/quantity.h"
#include "kernel/catalogue/entry_words.h"
#include "kernel/launch/instance.h"

namespace tilescope {
namespace {

nlohmann::json json_of(const CatalogueEntry& entry) {
  nlohmann::json parameters = nlohmann::json::array();
  for (const ParameterSpec& parameter : entry.parameters) {
    parameters.push_back({{"name", parameter.name},
                          {"default", parameter.default_value},
                          {"values", parameter.values},
                          {"unit", parameter.unit},
                          {"meaning", parameter.meaning}});
  }
  nlohmann::json rules = nlohmann::json::array();
  for (const RuleSpec& rule : entry.rules) rules.push_back({{"message", rule.message}});
  nlohmann::json watch = nlohmann::json::array();
  for (const Watch& one : entry.watch) {
    watch.push_back({{"view", one.view}, {"words", one.words}, {"parameters", one.parameters}});
  }
  return {{"id", entry.id},
          {"title", entry.title},
          {"family", entry.family},
          {"idea", entry.idea},
          {"seeds", entry.seeds},
          {"watch", watch},
          {"rules", rules},
          {"parameters", parameters},
          {"default_size", entry.default_extents},
          {"problem", {{"name", entry.problem->name}, {"result", entry.problem->result}}}};
}

void print_entry(const CatalogueEntry& entry) {
  print_out("{:<22} {}\n", entry.id, entry.title);
  print_out("    {}\n", entry.idea);
  if (!entry.seeds.empty()) print_out("    {}\n", seeds_text(entry));
  for (const Watch& watch : entry.watch) {
    print_out("    try it: {}: {}\n", place_of(watch), watch.words);
  }
  for (const ParameterSpec& parameter : entry.parameters) {
    print_out("    {:<12} {:>4}   {}; {}\n", parameter.name, parameter.default_value,
              fmt::join(parameter.values, " "), parameter.meaning);
  }
  for (const RuleSpec& rule : entry.rules) print_out("    rule: {}\n", rule.message);
  print_out("\n");
}

nlohmann::json json_of(const DeviceModel& device) {
  return {{"name", device.name},
          {"compute_capability", device.compute_capability},
          {"multiprocessors", device.multiprocessors},
          {"max_threads_per_multiprocessor", device.max_threads_per_multiprocessor},
          {"max_blocks_per_multiprocessor", device.max_blocks_per_multiprocessor},
          {"registers_per_multiprocessor", device.registers_per_multiprocessor},
          {"shared_bytes_per_multiprocessor", device.shared_bytes_per_multiprocessor},
          {"shared_bytes_per_block", device.shared_bytes_per_block},
          {"shared_bytes_per_block_optin", device.shared_bytes_per_block_optin},
          {"peak_fp32_flop_per_second", device.peak_fp32_flop_per_second()},
          {"memory_bytes_per_second", device.memory_bytes_per_second},
          {"source", device.source}};
}

int list_devices(const std::vector<DeviceModel>& devices, bool as_json) {
  if (as_json) {
    nlohmann::json rows = nlohmann::json::array();
    for (const DeviceModel& device : devices) rows.push_back(json_of(device));
    print_out("{}\n", nlohmann::json{{"devices", rows}}.dump(2));
    return 0;
  }
  print_out("{:<28} {:>6} {:>4} {:>8} {:>7} {:>10} {:>11} {:>14} {:>11}\n", "", "cc", "SMs",
            "threads", "blocks", "registers", "shared", "FP32 peak", "memory");
  for (const DeviceModel& device : devices) {
    print_out("{:<28} {:>6} {:>4} {:>8} {:>7} {:>10} {:>11} {:>14} {:>11}\n", device.name,
              fmt::format("{}.{}", device.compute_capability / 10, device.compute_capability % 10),
              device.multiprocessors,
              format_count(static_cast<std::uint64_t>(device.max_threads_per_multiprocessor)),
              device.max_blocks_per_multiprocessor,
              format_count(static_cast<std::uint64_t>(device.registers_per_multiprocessor)),
              format(device.shared_bytes_per_multiprocessor, Unit::kBytes),
              format(device.peak_fp32_flop_per_second(), Unit::kFlopPerSecond),
              format(device.memory_bytes_per_second, Unit::kBytesPerSecond));
  }
  print_out(
      "\nThreads, blocks, registers and shared memory are those of one SM. Sources: --json\n");
  return 0;
}

// What kernels are measured beside, in turn.
struct ReferenceEntry {
  const char* name;
  std::string of;  // families or kernels
  const char* idea;
};

// "gemm/tensor_core, gemm/warpgroup"
std::string bf16_kernels(const Catalogue& catalogue) {
  std::string ids;
  for (const CatalogueEntry& entry : catalogue.entries) {
    if (!entry.problem->multiplies() || entry.arithmetic != "bf16") continue;
    ids += (ids.empty() ? "" : ", ") + entry.id;
  }
  return ids;
}

// The families whose rates are bytes/s: "copy, divergence, transpose".
std::string moving_families(const Catalogue& catalogue) {
  std::string families;
  std::string last;
  for (const CatalogueEntry& entry : catalogue.entries) {
    if (entry.problem->rated_in_flop || entry.family == last) continue;
    last = entry.family;
    families += (families.empty() ? "" : ", ") + last;
  }
  return families;
}

std::vector<ReferenceEntry> references_of(const Catalogue& catalogue) {
  return {
      {"cuBLAS SGEMM, FP32", "gemm", "cublasSgemm in strict FP32; the library chooses the kernel"},
      {"cuBLAS GemmEx, bf16 to FP32", bf16_kernels(catalogue),
       "cublasGemmEx with bf16 operands and FP32 sums, on the tensor cores"},
      {"device copy", moving_families(catalogue),
       "cuMemcpyDtoD of the same bytes, where an input has half of them: the upper limit"},
      {"cuBLAS Sgeam", "transpose", "cublasSgeam, the transpose of the library"},
  };
}

int list(bool devices, bool as_json) {
  auto resources = load_resources();
  if (!resources) return report(resources.error());
  if (devices) return list_devices(resources->devices, as_json);
  const auto references_known = references_of(resources->catalogue);
  if (!as_json) {
    for (const CatalogueEntry& entry : resources->catalogue.entries) print_entry(entry);
    print_out("References, measured in the same run by 'tilescope run':\n");
    for (const ReferenceEntry& reference : references_known) {
      print_out("    {:<28} {}: {}\n", reference.name, reference.of, reference.idea);
    }
    print_out("\n000 to 004 are the documents of docs/seeds.md.\n");
    print_out("Try one: tilescope trace {} --size 256\n", resources->catalogue.entries.front().id);
    return 0;
  }
  nlohmann::json kernels = nlohmann::json::array();
  for (const CatalogueEntry& entry : resources->catalogue.entries)
    kernels.push_back(json_of(entry));
  nlohmann::json references = nlohmann::json::array();
  for (const ReferenceEntry& reference : references_known) {
    references.push_back(
        {{"name", reference.name}, {"of", reference.of}, {"idea", reference.idea}});
  }
  print_out("{}\n", nlohmann::json{{"kernels", kernels}, {"references", references}}.dump(2));
  return 0;
}

}  // namespace

void add_list_command(CommandOptions app, CommandContext& context) {
  auto json = std::make_shared<bool>(false);
  CommandOptions command =
      app.add_subcommand("list", "kernels, their parameters, defaults and rules");
  auto devices = std::make_shared<bool>(false);
  command.add_flag("--devices", *devices, "list the known GPUs and their limits instead");
  command.add_flag("--json", *json, "output JSON");
  command.callback([devices, json, &context] { context.status = list(*devices, *json); });
}

}  // namespace tilescope
