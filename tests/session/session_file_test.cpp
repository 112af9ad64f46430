#include "session/session_file.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <functional>
#include <nlohmann/json.hpp>
#include <random>

#include "core/text.h"
#include "documents.h"
#include "temporary_folder.h"

namespace tilescope {
namespace {

using nlohmann::json;

Result<LoadedSession> parse(std::string text) {
  return parse_session(std::move(text), "s.tilescope", known_names().names());
}

TEST(SessionFile, KeepsEveryField) {
  const Document document = full_document();
  const std::string text = session_text(document, known_names().names());
  const auto loaded = parse(text);
  ASSERT_TRUE(loaded.ok()) << to_string(loaded.error());
  EXPECT_TRUE(loaded->document == document);
  EXPECT_TRUE(loaded->remarks.empty());
  EXPECT_EQ(session_text(loaded->document, known_names().names()), text);
}

TEST(SessionFile, KeepsWhatItDoesNotKnowAtEveryLevel) {
  json file = json::parse(session_text(full_document(), known_names().names()));
  file["future"] = {{"a", {1, 2, {{"b", nullptr}}}}};
  file["view_settings"]["future"] = 3.5;
  file["interface"]["future"] = "x";
  file["window"]["source"]["future"] = true;
  file["latencies"]["future latency"] = 12;
  file["variants"][0]["future"] = {1};
  file["variants"][1]["selection"]["future"] = 5;
  file["variants"][1]["marks"]["future"] = 6;
  file["variants"][2]["launch"]["cluster"] = "2,1,1";
  file["own_kernels"][0]["future"] = 7;
  file["own_kernels"][2]["launch"]["cluster"] = "4,1,1";
  file["variants"][2]["launch"]["arguments"][1]["future"] = "y";
  const auto loaded = parse(file.dump());
  ASSERT_TRUE(loaded.ok()) << to_string(loaded.error());
  EXPECT_EQ(json::parse(session_text(loaded->document, known_names().names())), file);

  // They stay with their variant when another one is closed.
  Document fewer = loaded->document;
  fewer.variants.erase(fewer.variants.begin());
  fewer.active = 0;
  const json kept = json::parse(session_text(fewer, known_names().names()));
  EXPECT_EQ(kept["variants"][0]["selection"]["future"], 5);
  EXPECT_EQ(kept["variants"][1]["launch"]["cluster"], "2,1,1");
}

TEST(SessionFile, KeepsTheOwnKernelsThatNoVariantShows) {
  Document document = full_document();
  document.variants.pop_back();
  document.active = 0;
  const auto loaded = parse(session_text(document, known_names().names()));
  ASSERT_TRUE(loaded.ok()) << to_string(loaded.error());
  ASSERT_NE(loaded->document.own_kernels, nullptr);
  EXPECT_EQ(*loaded->document.own_kernels, *document.own_kernels);
  EXPECT_EQ(loaded->document.own_kernels->size(), 3U);
  EXPECT_FALSE(loaded->document.own_kernels->front().allowed);
}

// As it was written before the list was a part of the file.
TEST(SessionFile, AnOldFileHasTheOwnKernelsOfItsVariants) {
  json file = json::parse(session_text(full_document(), known_names().names()));
  file.erase("own_kernels");
  json other = file["variants"][2];
  other["file"] = "/elsewhere/mine.cu";
  other.erase("edited");
  file["variants"].push_back(other);
  const auto loaded = parse(file.dump());
  ASSERT_TRUE(loaded.ok()) << to_string(loaded.error());
  const Document& document = loaded->document;
  ASSERT_NE(document.own_kernels, nullptr);
  ASSERT_EQ(document.own_kernels->size(), 2U);
  const OwnKernelDocument& first = document.own_kernels->front();
  EXPECT_EQ(first.file, "/home/someone/mine.cu");
  EXPECT_EQ(first.name, "mine.cu");
  EXPECT_EQ(*first.edited, *document.variants[2].edited);
  EXPECT_EQ(first.launch, document.variants[2].launch);
  EXPECT_EQ(document.variants[3].name, "mine.cu (2)");
  EXPECT_EQ(title_of(document.variants[3]), "mine.cu (2)");
}

TEST(SessionFile, WhetherAnOwnKernelMayRunIsReadFromRecoveryAlone) {
  Document document = full_document();
  OwnKernels own = *document.own_kernels;
  own[0].allowed = true;
  document.own_kernels = std::make_shared<const OwnKernels>(own);
  const SessionNames names = known_names().names();
  const std::string kept = session_text(document, names, Recovery{});
  const auto recovered = parse_session(kept, "s", names, true);
  ASSERT_TRUE(recovered.ok());
  EXPECT_TRUE(recovered->document.own_kernels->at(0).allowed);
  EXPECT_FALSE(recovered->document.own_kernels->at(1).allowed);
  const auto opened = parse(kept);
  ASSERT_TRUE(opened.ok());
  EXPECT_FALSE(opened->document.own_kernels->at(0).allowed) << "another file has no say in this";
  EXPECT_EQ(session_text(document, names).find("allowed"), std::string::npos);
}

TEST(SessionFile, NamesOfOwnKernelsAreUsableAndTheirOwn) {
  json file = json::parse(session_text(full_document(), known_names().names()));
  file["own_kernels"][0]["name"] = "a/b\n" + std::string(300, 'x');
  file["own_kernels"][1].erase("name");
  file["own_kernels"][2]["name"] = "mine.cu";
  const auto loaded = parse(file.dump());
  ASSERT_TRUE(loaded.ok()) << to_string(loaded.error());
  const OwnKernels& own = *loaded->document.own_kernels;
  EXPECT_TRUE(own[0].name.starts_with("a-b xxx")) << own[0].name;
  EXPECT_LE(own[0].name.size(), 100U);
  EXPECT_EQ(own[1].name, "mine.cu");
  EXPECT_EQ(own[2].name, "mine.cu (2)");
  EXPECT_EQ(loaded->document.variants[2].name, "mine.cu");
}

TEST(SessionFile, ADamagedOwnKernelIsNamed) {
  const json valid = json::parse(session_text(full_document(), known_names().names()));
  const auto said = [&](const std::function<void(json&)>& damage) {
    json file = valid;
    damage(file);
    const auto loaded = parse(file.dump());
    return loaded ? std::string("nothing") : to_string(loaded.error());
  };
  const auto expect_said = [&](const std::string& words, const std::string& part) {
    EXPECT_NE(words.find(part), std::string::npos) << words;
  };
  expect_said(said([](json& f) { f["own_kernels"][1].erase("source"); }), "\"source\" is missing");
  expect_said(said([](json& f) { f["own_kernels"][1].erase("launch"); }), "\"launch\" is missing");
  expect_said(said([](json& f) { f["own_kernels"][1]["file"] = ""; }), "own_kernels[1].file");
  expect_said(said([](json& f) { f["own_kernels"][2]["file"] = "blockSum.cu"; }),
              "own_kernels[2].file: blockSum.cu is there twice");
  expect_said(said([](json& f) {
                for (int i = 0; i < 500; ++i) f["own_kernels"].push_back(f["own_kernels"][0]);
              }),
              "503 kernels, at most 500");
}

TEST(OwnKernels, NamesAreOneLineAndNoPath) {
  EXPECT_EQ(usable_name("  block sum\t2 "), "block sum 2");
  EXPECT_EQ(usable_name("lab/2\\b"), "lab-2-b");
  EXPECT_EQ(usable_name(" \n "), "");
  EXPECT_EQ(usable_name(""), "");
  std::string umlauts;
  for (int i = 0; i < 300; ++i) umlauts += "ä";
  const std::string cut = usable_name(umlauts);
  EXPECT_LE(cut.size(), 100U);
  EXPECT_EQ(cut, valid_utf8(cut));
  EXPECT_TRUE(cut.ends_with("ä…"));
  OwnKernels all(3);
  all[0].file = "a.cu";
  all[0].name = cut;
  all[1].file = "b.cu";
  all[1].name = "scale";
  all[2].file = "c.cu";
  all[2].name = "scale (2)";
  EXPECT_EQ(free_name(all, "scale", ""), "scale (3)");
  EXPECT_EQ(free_name(all, "scale", "b.cu"), "scale");
  EXPECT_EQ(free_name(all, "sum", ""), "sum");
  const std::string second = free_name(all, cut, "");
  EXPECT_EQ(usable_name(second), second) << "it comes back out of a file as it is";
  EXPECT_NE(second, cut);
}

TEST(SessionFile, KeepsWhatWasMeasuredToTheLastDigit) {
  const auto loaded = parse(session_text(full_document(), known_names().names()));
  ASSERT_TRUE(loaded.ok()) << to_string(loaded.error());
  ASSERT_NE(loaded->document.measured, nullptr);
  EXPECT_EQ(*loaded->document.measured, some_measurements());
  Document without = full_document();
  without.measured = std::make_shared<const Measurements>();
  const std::string text = session_text(without, known_names().names());
  EXPECT_EQ(text.find("measured"), std::string::npos) << "nothing was measured";
  const auto silent = parse(text);
  ASSERT_TRUE(silent.ok());
  EXPECT_EQ(silent->document.measured, nullptr);
  const auto mistake = parse(changed_text("\"multiprocessors\": ", "\"multiprocessors\": -"));
  ASSERT_FALSE(mistake.ok());
  EXPECT_NE(to_string(mistake.error()).find("measured.device.multiprocessors"), std::string::npos);
}

TEST(SessionFile, WhatWasReadIsNamedWhereItIsDamaged) {
  const auto expect_mistake = [](const std::string& from, const std::string& to,
                                 const std::string& place) {
    const auto mistake = parse(changed_text(from, to));
    ASSERT_FALSE(mistake.ok()) << place;
    EXPECT_NE(to_string(mistake.error()).find(place), std::string::npos)
        << to_string(mistake.error());
  };
  expect_mistake("\"slowdown\": 1.25", "\"slowdown\": -1", "measured.phases[0].slowdown");
  expect_mistake("\"cycles\": 31", "\"cycles\": \"many\"", "measured.phases[0].cycles");
  expect_mistake("\"architecture\": \"sm_90\"", "\"architecture\": 90",
                 "measured.counters[0].architecture");
  expect_mistake("\"source\": \"modelled\"", "\"source\": \"guessed\"",
                 "measured.tuned.tried[1].source");
  expect_mistake("\"seconds\": 0.002,", "\"seconds\": 0,", "measured.tuned.tried[1].seconds");
}

// A file of before, and one of later.
TEST(SessionFile, ReadingsThatAreMissingOrNotKnown) {
  Document before = full_document();
  Measurements few = some_measurements();
  few.counters.clear();
  few.phases.clear();
  few.tuned.reset();
  before.measured = std::make_shared<const Measurements>(few);
  const std::string text = session_text(before, known_names().names());
  for (const char* field : {"\"counters\": [", "\"phases\"", "\"tuned\""}) {
    EXPECT_EQ(text.find(field), std::string::npos) << field;
  }
  const auto old = parse(text);
  ASSERT_TRUE(old.ok()) << to_string(old.error());
  EXPECT_EQ(*old->document.measured, few);
  const auto later = parse(changed_text("\"slowdown\": 1.25", "\"slowdown\": 1.25, \"heat\": 7"));
  ASSERT_TRUE(later.ok()) << to_string(later.error());
  EXPECT_NE(session_text(later->document, known_names().names()).find("\"heat\": 7"),
            std::string::npos);
}

TEST(Measurements, ThePointOfAnotherKeyIsAnother) {
  std::vector<Measurement> points = some_measurements().points;
  const LaunchKey key = points[0].of;
  Measurement newer = points[0];
  newer.result.kernel.median_seconds = 1;
  points.push_back(newer);
  ASSERT_FALSE(all_of(points, key).empty());
  EXPECT_EQ(all_of(points, key).front()->result.kernel.median_seconds, 1);
  for (const auto& change : std::vector<std::function<void(LaunchKey&)>>{
           [](LaunchKey& k) { k.kernel += "x"; }, [](LaunchKey& k) { k.source += "x"; },
           [](LaunchKey& k) { k.parameters["TILE_K"] = 8; },
           [](LaunchKey& k) { k.extents["M"] = 1; }, [](LaunchKey& k) { k.factors["beta"] = 1; },
           [](LaunchKey& k) { k.factors.clear(); },
           [](LaunchKey& k) { k.launch = "another grid"; }}) {
    LaunchKey other = key;
    change(other);
    EXPECT_TRUE(all_of(points, other).empty());
  }
}

TEST(SessionFile, AVariantIsComputedForItsOwnGpu) {
  std::vector<DeviceModel> devices(2);
  devices[0].name = "NVIDIA H200";
  devices[1].name = "NVIDIA H100 SXM5";
  VariantDocument variant = full_document().variants[0];
  EXPECT_EQ(&device_of(variant, devices, devices[0]), &devices[1]);
  variant.gpu = "NVIDIA of another machine";
  EXPECT_EQ(&device_of(variant, devices, devices[0]), &devices[0]) << "nobody knows it here";
  const auto mine = parse(changed_text("NVIDIA H100 SXM5", "NVIDIA A100 80GB"));
  ASSERT_TRUE(mine.ok());
  EXPECT_EQ(mine->document.variants[0].gpu, "NVIDIA A100 80GB");
}

TEST(SessionFile, FactorsAreThoseOfAProductAndFinite) {
  const auto mistake = [](const std::string& from, const std::string& to) {
    const auto loaded = parse(changed_text(from, to));
    return loaded ? std::string() : loaded.error().message;
  };
  EXPECT_NE(mistake("\"beta\": -0.1", "\"gamma\": -0.1").find("no such factor"), std::string::npos);
  EXPECT_NE(mistake("\"beta\": -0.1", "\"beta\": 1e39").find("is outside"), std::string::npos);
  const auto usual = parse(changed_text("\"beta\": -0.1", "\"beta\": 0"));
  ASSERT_TRUE(usual.ok());
  EXPECT_EQ(usual->document.variants[0].factors, (GemmFactors{{"alpha", 2}}));
  // A file that says nothing is of alpha 1 and beta 0.
  json file = json::parse(session_text(full_document(), known_names().names()));
  file["variants"][0].erase("factors");
  const auto silent = parse(file.dump());
  ASSERT_TRUE(silent.ok());
  EXPECT_TRUE(silent->document.variants[0].factors.empty());
}

TEST(SessionFile, TheTextOfTheSessionWinsOverTheCatalogues) {
  json file = json::parse(session_text(full_document(), known_names().names()));
  file["variants"][0]["source"] = "// of another version\n";
  const auto loaded = parse(file.dump());
  ASSERT_TRUE(loaded.ok()) << to_string(loaded.error());
  const VariantDocument& variant = loaded->document.variants[0];
  ASSERT_NE(variant.edited, nullptr);
  EXPECT_EQ(*variant.edited, "// of another version\n");
  ASSERT_EQ(loaded->remarks.size(), 1U);
  EXPECT_EQ(loaded->remarks[0],
            "The text of gemm/register_tile has changed since; the session's is shown, as edited.");
}

TEST(SessionFile, ANewerVersionIsReadAndSaidToBe) {
  const auto loaded = parse(changed_text("\"version\": 1", "\"version\": 7"));
  ASSERT_TRUE(loaded.ok());
  ASSERT_EQ(loaded->remarks.size(), 1U);
  EXPECT_NE(loaded->remarks[0].find("newer version"), std::string::npos);
}

// A later program has views, themes and devices that this one has not.
TEST(SessionFile, NamesOfAnotherVersionAreSaidAndKeptUntilOthersTakeTheirPlace) {
  json file = json::parse(session_text(full_document(), known_names().names()));
  file["view"] = "memory";
  file["view_settings"]["compare"]["view"] = "timeline";
  file["view_settings"]["device"] = "Rubin";
  file["interface"]["theme"] = "sepia";
  file["interface"]["heat_column"] = "energy";
  file["l2"] = "lukewarm";
  file["interface"]["panels"]["Memory"] = true;
  auto loaded = parse(file.dump());
  ASSERT_TRUE(loaded.ok()) << to_string(loaded.error());
  Document& document = loaded->document;
  EXPECT_EQ(document.view, View::kTiling);
  EXPECT_EQ(document.settings.compare_view, -1);
  EXPECT_EQ(document.theme, Theme::kDark);
  ASSERT_EQ(loaded->remarks.size(), 6U);
  EXPECT_EQ(loaded->remarks.front(),
            "There is no view memory in this version; tiling is used. The name stays in the file.");
  for (const char* name : {"timeline", "Rubin", "sepia", "energy", "lukewarm"}) {
    const auto names = [&](const std::string& remark) {
      return remark.find(name) != std::string::npos;
    };
    EXPECT_EQ(std::ranges::count_if(loaded->remarks, names), 1) << name;
  }
  EXPECT_EQ(json::parse(session_text(document, known_names().names())), file);

  document.view = View::kRoofline;
  document.theme = Theme::kLight;
  document.settings.compare_view = static_cast<int>(View::kBanks);
  file["view"] = "roofline";
  file["interface"]["theme"] = "light";
  file["view_settings"]["compare"]["view"] = "banks";
  EXPECT_EQ(json::parse(session_text(document, known_names().names())), file);
}

TEST(SessionFile, ALongUnknownNameIsShortenedInItsSentence) {
  std::string long_name;
  for (int i = 0; i < 100; ++i) long_name += "ä";
  json file = json::parse(session_text(full_document(), known_names().names()));
  file["view"] = long_name;
  const auto loaded = parse(file.dump());
  ASSERT_TRUE(loaded.ok()) << to_string(loaded.error());
  EXPECT_NE(loaded->remarks.front().find("ää… in this"), std::string::npos);
  EXPECT_LT(loaded->remarks.front().size(), 140U);
}

struct Mistake {
  const char* from;
  const char* to;
  const char* said;  // part of the message
};

TEST(SessionFile, NamesThePlaceOfAMistake) {
  const Mistake kMistakes[] = {
      {"\"tilescope session\"", "\"tilescope lesson\"", "format: this is no session"},
      {"\"version\": 1", "\"version\": 0", "version: 0 is outside 1 to"},
      {"\"version\": 1", "\"version\": \"1\"", "version: must be a whole number, not \"1\""},
      {"\"active\": 2", "\"active\": 3", "active: 3 is outside 0 to 2"},
      {"\"active\": 2", "\"active\": -1", "active: -1 is outside"},
      {"\"gemm/register_tile\"", "\"gemm/registertile\"",
       "variants[0].kernel: there is no kernel gemm/registertile"},
      {"\"M\": 384", "\"M\": 0", "variants[0].size.M: 0 is outside 1 to 2147483647"},
      {"\"M\": 384", "\"M\": 1e99", "variants[0].size.M: must be a whole number"},
      {"\"M\": 384", "\"M\": 18446744073709551615", "variants[0].size.M: the number is too large"},
      {"\"M\": 384", "\"Q\": 384", "variants[0].size.Q: gemm/register_tile has no such extent"},
      {"\"lane\": 17", "\"lane\": 32", "variants[0].selection.lane: 32 is outside 0 to 31"},
      {"\"lane\": 17", "\"lane\": null", "variants[0].selection.lane: must be a whole number"},
      {"\"time\": 4242", "\"time\": 4294967296",
       "variants[0].selection.time: 4294967296 is outside"},
      {"\"loop_out\": 500", "\"loop_out\": 5", "variants[0].marks.loop_out: it lies before"},
      {"\"9\": 99", "\"10\": 99", "variants[0].marks.bookmarks[10]: bookmarks are called 0 to 9"},
      {"\"zoom\": 2.5", "\"zoom\": 0", "variants[0].camera.zoom: 0 is outside 1 to 4096"},
      {"\"zoom\": 2.5", "\"zoom\": NaN", "invalid literal"},
      {"\"zoom\": 2.5", "\"zoom\": 1e999", "number overflow"},
      {"\"launch\": {", "\"launch\": 3, \"x\": {", "variants[2].launch: must be an object"},
      {"\"view\": \"banks\"", "\"view\": 3", "view: must be a string, not 3"},
      {"\"view\": \"banks\"", "\"view\": \"\"", "view: a name is missing"},
      {"\"latency_cycles\": 700", "\"latency_cycles\": 1e6", "view_settings.latency_cycles"},
      {"\"theme\": \"light\"", "\"theme\": null", "interface.theme: must be a string"},
      {"\"text_scale\": 1.25", "\"text_scale\": 100", "interface.text_scale: 100 is outside"},
      {"\"Counters\": false", "\"Counters\": 0", "interface.panels.Counters: must be true or"},
      {"\"width\": 1920", "\"width\": 99999", "window.width: 99999 is outside"},
      {"\"notes\": \"", "\"notes\": 5, \"n\": \"", "notes: must be a string, not 5"},
  };
  for (const Mistake& mistake : kMistakes) {
    const auto loaded = parse(changed_text(mistake.from, mistake.to));
    ASSERT_FALSE(loaded.ok()) << mistake.to;
    const std::string said = to_string(loaded.error());
    EXPECT_NE(said.find(mistake.said), std::string::npos) << said;
    EXPECT_TRUE(said.starts_with("s.tilescope:")) << said;
    EXPECT_EQ(said.find('\n'), std::string::npos) << said;
    EXPECT_FALSE(loaded.error().remedy.empty()) << said;
  }
}

TEST(SessionFile, WhatIsNoJsonIsNamedInOneShortSentence) {
  const std::string whole = session_text(full_document(), known_names().names());
  const std::size_t in_a_text = whole.find("__global__");
  ASSERT_NE(in_a_text, std::string::npos);
  const std::pair<std::string, const char*> kTexts[] = {
      {"", "s.tilescope:1: the file is empty."},
      {" \n", "s.tilescope:2: the file is empty."},
      {whole.substr(0, in_a_text), "the file ends too early: it was cut off, or"},
      {whole.substr(0, whole.rfind('}')), "the file ends too early: it was cut off, or"},
      {"{\"notes\": [[", "s.tilescope:1: the file ends too early"},
      {std::string(100, '\0'), "the file is no text"},
      {whole.substr(0, in_a_text) + std::string(1, '\0'), "the file is no text"},
      {whole.substr(0, in_a_text) + "\xff" + whole.substr(in_a_text), "ill-formed UTF-8 byte"},
      {whole.substr(0, in_a_text) + "\n" + whole.substr(in_a_text), "control character"},
  };
  for (const auto& [text, part] : kTexts) {
    const auto loaded = parse(text);
    ASSERT_FALSE(loaded.ok()) << part;
    const std::string said = to_string(loaded.error());
    EXPECT_NE(said.find(part), std::string::npos) << said;
    EXPECT_LT(said.size(), 300U) << said;
    EXPECT_EQ(said, valid_utf8(said));
  }
}

TEST(SessionFile, AnIllegalParameterNamesWhatIsLegal) {
  json file = json::parse(session_text(full_document(), known_names().names()));
  file["variants"][0]["parameters"]["STAGES"] = 17;
  auto loaded = parse(file.dump());
  ASSERT_FALSE(loaded.ok());
  EXPECT_NE(to_string(loaded.error()).find("variants[0].parameters.STAGES: STAGES cannot be 17"),
            std::string::npos)
      << to_string(loaded.error());
  file["variants"][0]["parameters"].erase("STAGES");
  file["variants"][0]["parameters"]["STAGE"] = 2;
  loaded = parse(file.dump());
  ASSERT_FALSE(loaded.ok());
  EXPECT_NE(loaded.error().message.find("has no parameter STAGE"), std::string::npos);
}

TEST(SessionFile, WhatIsMissingIsNamed) {
  EXPECT_NE(parse("{}").error().message.find("\"format\" is missing"), std::string::npos);
  EXPECT_NE(parse("[]").error().message.find("must be an object"), std::string::npos);
  EXPECT_FALSE(parse("").ok());
  EXPECT_FALSE(parse("null").ok());
  const std::string head = R"({"format": "tilescope session", "version": 1)";
  EXPECT_NE(parse(head + "}").error().message.find("\"variants\" is missing"), std::string::npos);
  EXPECT_NE(parse(head + R"(, "variants": []})").error().message.find("there is no variant"),
            std::string::npos);
  const auto least = parse(head + R"(, "variants": [{}]})");
  ASSERT_TRUE(least.ok()) << to_string(least.error());
  EXPECT_FALSE(least->document.variants[0].has_kernel());
}

TEST(SessionFile, ManyAndDeepAndLargeAreRefusedInOneSentence) {
  std::string many = R"({"format": "tilescope session", "version": 1, "variants": [{})";
  for (int i = 0; i < 999'999; ++i) many += ",{}";
  many += "]}";
  EXPECT_NE(parse(std::move(many)).error().message.find("1000000 variants, at most 4"),
            std::string::npos);
  std::string deep(1'000'000, '[');
  EXPECT_FALSE(parse(deep).ok());
  deep.append(1'000'000, ']');
  EXPECT_NE(parse(std::move(deep)).error().message.find("16 levels deep"), std::string::npos);
  json file = json::parse(session_text(full_document(), known_names().names()));
  file["variants"][2]["source"] = std::string((4 << 20) + 1, 'x');
  EXPECT_NE(parse(file.dump()).error().message.find("at most 4194304"), std::string::npos);
}

TEST(SessionFile, AFileThatCannotBeReadSaysWhy) {
  const testing::TemporaryFolder folder;
  const SessionNames names = known_names().names();
  EXPECT_NE(to_string(read_session(folder.path(), names).error()).find("this is a folder"),
            std::string::npos);
  EXPECT_NE(to_string(read_session(folder / "none.tilescope", names).error()).find("cannot be"),
            std::string::npos);
  const auto large = folder / "large.tilescope";
  std::ofstream(large).put('{');
  std::filesystem::resize_file(large, 100 << 20);
  EXPECT_NE(to_string(read_session(large, names).error()).find("100 MiB are more than"),
            std::string::npos);
}

// Cut, doubled, overwritten and exchanged bytes of a valid file: each is either read or refused
// with one line, and what is read can be written.
TEST(SessionFile, NoMutationBreaksTheReader) {
  const std::string valid = session_text(full_document(), known_names().names());
  std::mt19937 random(7);
  const auto below = [&](std::size_t limit) {
    return std::uniform_int_distribution<std::size_t>(0, limit - 1)(random);
  };
  const std::string kBytes = "{}[]\",:0123456789eE+-.truefalsn\\u\0\xff ";
  int read = 0;
  for (int i = 0; i < 1500; ++i) {
    std::string text = valid;
    // Most of a file are its sources: change what is outside them as often.
    const std::size_t head = text.find("\"source\":");
    for (std::size_t changes = 1 + below(4); changes > 0; --changes) {
      const std::size_t at = below(below(2) == 0 ? std::min(head, text.size()) : text.size());
      switch (below(4)) {
        case 0:
          text.resize(std::max<std::size_t>(at, 1));
          break;
        case 1:
          text.insert(at, text.substr(at, below(200)));
          break;
        case 2:
          text.erase(at, below(60));
          break;
        default:
          text[at] = kBytes[below(kBytes.size())];
      }
      if (text.size() < 2) break;
    }
    const auto loaded = parse(text);
    if (loaded.ok()) {
      ++read;
      EXPECT_FALSE(session_text(loaded->document, known_names().names()).empty());
    } else {
      EXPECT_FALSE(loaded.error().message.empty());
      EXPECT_EQ(to_string(loaded.error()).find('\n'), std::string::npos)
          << to_string(loaded.error());
    }
  }
  EXPECT_GT(read, 0);
}

// Every value exchanged for one of another kind.
TEST(SessionFile, NoExchangedValueBreaksTheReader) {
  const json valid = json::parse(session_text(full_document(), known_names().names()));
  const json kValues[] = {nullptr,
                          true,
                          -1,
                          0,
                          1e300,
                          "",
                          "transpose/naive",
                          json::array(),
                          json::object(),
                          INT64_MIN,
                          UINT64_MAX,
                          json::array({json::object()})};
  const json flat = valid.flatten();
  for (const auto& [pointer, value] : flat.items()) {
    for (json::json_pointer place(pointer); !place.empty(); place.pop_back()) {
      for (const json& other : kValues) {
        json changed = valid;
        changed[place] = other;
        const auto loaded = parse(changed.dump());
        if (loaded.ok()) continue;
        EXPECT_FALSE(loaded.error().message.empty()) << pointer;
      }
    }
  }
}

}  // namespace
}  // namespace tilescope
