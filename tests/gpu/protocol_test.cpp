#include "gpu/protocol.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>
#include <nlohmann/json.hpp>
#include <random>

#include "core/frame.h"
#include "kernel/test_catalogue.h"

namespace tilescope {
namespace {

using nlohmann::json;

DeviceInfo some_device() {
  return {
      "NVIDIA H200", "GPU-1f",     2,      90,     132,  1.98e9, std::uint64_t{150} << 30, 4.8e12,
      60 << 20,      "580.159.04", "13.0", "13.1", "why"};
}

RunMessage some_run() {
  RunMessage run;
  run.request_id = 42;
  KernelInstance& instance = run.request.instance;
  instance.id = "gemm/naive";
  instance.title = "Naive";
  instance.file_name = "01_naive.cu";
  instance.problem = testing::problem("gemm");
  instance.parameters = {{"TILE", 16}, {"OFFSET", -3}};
  instance.extents = {{"M", 5}, {"N", 7}, {"K", 1}};
  instance.grid = {1, 2, 3};
  instance.block = {32, 4, 1};
  instance.dynamic_shared_bytes = 65536;
  Argument a;
  a.name = "A";
  a.role = Role::kA;
  a.type = ElementType::kBf16;
  a.is_pointer = true;
  a.written = true;
  a.buffer = {ElementType::kBf16, 40, Fill::kFile, ~std::uint64_t{0}, "a b.bin", "i % 7"};
  a.rows = 5;
  a.cols = 7;
  a.leading = 8;
  Argument n;
  n.name = "n";
  n.type = ElementType::kI32;
  n.bits = 0xfffffffb;
  n.member = StructureMember{1, 4, 16};
  instance.arguments = {a, n};
  auto compiled = std::make_shared<CompiledKernel>();
  compiled->kernel = "_Z4gemmPf";
  compiled->architecture = "sm_90";
  compiled->compiler = "NVRTC 13.0";
  compiled->cubin = {std::byte{0}, std::byte{255}, std::byte{10}};
  compiled->ptx = ".version 9.0";
  run.request.compiled = compiled;
  run.request.timing = {.cold = false,
                        .first_looks = 2,
                        .warm_up = 1,
                        .samples = 7,
                        .relative_error = 0.125,
                        .max_seconds = 0.25,
                        .verify = false,
                        .reference = false,
                        .deadline_seconds = 3.5};
  run.request.counters = {"smsp__inst_executed.sum"};
  run.request.reference_counters = true;
  run.request.has_phase_stamps = true;
  run.files["a b.bin"] = std::vector<std::byte>(80, std::byte{9});
  return run;
}

RunResult some_result() {
  RunResult result;
  result.kernel = {3, 2e-3, 1e-3, 3e-3, 0.5, {1e-3, 2e-3, 3e-3}};
  result.reference = TimeSummary{1, 5e-4, 5e-4, 5e-4, 1, {5e-4}};
  result.reference_name = "cuBLAS SGEMM, FP32";
  result.other = TimeSummary{1, 6e-4, 6e-4, 6e-4, 1, {6e-4}};
  result.other_name = "cuBLAS Sgeam";
  result.max_error = 1e-5;
  result.tolerance = 2e-5;
  result.correct = false;
  result.cold = false;
  result.conditions.sm_clock_before_hz = 1.98e9;
  result.conditions.temperature_after_celsius = 41;
  result.conditions.throttle_reasons = kPowerCap;
  result.conditions.throttled_samples = 2;
  result.conditions.all_throttled = true;
  result.blocks_per_multiprocessor = 5;
  result.counters = {{"smsp__inst_executed.sum", 12345678901.0}};
  result.unknown_counters = {"no__such.sum"};
  result.reference_counters = {{"smsp__inst_executed.sum", 7.0}};
  result.flop = 2e9;
  result.bytes = 3e6;
  return result;
}

template <typename T>
T round_trip(const T& message) {
  FrameReader reader;
  const auto preamble = std::as_bytes(std::span(kStreamPreamble));
  reader.append(preamble);
  reader.append(encode_frame(encode_message(message)));
  const auto encoded = reader.next();
  if (!encoded || !*encoded) throw std::runtime_error("the frame did not come through");
  auto decoded = decode_message(**encoded);
  if (!decoded) throw std::runtime_error(decoded.error().message);
  return std::get<T>(*std::move(decoded));
}

void expect_equal(const TimeSummary& a, const TimeSummary& b) {
  EXPECT_EQ(a.count, b.count);
  EXPECT_EQ(a.median_seconds, b.median_seconds);
  EXPECT_EQ(a.p5_seconds, b.p5_seconds);
  EXPECT_EQ(a.p95_seconds, b.p95_seconds);
  EXPECT_EQ(a.samples, b.samples);
}

TEST(Protocol, HelloComesThrough) {
  const auto hello = round_trip(HelloMessage{kProtocolVersion, some_device()});
  ASSERT_TRUE(hello.device.ok());
  const DeviceInfo expected = some_device();
  EXPECT_EQ(hello.device->name, expected.name);
  EXPECT_EQ(hello.device->compute_capability, expected.compute_capability);
  EXPECT_EQ(hello.device->multiprocessors, expected.multiprocessors);
  EXPECT_EQ(hello.device->max_clock_hz, expected.max_clock_hz);
  EXPECT_EQ(hello.device->memory_bytes, expected.memory_bytes);
  EXPECT_EQ(hello.device->memory_bytes_per_second, expected.memory_bytes_per_second);
  EXPECT_EQ(hello.device->l2_bytes, expected.l2_bytes);
  EXPECT_EQ(hello.device->driver, expected.driver);
  EXPECT_EQ(hello.device->cuda_driver, expected.cuda_driver);
  EXPECT_EQ(hello.device->cublas, expected.cublas);
  EXPECT_EQ(hello.device->cublas_problem, expected.cublas_problem);
}

TEST(Protocol, ErrorsComeThroughWithTheirPlace) {
  const Error error{ErrorCode::kKernel, "wrong", "do this", {"a.cu", 12, 3}};
  const auto answer = round_trip(AnswerMessage{7, error, true});
  EXPECT_EQ(answer.request_id, 7u);
  EXPECT_TRUE(answer.worker_ends);
  ASSERT_FALSE(answer.result.ok());
  EXPECT_EQ(answer.result.error().code, ErrorCode::kKernel);
  EXPECT_EQ(to_string(answer.result.error()), to_string(error));
}

TEST(Protocol, RunsComeThrough) {
  const RunMessage sent = some_run();
  const RunMessage got = round_trip(sent);
  EXPECT_EQ(got.request_id, sent.request_id);
  EXPECT_EQ(got.files, sent.files);
  const KernelInstance& instance = got.request.instance;
  const KernelInstance& expected = sent.request.instance;
  EXPECT_EQ(instance.id, expected.id);
  EXPECT_EQ(instance.title, expected.title);
  EXPECT_EQ(instance.file_name, expected.file_name);
  EXPECT_EQ(instance.problem, expected.problem);
  EXPECT_EQ(instance.parameters, expected.parameters);
  EXPECT_EQ(instance.extents, expected.extents);
  EXPECT_EQ(instance.grid, expected.grid);
  EXPECT_EQ(instance.block, expected.block);
  EXPECT_EQ(instance.dynamic_shared_bytes, expected.dynamic_shared_bytes);
  ASSERT_EQ(instance.arguments.size(), 2u);
  EXPECT_EQ(instance.arguments[0].name, "A");
  EXPECT_EQ(instance.arguments[0].role, Role::kA);
  EXPECT_EQ(instance.arguments[0].type, ElementType::kBf16);
  EXPECT_TRUE(instance.arguments[0].is_pointer);
  EXPECT_TRUE(instance.arguments[0].written);
  EXPECT_EQ(instance.arguments[0].buffer, expected.arguments[0].buffer);
  EXPECT_EQ(instance.arguments[0].rows, 5u);
  EXPECT_EQ(instance.arguments[0].cols, 7u);
  EXPECT_EQ(instance.arguments[0].leading, 8u);
  EXPECT_EQ(instance.arguments[1].bits, 0xfffffffbu);
  EXPECT_FALSE(instance.arguments[1].is_pointer);
  EXPECT_EQ(instance.arguments[1].member, expected.arguments[1].member);
  EXPECT_EQ(got.request.compiled->kernel, "_Z4gemmPf");
  EXPECT_EQ(got.request.compiled->architecture, "sm_90");
  EXPECT_EQ(got.request.compiled->compiler, "NVRTC 13.0");
  EXPECT_EQ(got.request.compiled->cubin, sent.request.compiled->cubin);
  EXPECT_TRUE(got.request.compiled->ptx.empty());
  const TimingOptions& timing = got.request.timing;
  EXPECT_FALSE(timing.cold || timing.verify || timing.reference);
  EXPECT_EQ(timing.first_looks, 2);
  EXPECT_EQ(timing.warm_up, 1);
  EXPECT_EQ(timing.samples, 7);
  EXPECT_EQ(timing.relative_error, 0.125);
  EXPECT_EQ(timing.max_seconds, 0.25);
  EXPECT_EQ(timing.deadline_seconds, 3.5);
  EXPECT_TRUE(got.request.reference_counters);
  EXPECT_TRUE(got.request.has_phase_stamps);
}

TEST(Protocol, TensorMapsComeThrough) {
  RunMessage sent = some_run();
  TensorShape shape;
  shape.rank = 2;
  shape.extent = {7, 5, 1, 1, 1};
  shape.box = {4, 2, 1, 1, 1};
  shape.swizzle_bytes = 32;
  shape.fills_with_nan = true;
  sent.request.instance.arguments[0].tensor = shape;
  EXPECT_EQ(round_trip(sent).request.instance.arguments[0].tensor, shape);
  sent.request.instance.arguments[0].tensor->extent[2] = 1000;
  const auto decoded = decode_message(encode_message(sent));
  ASSERT_FALSE(decoded.ok());
  EXPECT_NE(decoded.error().message.find("larger than its buffer"), std::string::npos);
}

TEST(Protocol, PtxTravelsWhereThereIsNoCubin) {
  RunMessage run = some_run();
  auto compiled = std::make_shared<CompiledKernel>(*run.request.compiled);
  compiled->cubin.clear();
  run.request.compiled = compiled;
  run.request.instance.problem.reset();
  const RunMessage got = round_trip(run);
  EXPECT_EQ(got.request.compiled->ptx, ".version 9.0");
  EXPECT_FALSE(got.request.instance.problem.has_value());
}

TEST(Protocol, TheReferenceKernelTravelsWithItsCode) {
  RunMessage run = some_run();
  EXPECT_EQ(round_trip(run).request.instance.reference_kernel, nullptr);
  KernelInstance& instance = run.request.instance;
  instance.problem = testing::problem("reduction");
  instance.arguments[0].operand = "sum";
  instance.arguments[0].accumulates = "always";
  KernelInstance reference = instance;
  reference.id = "reduction/one_thread";
  instance.reference_kernel = std::make_shared<const KernelInstance>(reference);
  run.request.reference_compiled = run.request.compiled;
  const RunRequest got = round_trip(run).request;
  EXPECT_EQ((*got.instance.problem)->name, "reduction");
  EXPECT_EQ((*got.instance.problem)->reference, ReferenceKind::kKernel);
  EXPECT_EQ((*got.instance.problem)->bytes, "4 * N");
  ASSERT_NE(got.instance.reference_kernel, nullptr);
  EXPECT_EQ(got.instance.reference_kernel->id, "reduction/one_thread");
  EXPECT_EQ(got.instance.reference_kernel->arguments[0].operand, "sum");
  EXPECT_EQ(got.instance.reference_kernel->arguments[0].accumulates, "always");
  ASSERT_NE(got.reference_compiled, nullptr);
  EXPECT_EQ(got.reference_compiled->cubin, run.request.compiled->cubin);
}

TEST(Protocol, ResultsComeThrough) {
  const RunResult expected = some_result();
  const auto answer = round_trip(AnswerMessage{1, expected, false});
  ASSERT_TRUE(answer.result.ok());
  expect_equal(answer.result->kernel, expected.kernel);
  ASSERT_TRUE(answer.result->reference.has_value());
  expect_equal(*answer.result->reference, *expected.reference);
  EXPECT_EQ(answer.result->reference_name, expected.reference_name);
  ASSERT_TRUE(answer.result->other.has_value());
  expect_equal(*answer.result->other, *expected.other);
  EXPECT_EQ(answer.result->other_name, expected.other_name);
  EXPECT_EQ(answer.result->max_error, expected.max_error);
  EXPECT_EQ(answer.result->tolerance, expected.tolerance);
  EXPECT_FALSE(answer.result->correct || answer.result->cold);
  const MeasuredConditions& conditions = answer.result->conditions;
  EXPECT_EQ(conditions.sm_clock_before_hz, expected.conditions.sm_clock_before_hz);
  EXPECT_FALSE(conditions.sm_clock_after_hz.has_value());
  EXPECT_FALSE(conditions.temperature_before_celsius.has_value());
  EXPECT_EQ(conditions.temperature_after_celsius, 41);
  EXPECT_EQ(conditions.throttle_reasons, kPowerCap);
  EXPECT_EQ(conditions.throttled_samples, 2);
  EXPECT_TRUE(conditions.all_throttled);
  EXPECT_EQ(answer.result->blocks_per_multiprocessor, 5);
  EXPECT_EQ(answer.result->counters, expected.counters);
  EXPECT_EQ(answer.result->unknown_counters, expected.unknown_counters);
  EXPECT_EQ(answer.result->reference_counters, expected.reference_counters);
  EXPECT_EQ(answer.result->flop, expected.flop);
  EXPECT_EQ(answer.result->bytes, expected.bytes);
}

TEST(Protocol, PhaseStampsComeThroughAndStayInTheirRange) {
  RunResult result;
  result.phase_stamps = {{0, 12, 0, 8}, {31, 14, 0xfffffff0, 0xffffffff}};
  const AnswerMessage answer{1, result, false};
  const auto got = round_trip(answer);
  ASSERT_TRUE(got.result.ok());
  ASSERT_EQ(got.result->phase_stamps.size(), 2u);
  EXPECT_EQ(got.result->phase_stamps[1].warp, 31u);
  EXPECT_EQ(got.result->phase_stamps[1].line, 14u);
  EXPECT_EQ(got.result->phase_stamps[1].begin_cycle, 0xfffffff0u);
  EXPECT_EQ(got.result->phase_stamps[1].end_cycle, 0xffffffffu);

  const nlohmann::json sent = encode_message(answer);
  nlohmann::json strange = sent;
  strange["result"]["ok"]["phase_stamps"][1][0] = 32;  // a block has 32 warps
  EXPECT_FALSE(decode_message(strange).ok());
  strange = sent;
  strange["result"]["ok"]["phase_stamps"][0].push_back(1);
  EXPECT_FALSE(decode_message(strange).ok());
}

TEST(Protocol, ANotANumberErrorStaysOne) {
  RunResult result;
  result.max_error = std::numeric_limits<double>::quiet_NaN();
  const auto answer = round_trip(AnswerMessage{1, result, false});
  ASSERT_TRUE(answer.result.ok() && answer.result->max_error.has_value());
  EXPECT_TRUE(std::isnan(*answer.result->max_error));
}

TEST(Protocol, ProgressComesThrough) {
  const auto progress = round_trip(ProgressMessage{3, 0.5});
  EXPECT_EQ(progress.request_id, 3u);
  EXPECT_EQ(progress.kernel_seconds, 0.5);
}

TEST(Protocol, CancellingComesThrough) { EXPECT_EQ(round_trip(CancelMessage{17}).request_id, 17u); }

TEST(Protocol, AHelloOfAnotherVersionStillTellsItsVersion) {
  const auto hello = decode_message({{"type", "hello"}, {"version", 99}});
  ASSERT_TRUE(hello.ok());
  EXPECT_EQ(std::get<HelloMessage>(*hello).version, 99);
}

void expect_refused(const json& message, const std::string& field) {
  const auto decoded = decode_message(message);
  ASSERT_FALSE(decoded.ok()) << message;
  EXPECT_NE(decoded.error().message.find(field), std::string::npos) << decoded.error().message;
}

TEST(Protocol, RefusesValuesThatALaunchCouldNotHave) {
  const json good = encode_message(some_run());
  ASSERT_TRUE(decode_message(good).ok());
  const auto with = [&](const char* pointer, const json& value) {
    json bad = good;
    bad[json::json_pointer(pointer)] = value;
    return bad;
  };
  expect_refused(with("/ticket", -1), "ticket");
  expect_refused(with("/instance/grid/0", 0), "grid: ");
  expect_refused(with("/instance/grid", {1, 1}), "grid");
  expect_refused(with("/instance/block/2", 1LL << 40), "block[2]");
  expect_refused(with("/instance/dynamic_shared_bytes", 1LL << 33), "dynamic_shared_bytes");
  expect_refused(with("/instance/arguments/0/type", 99), "type");
  expect_refused(with("/instance/arguments/0/buffer/fill", -1), "fill");
  expect_refused(with("/instance/arguments/0/buffer/count", std::uint64_t{1} << 62), "count");
  expect_refused(with("/instance/arguments/0/leading", 6), "leading");
  expect_refused(with("/instance/arguments/0/rows", 6), "leading");
  expect_refused(with("/instance/arguments/0/rows", std::uint64_t{1} << 63), "leading");
  expect_refused(with("/instance/problem", 4), "problem");
  expect_refused(with("/timing/samples", 0), "samples");
  expect_refused(with("/timing/max_seconds", std::numeric_limits<double>::quiet_NaN()),
                 "max_seconds");
  expect_refused(with("/compiled/cubin", "text"), "cubin");
  expect_refused(with("/files", json::array()), "files");
  expect_refused(json::array(), "must be an object");
}

// Every field that is taken away or replaced is noticed, or was free to have that value: never a
// crash, and what still decodes encodes again.
TEST(Protocol, SurvivesEveryMissingOrReplacedField) {
  const std::vector<json> replacements = {
      nullptr, -1, 3, 1e300, "text", json::array(), json::object(), json::binary({1}), true};
  const std::vector<Message> messages = {HelloMessage{kProtocolVersion, some_device()}, some_run(),
                                         AnswerMessage{1, some_result(), false},
                                         ProgressMessage{3, 0.5}, CancelMessage{17}};
  int refused = 0;
  for (const Message& message : messages) {
    const json good = encode_message(message);
    const json flat = good.flatten();
    for (const auto& [pointer, unused] : flat.items()) {
      const json::json_pointer at(pointer);
      for (const json& replacement : replacements) {
        json bad = good;
        bad[at] = replacement;
        const auto decoded = decode_message(bad);
        if (decoded) (void)encode_message(*decoded);
        refused += decoded ? 0 : 1;
      }
      json bad = good;
      if (bad[at.parent_pointer()].is_object()) {
        bad[at.parent_pointer()].erase(at.back());
        refused += decode_message(bad) ? 0 : 1;
      }
    }
  }
  EXPECT_GT(refused, 300);
}

TEST(Protocol, SurvivesFlippedBits) {
  const auto frame = encode_frame(encode_message(some_run()));
  std::mt19937 random(11);
  for (int i = 0; i < 20'000; ++i) {
    auto damaged = frame;
    for (auto flips = 1 + random() % 3; flips > 0; --flips) {
      damaged[4 + random() % (damaged.size() - 4)] ^= static_cast<std::byte>(1u << random() % 8);
    }
    FrameReader reader;
    reader.append(std::as_bytes(std::span(kStreamPreamble)));
    reader.append(damaged);
    const auto encoded = reader.next();
    if (encoded && *encoded) (void)decode_message(**encoded);
  }
}

}  // namespace
}  // namespace tilescope
