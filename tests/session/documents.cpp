#include "documents.h"

#include <gtest/gtest.h>

#include "build_config.h"

namespace tilescope {

const KnownNames& known_names() {
  static const KnownNames kNames = [] {
    const std::filesystem::path source = TILESCOPE_SOURCE_DIR;
    return KnownNames{*load_catalogue({source / "kernels"}),
                      *load_device_table(source / "assets" / "devices.json")};
  }();
  return kNames;
}

Document full_document() {
  const Catalogue& catalogue = known_names().catalogue;
  const auto of_catalogue = [&](const char* id) {
    const CatalogueEntry& entry = *catalogue.find(id);
    VariantDocument variant;
    variant.kernel = id;
    variant.original = share_text(entry.source);
    variant.extents = entry.default_extents;
    for (const ParameterSpec& spec : entry.parameters) {
      variant.parameters[spec.name] = spec.values.back();
    }
    return variant;
  };
  VariantDocument shipped = of_catalogue("gemm/register_tile");
  shipped.extents["M"] = 384;
  shipped.factors = {{"alpha", 2}, {"beta", -0.1}};
  shipped.gpu = "NVIDIA H100 SXM5";
  shipped.selection = {3, 2, 17, 4242, 61};
  shipped.marks.loop_in = 10;
  shipped.marks.loop_out = 500;
  shipped.marks.bookmarks[0] = 7;
  shipped.marks.bookmarks[9] = 99;
  shipped.camera = {2.5F, 0.25F, 0.75F};
  shipped.time_zoom = 4;
  VariantDocument edited = of_catalogue("transpose/naive");
  edited.edited = share_text(*edited.original + "// \"quoted\"\t\xc3\xa4\n");
  VariantDocument own;
  own.file = "/home/someone/mine.cu";
  own.original = share_text("__global__ void f(float* out, int n) { out[0] = 1.0f; }\n");
  own.edited = share_text("__global__ void f(float* out, int n) { out[0] = 2.0f; }\n");
  own.launch = {"f",
                "1",
                "32",
                "0",
                {{"out", "float*", true, "f32", "64", "zero", "", {}},
                 {"size.n", "int", false, "i32", "", "", "64", StructureMember{1, 0, 8}}}};
  own.launch.parameters = {{"TILE", 32}};
  own.name = "mine.cu";
  const OwnKernelDocument in_a_tab{.file = own.file,
                                   .name = own.name,
                                   .original = own.original,
                                   .edited = own.edited,
                                   .launch = own.launch,
                                   .unknown = nullptr};
  const OwnKernelDocument pasted{
      .file = "blockSum.cu",
      .name = "sum of a block \xc3\xa4",
      .original = share_text("__global__ void blockSum(float* out) { *out = 1; }\n"),
      .edited = nullptr,
      .launch = {"blockSum", "2", "64", "16", {}},
      .unknown = nullptr};
  const OwnKernelDocument typed_in{.file = "scale.ptx",
                                   .name = "scale (2)",
                                   .original = share_text(".version 8.0\n"),
                                   .edited = share_text(".version 8.1\n"),
                                   .launch = {"scale", "1", "1", "", {}},
                                   .unknown = nullptr};
  Document document;
  document.variants = {shipped, edited, own};
  document.own_kernels = std::make_shared<const OwnKernels>(OwnKernels{pasted, in_a_tab, typed_in});
  document.active = 2;
  document.view = View::kBanks;
  document.settings = {true, 1, 700,   4096,          2, CompareMode::kOverlay, 1,
                       3,    1, false, {"gemm/naive"}};
  LatencyModel latencies;
  for (const LatencyDescription& constant : latency_descriptions()) {
    latencies.value[static_cast<std::size_t>(constant.latency)] = constant.most;
  }
  document.latencies = latencies;
  document.theme = Theme::kLight;
  document.text_scale = 1.25F;
  document.reduce_motion = true;
  document.lecture = true;
  document.as_issued = false;
  document.heat_column = HeatColumn::kExecuted;
  document.cold_l2 = false;
  document.panels = {{"Counters", false}, {"Notes", true}};
  document.notes = share_text("First the naive one.\nThen \\ the tiled one.\n");
  document.arrangement = {
      "wide", share_text("[Window][a]\nPos=1,2\n"), 1920, 1080, "STAGES", "gemm", "sass", 12, true,
      true};
  document.measured = std::make_shared<const Measurements>(some_measurements());
  return document;
}

Measurements some_measurements() {
  Measurements measured;
  measured.device = known_names().devices.front();
  measured.device.name = "NVIDIA Something";
  measured.device.boost_clock_hz = 1.7e9;
  measured.date = "2026-11-30";
  Measurement point;
  point.of = {"gemm/register_tile", "0123",           {{"TILE_K", 16}},
              {{"M", 384}},         {{"beta", -0.1}}, false};
  const auto times = [](double median, double p5, double p95) {
    TimeSummary summary;
    summary.median_seconds = median;
    summary.p5_seconds = p5;
    summary.p95_seconds = p95;
    return summary;
  };
  point.result.kernel = times(1e-3 / 3, 0.9e-4, 1.2e-3);
  point.result.reference = times(1e-3 / 7, 1e-4, 2e-4);
  point.result.reference_name = "cuBLAS SGEMM, FP32";
  point.result.flop = 1e12 / 3;
  point.result.bytes = 12345;
  point.result.cold = false;
  point.machine.gpu = "NVIDIA Something";
  point.machine.compiler = "NVRTC 13.0";
  point.date = "2026-11-29";
  Measurement plain = point;
  plain.of.factors.clear();
  plain.of.cold = plain.result.cold = true;
  plain.result.reference.reset();
  Measurement own = plain;
  own.of = {"mine.cu", "4567", {}, {}, {}, true, "89ab"};
  measured.points = {point, plain, own};
  measured.launches = {{1.0 / 3, 1e-4 / 3, 0, true, 1e9, 12345}, {2.5, 2e-4, 1, false, 0, 3}};
  measured.changes = {{1.5, "TILE_K 16"}};
  measured.live_seconds = 12.5;
  measured.live_end = 2.25;
  measured.counters = {{plain.of,
                        "sm_90",
                        "NVRTC 13.0",
                        {{{"a.sum", 3}, {"b.sum", 1e15 / 3}}, {{"a.sum", 4}, {"b.sum", 7}}},
                        "NVIDIA Something",
                        "2026-11-28"}};
  ReadPhases phases{point.of, {1, 2, 3}, {}};
  phases.phases.warps = {{{0, 10, 1}, {12, 30, -1}}, {}};
  phases.phases.cycles = 31;
  phases.phases.stamp_share = 1.0 / 3;
  phases.phases.slowdown = 1.25;
  phases.phases.gpu = "NVIDIA Something";
  phases.phases.date = "2026-11-28";
  measured.phases = {phases};
  TunedRow row{.parameters = {{"TILE_K", 8}}, .seconds = 1e-3 / 9, .source = Source::kMeasured};
  row.recorded_seconds = 1e-3 / 7;
  row.recorded_gpu = "NVIDIA H200";
  row.registers = 128;
  row.shared_bytes = 16896;
  row.occupancy = 100.0 / 3;
  row.gpu = "NVIDIA Something";
  row.date = "2026-11-28";
  TunedRow modelled{.parameters = {{"TILE_K", 16}},
                    .seconds = 2e-3,
                    .reference_seconds = 1e-4 / 3,
                    .source = Source::kModelled};
  measured.tuned = TunedRun{"gemm/register_tile", "0123",         {{"TILE_K", 8}},
                            {{"M", 384}},         {{"alpha", 2}}, {row, modelled}};
  return measured;
}

std::string changed_text(const std::string& from, const std::string& to) {
  std::string text = session_text(full_document(), known_names().names());
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  if (at != std::string::npos) text.replace(at, from.size(), to);
  return text;
}

}  // namespace tilescope
