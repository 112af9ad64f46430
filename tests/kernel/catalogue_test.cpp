#include "kernel/catalogue/catalogue.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <set>
#include <sstream>

#include "kernel/catalogue/entry_words.h"
#include "kernel/catalogue/parameter_values.h"
#include "kernel/launch/instance.h"
#include "kernel/text/cuda_lexer.h"
#include "test_catalogue.h"

namespace tilescope {
namespace {

using testing::TemporaryFolder;

TEST(Catalogue, HasTheKernelsThatAlwaysExist) {
  for (const char* id : {"gemm/naive", "gemm/shared_tile", "gemm/register_tile", "transpose/naive",
                         "transpose/tiled"}) {
    EXPECT_NE(testing::catalogue().find(id), nullptr) << id;
  }
  EXPECT_EQ(testing::catalogue().find("gemm/01_naive"), nullptr);
  EXPECT_EQ(testing::catalogue().find("naive"), nullptr);
  EXPECT_EQ(testing::catalogue().find(""), nullptr);
}

TEST(Catalogue, ComesInTheOrderOfTheLadder) {
  std::string before;
  for (const CatalogueEntry& entry : testing::catalogue().entries) {
    const std::string key = fmt::format("{} {:04}", entry.family, entry.step);
    EXPECT_LT(before, key);
    before = key;
  }
}

TEST(Catalogue, TitlesAreShortAndApartInTheirFamily) {
  constexpr std::size_t kFitsTheLadder = 18;  // at 1280 x 720, beside a bar and a figure
  std::set<std::pair<std::string, std::string>> seen;
  for (const CatalogueEntry& entry : testing::catalogue().entries) {
    EXPECT_FALSE(entry.title.empty()) << entry.id;
    EXPECT_LE(entry.title.size(), kFitsTheLadder) << entry.id << ": " << entry.title;
    EXPECT_TRUE(seen.insert({entry.family, entry.title}).second) << entry.id;
  }
}

TEST(Catalogue, ValuesAreSaidInTheOrderOfTheWindow) {
  const CatalogueEntry* entry = testing::catalogue().find("gemm/register_tile");
  ASSERT_NE(entry, nullptr);
  EXPECT_EQ(values_words(entry, {{"STAGES", 3}, {"TILE_M", 128}, {"THREAD_M", 8}}),
            "TILE_M 128, THREAD_M 8, STAGES 3");
  EXPECT_EQ(values_words(nullptr, {{"K", 3}, {"M", 1}, {"N", 2}}), "M 1, N 2, K 3");
  EXPECT_EQ(values_words(nullptr, {{"COLS", 3}, {"ROWS", 1}, {"EXTRA", 2}}),
            "ROWS 1, COLS 3, EXTRA 2");
}

TEST(Catalogue, SeedsAreSaidDocumentByDocument) {
  CatalogueEntry entry;
  EXPECT_EQ(seeds_text(entry), "");
  entry.seeds = {"000: One", "003: Three", "000: Another"};
  EXPECT_EQ(seeds_text(entry), "course texts 000: One, Another; 003: Three");
  entry.seeds = {"beyond the seeds: tensor cores"};
  EXPECT_EQ(seeds_text(entry), "beyond the seeds: tensor cores");
  entry.seeds = {"a talk"};
  EXPECT_EQ(seeds_text(entry), "a talk");
}

TEST(Catalogue, WhatToWatchIsSaidOfEveryKernelWithLegalValues) {
  const DeviceModel device = testing::device(90);
  for (const CatalogueEntry& entry : testing::catalogue().entries) {
    EXPECT_FALSE(entry.watch.empty()) << entry.id;
    for (const Watch& watch : entry.watch) {
      EXPECT_TRUE(watch.words.ends_with(".")) << entry.id << ": " << watch.words;
      EXPECT_LT(watch.words.size(), 220U) << entry.id << ": " << watch.words;
      const auto values = complete_parameters(entry, watch.parameters);
      ASSERT_TRUE(values.ok()) << to_string(values.error());
      EXPECT_TRUE(check_rules(entry, *values, entry.default_extents, device).empty()) << entry.id;
    }
  }
}

TEST(Catalogue, WhatToWatchNamesItsPlace) {
  EXPECT_EQ(place_of({"tiling", "Look.", {}}), "tiling");
  EXPECT_EQ(place_of({"banks", "Look.", {{"PAD", 0}, {"TILE", 8}}}),
            "banks with PAD = 0, TILE = 8");
}

// A file compiled by hand must show what the sliders show first.
TEST(Catalogue, SourcesDefineTheSameDefaults) {
  for (const CatalogueEntry& entry : testing::catalogue().entries) {
    std::map<std::string, std::string> defined;
    for (const CudaToken& token : tokenize(entry.source)) {
      if (token.kind != CudaTokenKind::kDirective) continue;
      const std::vector<CudaToken> words = tokenize(token.text.substr(1));
      if (words.size() == 3 && words[0].is("define")) {
        defined[std::string(words[1].text)] = std::string(words[2].text);
      }
    }
    for (const ParameterSpec& parameter : entry.parameters) {
      EXPECT_EQ(defined[parameter.name], std::to_string(parameter.default_value))
          << entry.id << " " << parameter.name;
    }
  }
}

TEST(Catalogue, PhasesOfTheSourceHaveNames) {
  for (const CatalogueEntry& entry : testing::catalogue().entries) {
    const std::vector<CudaToken> tokens = tokenize(entry.source);
    std::set<std::string> used;
    for (std::size_t i = 0; i + 2 < tokens.size(); ++i) {
      if (tokens[i].is("TILESCOPE_PHASE")) used.insert(std::string(tokens[i + 2].text));
    }
    std::set<std::string> named;
    for (const auto& [phase, name] : entry.phases) named.insert(phase);
    EXPECT_EQ(used, named) << entry.id;
    EXPECT_FALSE(used.empty()) << entry.id;
  }
}

// A small entry, broken in one place by each test.
constexpr const char* kSource = R"(extern "C" __global__ void copy(const float* A, int M) {
  if (M > WIDTH) return;
}
)";
constexpr const char* kEntry = R"json({
  "title": "Copy",
  "idea": "Copies.",
  "seeds": [],
  "problem": "gemm",
  "kernel": "copy",
  "parameters": [
    {
      "name": "WIDTH",
      "meaning": "width",
      "unit": "floats",
      "default": 4,
      "values": [1, 2, 4]
    }
  ],
  "rules": [
    {"condition": "WIDTH * 2 <= max_threads_per_block", "message": "WIDTH is too large"}
  ],
  "launch": {
    "grid": ["ceil_div(M, WIDTH)", "1", "1"],
    "block": ["WIDTH", "1", "1"],
    "dynamic_shared_bytes": "0"
  },
  "arguments": [
    {"name": "A", "role": "A", "type": "f32", "matrix": {"rows": "M", "cols": "K", "leading": "K"}, "fill": "random", "seed": 1},
    {"name": "M", "type": "i32", "value": "M"}
  ],
  "phases": {"load": "Load"},
  "extents": {"M": 8, "N": 8, "K": 8}
}
)json";

std::string gemm_problem() { return testing::read_file(testing::problem("gemm")->file); }

Result<Catalogue> load(const std::string& json, const std::string& source = kSource) {
  TemporaryFolder folder;
  folder.write("mine/gemm.problem.json", gemm_problem());
  folder.write("mine/01_copy.json", json);
  folder.write("mine/01_copy.cu", source);
  return load_catalogue({folder.path()});
}

std::string with(const std::string& from, const std::string& to) {
  std::string json = kEntry;
  const std::size_t at = json.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return json.replace(at, from.size(), to);
}

void expect_mistake(const std::string& json, int line, const std::string& part,
                    const std::string& remedy = "") {
  const Result<Catalogue> loaded = load(json);
  ASSERT_FALSE(loaded.ok()) << part;
  const Error& error = loaded.error();
  EXPECT_EQ(error.code, ErrorCode::kUsage);
  EXPECT_TRUE(error.place.file.ends_with("mine/01_copy.json")) << error.place.file;
  EXPECT_EQ(error.place.line, line) << error.message;
  EXPECT_NE(error.message.find(part), std::string::npos) << error.message;
  EXPECT_NE(error.remedy.find(remedy), std::string::npos) << error.remedy;
}

TEST(CatalogueEntry, LoadsWithEveryMember) {
  const Result<Catalogue> loaded = load(kEntry);
  ASSERT_TRUE(loaded.ok()) << to_string(loaded.error());
  const CatalogueEntry* entry = loaded->find("mine/copy");
  ASSERT_NE(entry, nullptr);
  EXPECT_EQ(entry->family, "mine");
  EXPECT_EQ(entry->step, 1);
  EXPECT_EQ(entry->parameters.front().values, (std::vector<std::int64_t>{1, 2, 4}));
  EXPECT_EQ(entry->grid[0], "ceil_div(M, WIDTH)");
  EXPECT_EQ(entry->arguments.size(), 2U);
  EXPECT_EQ(entry->arguments[0].role, Role::kA);
  EXPECT_FALSE(entry->arguments[0].written);
  EXPECT_EQ(entry->default_extents.at("K"), 8);
  EXPECT_EQ(entry->source, kSource);
}

TEST(CatalogueEntry, MistakesNameTheirLineAndPath) {
  expect_mistake(with("\"unit\"", "\"units\""), 11, "parameters[0].units: there is no such key",
                 "unit?");
  expect_mistake(with("\"title\": \"Copy\"", "\"title\": 5"), 2, "title: must be a string, not 5");
  expect_mistake(with("\"default\": 4", "\"default\": 3"), 12, "3 is not among the values");
  expect_mistake(with("\"default\": 4", "\"default\": 4.5"), 12, "must be a whole number");
  expect_mistake(with("[1, 2, 4]", "[1, 4, 2]"), 13, "must ascend");
  expect_mistake(with("[1, 2, 4]", "[]"), 13, "at least one");
  expect_mistake(with("\"values\": [1, 2, 4]", "\"range\": [1, 1000000000]"), 13, "at most 1024");
  expect_mistake(with("WIDTH * 2", "WIDHT * 2"), 17, "WIDHT is no parameter",
                 "Did you mean WIDTH?");
  expect_mistake(with("WIDTH * 2 <=", "WIDTH * 2 <>"), 17, "rules[0].condition: unexpected '>'");
  expect_mistake(with("ceil_div(M, WIDTH)", "ceil_div(M; WIDTH)"), 20,
                 "launch.grid[0]: ',' expected");
  expect_mistake(with("[\"WIDTH\", \"1\", \"1\"]", "[\"WIDTH\", \"1\"]"), 21, "three expressions");
  expect_mistake(with("\"kernel\": \"copy\"", "\"kernel\": \"cpy\""), 6, "no kernel cpy", "copy");
  expect_mistake(with("\"role\": \"A\"", "\"role\": \"in\""), 25, "no role in", "A, B, C");
  expect_mistake(with("\"f32\"", "\"f31\""), 25, "arguments[0].type");
  expect_mistake(with("\"K\": 8}", "\"L\": 8}"), 29, "no such extent");
  expect_mistake(with(", \"K\": 8}", "}"), 29, "\"K\" is missing");
  expect_mistake(with("  \"idea\": \"Copies.\",\n", ""), 1, "\"idea\" is missing");
  expect_mistake(with("\"problem\": \"gemm\"", "\"problem\": \"gem\""), 5, "no problem gem",
                 "gemm");
}

TEST(CatalogueEntry, WhatIsUsualMayBeLeftOut) {
  std::string json = with("  \"seeds\": [],\n", "");
  const auto leave_out = [&](const std::string& part, const std::string& instead) {
    const std::size_t at = json.find(part);
    ASSERT_NE(at, std::string::npos) << part;
    json.replace(at, part.size(), instead);
  };
  leave_out(",\n    \"dynamic_shared_bytes\": \"0\"", "");
  leave_out(
      "  \"rules\": [\n    {\"condition\": \"WIDTH * 2 <= max_threads_per_block\", \"message\": "
      "\"WIDTH is too large\"}\n  ],\n",
      "");
  const auto loaded = load(json);
  ASSERT_TRUE(loaded.ok()) << to_string(loaded.error());
  const CatalogueEntry* entry = loaded->find("mine/copy");
  EXPECT_TRUE(entry->rules.empty());
  EXPECT_TRUE(entry->seeds.empty());
  EXPECT_EQ(entry->dynamic_shared_bytes, "0");
}

TEST(CatalogueEntry, ABufferIsFilledByAnExpressionOverParametersAndExtents) {
  const auto loaded = load(with("\"random\"", "\"(i * WIDTH + random) % M\""));
  ASSERT_TRUE(loaded.ok()) << to_string(loaded.error());
  const CatalogueEntry* entry = loaded->find("mine/copy");
  const auto made =
      instantiate(*entry, {{"WIDTH", 2}}, entry->default_extents, testing::device(90));
  ASSERT_TRUE(made.ok()) << to_string(made.error());
  EXPECT_EQ(made->arguments[0].buffer.fill, Fill::kExpression);
  EXPECT_EQ(made->arguments[0].buffer.expression, "(i * (2) + random) % (8)");
  expect_mistake(with("\"random\"", "\"randon\""), 25, "there is no fill randon", "random");
  expect_mistake(with("\"random\"", "\"i * WIDHT\""), 25, "WIDHT is no parameter", "WIDTH?");
}

TEST(CatalogueEntry, AMatrixComesThroughATensorMap) {
  const std::string part = "\"fill\": \"random\"";
  const auto mapped = [&](const std::string& tensor) {
    return with(part, "\"tensor\": " + tensor + ", " + part);
  };
  const auto loaded = load(mapped(R"({"box": ["WIDTH", "4"], "swizzle": "32"})"));
  ASSERT_TRUE(loaded.ok()) << to_string(loaded.error());
  const CatalogueEntry* entry = loaded->find("mine/copy");
  const auto made = instantiate(*entry, {}, {{"M", 12}, {"N", 8}, {"K", 20}}, testing::device(90));
  ASSERT_TRUE(made.ok()) << to_string(made.error());
  const Argument& argument = made->arguments[0];
  ASSERT_TRUE(argument.tensor.has_value());
  EXPECT_EQ(argument.tensor->rank, 2U);
  EXPECT_EQ(argument.tensor->extent[0], 20U);
  EXPECT_EQ(argument.tensor->extent[1], 12U);
  EXPECT_EQ(argument.tensor->box[0], 4U);
  EXPECT_EQ(argument.tensor->box[1], 4U);
  EXPECT_EQ(argument.tensor->swizzle_bytes, 32U);

  // A row of 5 floats does not begin at 16 bytes; a box has at most 256 rows.
  const auto uneven = instantiate(*entry, {}, {{"M", 8}, {"N", 8}, {"K", 5}}, testing::device(90));
  ASSERT_FALSE(uneven.ok());
  EXPECT_NE(uneven.error().message.find("the tensor map A has"), std::string::npos);
  const auto high = load(mapped(R"({"box": ["WIDTH", "65537"]})"));
  ASSERT_TRUE(high.ok()) << to_string(high.error());
  EXPECT_FALSE(
      instantiate(*high->find("mine/copy"), {}, {{"M", 8}, {"N", 8}, {"K", 8}}, testing::device(90))
          .ok());
  expect_mistake(mapped(R"({"box": ["WIDTH"]})"), 25, "must hold two expressions");
  expect_mistake(mapped(R"({"boxes": ["4", "4"]})"), 25, "no such key", "box");
}

TEST(CatalogueEntry, AGridMayFillTheDevice) {
  const auto loaded = load(with("ceil_div(M, WIDTH)", "min(M, 2 * multiprocessors)"));
  ASSERT_TRUE(loaded.ok()) << to_string(loaded.error());
  const CatalogueEntry* entry = loaded->find("mine/copy");
  const DeviceModel device = testing::device(90);
  const auto made = instantiate(*entry, {}, {{"M", 4096}, {"N", 8}, {"K", 8}}, device);
  ASSERT_TRUE(made.ok()) << to_string(made.error());
  EXPECT_EQ(made->grid.x, 2U * static_cast<unsigned>(device.multiprocessors));
  expect_mistake(with("[\"WIDTH\", \"1\", \"1\"]", "[\"multiprocessors\", \"1\", \"1\"]"), 21,
                 "multiprocessors is no parameter");
}

TEST(CatalogueEntry, WhatToWatchIsReadAndChecked) {
  const auto watching = [](const std::string& watch) {
    return with("\"title\": \"Copy\",", "\"title\": \"Copy\", \"watch\": " + watch + ",");
  };
  const auto loaded =
      load(watching(R"([{"view": "banks", "words": "W.", "parameters": {"WIDTH": 2}},
 {"view": "tiling", "words": "T."}])"));
  ASSERT_TRUE(loaded.ok()) << to_string(loaded.error());
  const auto& watch = loaded->find("mine/copy")->watch;
  ASSERT_EQ(watch.size(), 2U);
  EXPECT_EQ(watch[0].view, "banks");
  EXPECT_EQ(watch[0].words, "W.");
  EXPECT_EQ(watch[0].parameters, (ParameterSet{{"WIDTH", 2}}));
  EXPECT_TRUE(watch[1].parameters.empty());
  expect_mistake(watching(R"([{"view": "banks"}])"), 2, "\"words\" is missing");
  expect_mistake(watching(R"([{"view": "a", "words": "b", "parameters": {"WIDTH": 3}}])"), 2,
                 "WIDTH cannot be 3");
  expect_mistake(watching(R"([{"view": "a", "words": "b", "parameters": {"PAD": 1}}])"), 2,
                 "no parameter PAD");
  expect_mistake(watching("{}"), 2, "watch");
}

TEST(CatalogueEntry, BrokenJsonNamesItsLine) {
  expect_mistake(with("\"default\": 4,", "\"default\": 4"), 13, "");
  expect_mistake(with("\"unit\": \"floats\"", "\"unit\": \"floats"), 11, "");
  expect_mistake("", 1, "");
  expect_mistake("[]", 1, "must be an object");
}

TEST(CatalogueEntry, HostileJsonIsRefused) {
  EXPECT_FALSE(load(std::string(100'000, '[')).ok());
  std::string deep;
  for (int i = 0; i < 5000; ++i) deep += "{\"a\":";
  EXPECT_FALSE(load(deep + "1" + std::string(5000, '}')).ok());
  EXPECT_FALSE(load(with("\"seed\": 1", "\"seed\": 1e400")).ok());
  EXPECT_FALSE(load(with("\"seed\": 1", "\"seed\": -1")).ok());
  EXPECT_FALSE(load(with("\"M\": 8", "\"M\": 18446744073709551615")).ok());
  EXPECT_FALSE(load(with("\"M\": 8", "\"M\": 0")).ok());
  EXPECT_FALSE(load(with("\"seeds\": []", "\"seeds\": {}")).ok());
  EXPECT_FALSE(load(with("\"seeds\": []", "\"seeds\": [null]")).ok());
  EXPECT_FALSE(load(with("\"title\": \"Copy\"", "\"title\": \"Copy\", \"title\": \"b\"")).ok());
  EXPECT_FALSE(load("\xff\xfe\x00{}").ok());
}

TEST(CatalogueEntry, ParameterMustOccurInTheSource) {
  const Result<Catalogue> loaded =
      load(kEntry, "__global__ void copy(const float* A, int M) { /* WIDTHS */ int WIDTH_; }");
  ASSERT_FALSE(loaded.ok());
  EXPECT_NE(loaded.error().message.find("does not occur"), std::string::npos);
}

TEST(Catalogue, MissingFilesAndFoldersAreErrors) {
  TemporaryFolder folder;
  EXPECT_FALSE(load_catalogue({folder.path() / "nowhere"}).ok());
  EXPECT_TRUE(load_catalogue({folder.path()}).ok());
  folder.write("mine/gemm.problem.json", gemm_problem());
  folder.write("mine/01_copy.json", kEntry);
  const Result<Catalogue> lonely = load_catalogue({folder.path()});
  ASSERT_FALSE(lonely.ok());
  EXPECT_TRUE(lonely.error().place.file.ends_with("01_copy.cu"));
}

TEST(Catalogue, TheSameIdTwiceIsAnError) {
  TemporaryFolder folder;
  folder.write("gemm.problem.json", gemm_problem());
  for (const char* name : {"a/mine/01_copy", "b/mine/02_copy"}) {
    folder.write(std::string(name) + ".json", kEntry);
    folder.write(std::string(name) + ".cu", kSource);
  }
  const Result<Catalogue> loaded = load_catalogue({folder.path()});
  ASSERT_FALSE(loaded.ok());
  EXPECT_NE(loaded.error().message.find("mine/copy is there already"), std::string::npos);
}

// A small problem and two kernels of it, the second of which is the reference of the first.
constexpr const char* kProblem = R"json({
  "title": "Sum",
  "result": "out = the sum",
  "extents": [{"name": "LENGTH", "label": "length", "meaning": "elements", "default": 100}],
  "parameters": ["WIDTH"],
  "buffers": [
    {"name": "in", "type": "f32", "elements": "LENGTH", "fill": "random", "seed": 1},
    {"name": "out", "type": "f32", "elements": "WIDTH", "fill": "zero", "written": true, "accumulates": "always"}
  ],
  "rate": "bytes",
  "bytes": "4 * LENGTH",
  "reference": {"kernel": "mine/slow"},
  "tolerance": "2 * WIDTH"
}
)json";
std::string sum_entry(const std::string& kernel, const std::string& more = "") {
  return fmt::format(R"json({{
  "title": "Sum", "idea": "Sums.", "seeds": [], "problem": "sum", "kernel": "{}",
  "parameters": [{{"name": "WIDTH", "meaning": "w", "unit": "", "default": 4, "values": [4, 8]}}],
  "rules": [],
  "launch": {{"grid": ["1", "1", "1"], "block": ["WIDTH", "1", "1"], "dynamic_shared_bytes": "0"}},
  "arguments": [{{"name": "from", "role": "in"}}, {{"name": "to", "role": "out"}}],
  "phases": {{}}{}
}}
)json",
                     kernel, more);
}

Result<Catalogue> load_sums(const std::string& problem, const std::string& slow,
                            const std::string& fast = sum_entry("fast")) {
  TemporaryFolder folder;
  folder.write("sum.problem.json", problem);
  for (const auto& [name, json] : {std::pair{"slow", slow}, std::pair{"fast", fast}}) {
    folder.write(fmt::format("mine/01_{}.json", name), json);
    folder.write(fmt::format("mine/01_{}.cu", name),
                 fmt::format("__global__ void {}(float* a, float* b) {{ WIDTH; }}", name));
  }
  return load_catalogue({folder.path()});
}

const std::string kSlow = sum_entry("slow", R"(, "reference": {"kernel": "mine/fast"})");

TEST(Problem, IsDataThatItsKernelsShare) {
  const Result<Catalogue> loaded = load_sums(kProblem, kSlow);
  ASSERT_TRUE(loaded.ok()) << to_string(loaded.error());
  const CatalogueEntry& fast = *loaded->find("mine/fast");
  EXPECT_EQ(fast.problem, loaded->find("mine/slow")->problem);
  EXPECT_EQ(fast.default_extents, (ParameterSet{{"LENGTH", 100}}));
  EXPECT_EQ(fast.arguments[1].name, "to");
  EXPECT_EQ(fast.arguments[1].buffer, "out");
  EXPECT_EQ(fast.arguments[1].role, Role::kOut);
  ASSERT_NE(fast.reference_entry, nullptr);
  EXPECT_EQ(fast.reference_entry->id, "mine/slow");
  const auto instance = instantiate(fast, {{"WIDTH", 8}}, {{"LENGTH", 50}}, testing::device(90));
  ASSERT_TRUE(instance.ok()) << to_string(instance.error());
  EXPECT_EQ(instance->arguments[1].buffer.count, 8U);
  ASSERT_NE(instance->reference_kernel, nullptr);
  EXPECT_EQ(instance->reference_kernel->parameters, instance->parameters)
      << "it changes the result";
  EXPECT_EQ(instance->reference_kernel->extents, instance->extents);
  EXPECT_EQ(instance->reference_kernel->reference_kernel, nullptr);
  EXPECT_EQ(problem_cost(*instance).bytes, 200);
  EXPECT_EQ(problem_cost(*instance).flop, 0);
  EXPECT_EQ(rounding_tolerance(*instance), 16 * 0x1p-24);
  EXPECT_TRUE(accumulates(*instance, instance->arguments[1]));
  EXPECT_EQ(size_of(*instance), "50");
}

TEST(Problem, MistakesAreRefused) {
  const auto expect = [](const Result<Catalogue>& loaded, const char* file, const char* part) {
    ASSERT_FALSE(loaded.ok()) << part;
    EXPECT_TRUE(loaded.error().place.file.ends_with(file)) << loaded.error().place.file;
    EXPECT_NE(loaded.error().message.find(part), std::string::npos) << loaded.error().message;
  };
  const auto changed = [](const std::string& from, const std::string& to) {
    std::string json = kProblem;
    return json.replace(json.find(from), from.size(), to);
  };
  const char* file = "sum.problem.json";
  expect(load_sums(changed("4 * LENGTH", "4 * LENGHT"), kSlow), file, "LENGHT is no parameter");
  expect(load_sums(changed("\"bytes\",", "\"flop\","), kSlow), file, "flop needs an expression");
  expect(load_sums(changed("\"default\": 100", "\"default\": 0"), kSlow), file, "1 or more");
  expect(load_sums(changed("{\"kernel\": \"mine/slow\"}", "{\"is\": \"magic\"}"), kSlow), file,
         "no reference magic");
  expect(load_sums(changed("mine/slow", "mine/none"), kSlow), file, "no kernel mine/none");
  expect(load_sums(changed("\"WIDTH\"]", "\"DEPTH\"]"), kSlow), file, "WIDTH is no parameter");
  expect(load_sums(kProblem, sum_entry("slow")), "01_slow.json", "cannot be its own reference");
  expect(load_sums(kProblem, kSlow, sum_entry("fast", R"(, "reference": "in")")), "01_fast.json",
         "reference");
}

TEST(ParseSize, TakesOneNumberOrAllExtents) {
  EXPECT_EQ(*parse_size(testing::problem("gemm"), "512"),
            (ParameterSet{{"M", 512}, {"N", 512}, {"K", 512}}));
  EXPECT_EQ(*parse_size(testing::problem("gemm"), "3x5x7"),
            (ParameterSet{{"M", 3}, {"N", 5}, {"K", 7}}));
  EXPECT_EQ(*parse_size(testing::problem("transpose"), "4096"),
            (ParameterSet{{"ROWS", 4096}, {"COLS", 4096}}));
  EXPECT_EQ(*parse_size(testing::problem("transpose"), "2X9"),
            (ParameterSet{{"ROWS", 2}, {"COLS", 9}}));
}

TEST(ParseSize, RefusesTheRest) {
  for (const char* text :
       {"", "x", "0", "-4", "12x", "x12", "1x2", "1x2x3x4", "1,2,3", "1e3", "64 ",
        "99999999999999999999", "1000000001", "1x0x1", "0x10x10", "five"}) {
    const Result<ParameterSet> size = parse_size(testing::problem("gemm"), text);
    ASSERT_FALSE(size.ok()) << text;
    EXPECT_EQ(size.error().code, ErrorCode::kUsage);
  }
  EXPECT_FALSE(parse_size(testing::problem("transpose"), "1x2x3").ok());
}

}  // namespace
}  // namespace tilescope
