// The glossary: its file, what it knows, and how it is searched.
#include "session/glossary.h"

#include <gtest/gtest.h>

#include <set>
#include <stdexcept>
#include <string>
#include <vector>

#include "analysis/compared.h"
#include "analysis/memory/counters.h"
#include "analysis/time/warp_timing.h"
#include "core/paths.h"
#include "core/word_search.h"
#include "kernel/catalogue/catalogue.h"
#include "kernel/launch/instance.h"
#include "scene/views.h"
#include "session/lesson_text.h"

namespace tilescope {
namespace {

const Glossary& shipped() {
  static const Glossary glossary = [] {
    auto loaded = Glossary::load_shipped();
    if (!loaded) throw std::runtime_error(to_string(loaded.error()));
    return *std::move(loaded);
  }();
  return glossary;
}

std::string first_of(std::string_view words) {
  const auto found = shipped().search(words);
  return found.empty() ? "" : found.front()->term;
}

std::string error_of(std::string_view text) {
  const auto glossary = Glossary::read(text, "g.md");
  return glossary ? "" : to_string(glossary.error());
}

TEST(Glossary, AnEntryHasItsFieldsAndADefinition) {
  const auto glossary = Glossary::read(
      "# Memory\n\n## Bank conflict\nAlso: conflict, n-way conflict\nUnit: wavefronts\n"
      "Counted: beyond the passes\nMetric: a__b.sum, c__*\nTry: banks of x/y with PAD = 0, N = -4\n"
      "Lanes need one bank. It\ndelivers: one word.\n\n## Plain\nNothing else.\n",
      "g.md");
  ASSERT_TRUE(glossary.ok()) << to_string(glossary.error());
  ASSERT_EQ(glossary->entries().size(), 2U);
  const GlossaryEntry& entry = glossary->entries().front();
  EXPECT_EQ(entry.group, "Memory");
  EXPECT_EQ(entry.term, "Bank conflict");
  EXPECT_EQ(entry.also, (std::vector<std::string>{"conflict", "n-way conflict"}));
  EXPECT_EQ(entry.unit, "wavefronts");
  EXPECT_EQ(entry.counted, "beyond the passes");
  EXPECT_EQ(entry.metrics, (std::vector<std::string>{"a__b.sum", "c__*"}));
  ASSERT_TRUE(entry.example.has_value());
  EXPECT_EQ(entry.example->parameters, (ParameterSet{{"N", -4}, {"PAD", 0}}));
  EXPECT_EQ(words_of(*entry.example), "banks of x/y with N = -4, PAD = 0");
  EXPECT_EQ(entry.definition, "Lanes need one bank. It delivers: one word.");
  EXPECT_EQ(short_definition(entry), "Lanes need one bank.");
  EXPECT_EQ(short_definition(glossary->entries().back()), "Nothing else.");
}

TEST(Glossary, AMalformedFileIsRefusedWithItsLine) {
  EXPECT_EQ(error_of("# G\n## A\nUnit: s\n## B\nText.\n").substr(0, 7), "g.md:4:");
  EXPECT_NE(error_of("# G\n## A\nUnit: s\n").find("'A' has no definition"), std::string::npos);
  EXPECT_NE(error_of("## A\nText.\n").find("g.md:1"), std::string::npos);
  EXPECT_NE(error_of("# G\n## A\nText.\n## a\nText.\n").find("g.md:4"), std::string::npos);
  EXPECT_NE(error_of("# G\nText.\n").find("outside an entry"), std::string::npos);
  EXPECT_NE(error_of("# G\n## A\nUnit: s\nUnit: m\nText.\n").find("twice"), std::string::npos);
  for (const char* example :
       {"banks", "banks of", "of x/y", "banks of x/y with PAD", "banks of x/y with PAD = much",
        "banks of x/y with PAD = 1, PAD = 2"}) {
    const std::string error = error_of(std::string("# G\n## A\nTry: ") + example + "\nText.\n");
    EXPECT_NE(error.find("g.md:3"), std::string::npos) << example << ": " << error;
  }
  EXPECT_NE(error_of("").find("no entry"), std::string::npos);
  EXPECT_FALSE(Glossary::load("/no/such/glossary.md").ok());
}

TEST(Glossary, EveryExampleIsAViewOfAKernelWithValidParameters) {
  const auto catalogue = load_catalogue({resource_directory() / "kernels"});
  ASSERT_TRUE(catalogue.ok());
  const auto devices = load_device_table(resource_directory() / "assets" / "devices.json");
  ASSERT_TRUE(devices.ok());
  int examples = 0;
  for (const GlossaryEntry& entry : shipped().entries()) {
    if (!entry.example) continue;
    ++examples;
    const GlossaryExample& example = *entry.example;
    EXPECT_TRUE(parse_view(example.view)) << entry.term << ": " << example.view;
    const CatalogueEntry* kernel = catalogue->find(example.kernel);
    ASSERT_NE(kernel, nullptr) << entry.term << ": " << example.kernel;
    const auto values = complete_parameters(*kernel, example.parameters);
    ASSERT_TRUE(values.ok()) << entry.term << ": " << to_string(values.error());
    const auto instance = instantiate(*kernel, *values, kernel->default_extents, devices->front());
    EXPECT_TRUE(instance.ok()) << entry.term << ": " << to_string(instance.error());
  }
  EXPECT_GT(examples, 80);
}

TEST(Glossary, EveryMetricThatTheProgramCountsHasAnEntry) {
  for (const std::string& metric : metric_names()) {
    EXPECT_NE(shipped().of_metric(metric), nullptr) << metric;
  }
  // Those of machine code alone.
  for (const char* metric : {"smsp__inst_executed.sum", "smsp__thread_inst_executed.sum",
                             "smsp__thread_inst_executed_pred_on.sum"}) {
    EXPECT_NE(shipped().of_metric(metric), nullptr) << metric;
  }
  EXPECT_EQ(shipped().of_metric("no__such_metric.sum"), nullptr);
}

// Rows with a meaning; those without one are parameters, which their kernels explain.
TEST(Glossary, EveryNumberOfAComparisonHasAnEntry) {
  const ParameterSet square{{"ROWS", 256}, {"COLS", 256}};
  const ParameterSet product{{"M", 64}, {"N", 64}, {"K", 64}};
  const std::vector<testing::Compared> all = {
      testing::compared("transpose/naive", {}, square),
      testing::compared("transpose/tiled", {}, {{"ROWS", 512}, {"COLS", 512}}),
      testing::compared("gemm/naive", {}, product),
      testing::compared("gemm/shared_tile", {}, {{"M", 128}, {"N", 128}, {"K", 128}})};
  std::set<std::string> names;
  for (const std::size_t first : {0U, 2U}) {
    testing::Compared a = all[first];
    testing::Compared b = all[first + 1];
    a.known = Quantity{1e-3, Unit::kSeconds, Source::kRecorded};
    b.known = Quantity{2e-3, Unit::kSeconds, Source::kRecorded};
    const std::vector<ComparedKernel> kernels = {a.kernel(), b.kernel()};
    for (const MetricRow& row : compare(kernels).rows) {
      if (row.meaning.empty()) continue;
      names.insert(row.name);
      EXPECT_NE(shipped().find(row.name), nullptr) << row.name;
    }
  }
  EXPECT_GT(names.size(), 14U);
}

TEST(Glossary, TheMostExactPatternNamesAMetric) {
  const auto term_of = [](const char* metric) {
    const GlossaryEntry* entry = shipped().of_metric(metric);
    return entry == nullptr ? std::string() : entry->term;
  };
  EXPECT_EQ(term_of("l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum"), "Bank conflict");
  EXPECT_EQ(term_of("l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum"), "Sector");
  EXPECT_EQ(term_of("l1tex__t_sectors_pipe_lsu_mem_local_op_ld.sum"), "Local memory");
  EXPECT_EQ(term_of("l1tex__t_requests_pipe_lsu_mem_global_op_st.sum"), "Request");
  EXPECT_EQ(term_of("smsp__inst_executed_op_generic_atom.sum"), "Atomic");
  EXPECT_EQ(term_of("smsp__inst_executed_op_global_ld.sum"), "Warp instruction");
}

TEST(Glossary, EveryStallReasonAndEveryViewHasAnEntry) {
  for (int i = 1; i < static_cast<int>(kStallCount); ++i) {
    const std::string name = name_of(static_cast<Stall>(i));
    EXPECT_NE(shipped().find(name), nullptr) << name;
  }
  for (const View view : all_views()) {
    EXPECT_FALSE(shipped().search(title_of(view)).empty()) << title_of(view);
  }
}

TEST(Glossary, AnEntryIsFoundByTermOtherNameAndMetric) {
  EXPECT_EQ(shipped().find("BANK CONFLICT")->term, "Bank conflict");
  EXPECT_EQ(shipped().find("n-way bank conflict")->term, "Bank conflict");
  EXPECT_EQ(shipped().find("l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum")->term, "Sector");
  EXPECT_EQ(shipped().find(""), nullptr);
  EXPECT_EQ(shipped().find("bank holiday"), nullptr);
}

TEST(Glossary, ASearchHasTheBestFirst) {
  EXPECT_EQ(first_of("what is a wavefront"), "Wavefront");
  EXPECT_EQ(first_of("conflict bank"), "Bank conflict");
  EXPECT_EQ(first_of("memory shared conflict"), "Bank conflict");
  EXPECT_EQ(first_of("uncoalesced"), "Coalesced access");
  EXPECT_EQ(first_of("threads per block"), "Thread");
  EXPECT_EQ(first_of("ping pong"), "Double buffering");
  EXPECT_EQ(first_of("syncthreads"), "Barrier");
  EXPECT_TRUE(shipped().search("zqzq").empty());
  EXPECT_TRUE(shipped().search("").empty());
}

// A name stands for one thing alone, so that help and search say the same.
TEST(Glossary, NoNameIsUsedTwice) {
  std::set<std::vector<std::string>> names;
  for (const GlossaryEntry& entry : shipped().entries()) {
    EXPECT_TRUE(names.insert(words_in(entry.term)).second) << entry.term;
    for (const std::string& other : entry.also) {
      EXPECT_FALSE(words_in(other).empty()) << other;
      if (words_in(other) == words_in(entry.term)) continue;
      EXPECT_TRUE(names.insert(words_in(other)).second) << entry.term << ": " << other;
    }
  }
}

// Three sentences at most, for a person who reads them while a picture waits.
TEST(Glossary, DefinitionsAreShortSentences) {
  for (const GlossaryEntry& entry : shipped().entries()) {
    EXPECT_TRUE(entry.definition.ends_with('.')) << entry.term;
    EXPECT_LT(entry.definition.size(), 330U) << entry.term;
    EXPECT_GT(entry.definition.size(), 30U) << entry.term;
  }
}

}  // namespace
}  // namespace tilescope
