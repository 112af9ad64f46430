#include "annotated_kernel.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>
#include <optional>
#include <ostream>
#include <regex>
#include <sstream>
#include <stdexcept>
#include <tuple>

#include "analysis/study/kernel_study.h"
#include "build_config.h"
#include "cli/export_command.h"
#include "cli/kernel_arguments.h"
#include "cli/parser/command_line.h"
#include "cli/trace_report.h"
#include "kernel/launch/tensor_shape.h"
#include "temporary_folder.h"

namespace tilescope {
namespace {

using nlohmann::json;
using Sentences = std::vector<std::string>;

const std::filesystem::path kTests = std::filesystem::path(TILESCOPE_SOURCE_DIR) / "tests";

std::vector<std::string> parts_of(const std::string& list, const std::string& separator) {
  std::vector<std::string> parts;
  for (std::size_t from = 0, to = 0; to != std::string::npos; from = to + separator.size()) {
    to = list.find(separator, from);
    parts.push_back(list.substr(from, to == std::string::npos ? to : to - from));
  }
  return parts;
}

// As a shell splits them, of which only single quotes are known.
std::vector<std::string> shell_words(const std::string& options) {
  static const std::regex kWord("'([^']*)'|(\\S+)");
  std::vector<std::string> words;
  for (auto at = std::sregex_iterator(options.begin(), options.end(), kWord);
       at != std::sregex_iterator(); ++at) {
    words.push_back((*at)[1].matched ? (*at)[1] : (*at)[2]);
  }
  return words;
}

// "NAME VALUE, NAME VALUE"
std::map<std::string, std::string> pairs_of(const std::string& list) {
  std::map<std::string, std::string> pairs;
  for (const std::string& part : parts_of(list, ", ")) {
    const auto space = part.find(' ');
    if (space == std::string::npos) throw std::runtime_error("no NAME VALUE: " + part);
    pairs[part.substr(0, space)] = part.substr(space + 1);
  }
  return pairs;
}

AnnotatedLaunch::Count count_of(const std::string& text) {
  static const std::regex kOfLine("(\\w+) at (\\w+): (.*)");
  std::smatch match;
  AnnotatedLaunch::Count count;
  const bool of_line = std::regex_match(text, match, kOfLine);
  if (of_line) std::tie(count.access, count.tag) = std::make_tuple(match[1], match[2]);
  for (const auto& [name, value] : pairs_of(of_line ? match[3].str() : text)) {
    count.values[name] = std::stoll(value);
  }
  return count;
}

void add_findings(const std::string& text, AnnotatedLaunch* launch) {
  static const std::regex kFindings("(\\S+)( \\.\\.\\.)? at (\\S+) \\(.*");
  std::smatch match;
  if (!std::regex_match(text, match, kFindings)) throw std::runtime_error("no findings: " + text);
  for (const std::string& kind : parts_of(match[1], ",")) launch->kinds.insert(kind);
  launch->others_follow = match[2].matched;
  for (const std::string& tag : parts_of(match[3], ",")) {
    const auto [begin, end] = launch->tags.equal_range(tag);
    if (begin == end) throw std::runtime_error("no line has the tag " + tag);
    for (auto at = begin; at != end; ++at) launch->lines.insert(at->second);
  }
}

// False: no such key.
bool add_line(const std::string& key, const std::string& text, AnnotatedLaunch* launch) {
  if (key == "mutant") {
    add_findings(text, launch);
  } else if (key == "says") {
    launch->says.push_back(text);
  } else if (key == "counts") {
    launch->counts.push_back(count_of(text));
  } else if (key == "launch") {
    launch->launch.merge(pairs_of(text));
  } else if (key == "shows") {
    const auto colon = text.find(": ");
    launch->shows.emplace_back(text.substr(0, colon), text.substr(colon + 2));
  } else if (key == "refused") {
    launch->refused.push_back(text);
  } else if (key == "wrong today") {
    launch->wrong_today = text;
  } else {
    return false;
  }
  return true;
}

struct Annotation {
  std::string key;
  std::optional<int> variant;
  std::string text;
};

std::vector<AnnotatedLaunch> launches_of(const std::filesystem::path& path) {
  static const std::regex kLine(
      "^// (trace|mutant|says|counts|launch|shows|refused|wrong today)(?: (\\d+))?: (.*)$");
  static const std::regex kTag("//@(\\w+)");
  AnnotatedLaunch plain;
  plain.file = path;
  std::vector<Annotation> annotations;
  std::ifstream file(path);
  int number = 0;
  for (std::string line; std::getline(file, line);) {
    ++number;
    for (auto at = std::sregex_iterator(line.begin(), line.end(), kTag);
         at != std::sregex_iterator(); ++at) {
      plain.tags.emplace((*at)[1], number);
    }
    std::smatch match;
    if (!std::regex_match(line, match, kLine)) continue;
    const auto variant = match[2].matched ? std::optional(std::stoi(match[2])) : std::nullopt;
    annotations.push_back({match[1], variant, match[3]});
  }
  std::map<int, AnnotatedLaunch> launches{{0, plain}};
  for (const Annotation& annotation : annotations) {
    AnnotatedLaunch& launch =
        launches.try_emplace(annotation.variant.value_or(0), plain).first->second;
    add_line(annotation.key, annotation.text, &launch);
  }
  std::vector<AnnotatedLaunch> all;
  for (auto& [variant, launch] : launches) {
    launch.variant = variant;
    for (const Annotation& annotation : annotations) {
      if (annotation.key != "trace" || annotation.variant.value_or(variant) != variant) continue;
      const auto words = shell_words(annotation.text);
      launch.options.insert(launch.options.end(), words.begin(), words.end());
    }
    all.push_back(std::move(launch));
  }
  return all;
}

struct Traced {
  KernelInstance instance;
  json document;
};

Result<Traced> traced(const AnnotatedLaunch& launch) {
  KernelArguments arguments;
  CLI::App app;
  bool sample = false;
  add_kernel_options(CommandOptions(&app), arguments);
  app.add_flag("--sample", sample);
  auto words = launch.words();
  std::ranges::reverse(words);  // as CLI11 takes them
  app.parse(words);
  StudyRequest request;
  auto instance = resolve_or_guess(arguments, &request.compute_capability);
  if (!instance) return std::move(instance).error();
  request.instance = *std::move(instance);
  auto study = prepare_study(request, {});
  if (study &&
      std::ranges::any_of(launch.counts, &std::string::empty, &AnnotatedLaunch::Count::tag))
    study = with_resources(
        *study, device_model_for(load_resources()->devices, request.compute_capability), {});
  if (!study) return study.error();
  const auto run =
      sample ? run_sample(**study, 1, {}, Checks::kOn) : run_grid(**study, 1, {}, Checks::kOn);
  if (!run) return run.error();
  TraceReport report;
  report.study = study->get();
  report.written = &run->counters;
  report.emulation = &run->emulation;
  return Traced{std::move(request.instance), json::parse(trace_json(report))};
}

std::string extents_of(const json& triple) {
  return fmt::format("{}x{}x{}", triple[0].get<int>(), triple[1].get<int>(), triple[2].get<int>());
}

std::set<std::string> texts_of(const Argument& argument) {
  if (!argument.is_pointer) {
    // A number as --arg takes it.
    for (std::string value :
         {fmt::format("{}", static_cast<std::int64_t>(argument.bits)),
          fmt::format("{}", static_cast<std::int32_t>(argument.bits)), std::string("1")}) {
      const std::string text = fmt::format("{}:{}", name_of(argument.type), value);
      const auto spec = parse_argument_spec(text);
      if (spec && spec->bits == argument.bits) return {text};
    }
    return {fmt::format("{}, bits {:#x}", name_of(argument.type), argument.bits)};
  }
  static const std::map<Fill, std::string> kFills = {{Fill::kZero, "zero"},
                                                     {Fill::kIota, "iota"},
                                                     {Fill::kRamp, "ramp"},
                                                     {Fill::kRandom, "random"},
                                                     {Fill::kFile, "file"}};
  return {fmt::format("{}[{}]", name_of(argument.type), argument.buffer.count),
          argument.buffer.fill == Fill::kExpression ? argument.buffer.expression
                                                    : kFills.at(argument.buffer.fill)};
}

// Whether one of the arguments is the tensor map of this text, as --arg takes it.
bool is_tensor(const std::vector<Argument>& arguments, const std::string& name,
               const std::string& text) {
  std::string buffer;
  const auto shape = parse_tensor(text, &buffer);
  return shape && std::ranges::any_of(arguments, [&](const Argument& argument) {
           return argument.name == name && argument.tensor == *shape;
         });
}

Sentences mistaken_launch(const AnnotatedLaunch& launch, const Traced& traced) {
  std::map<std::string, std::set<std::string>> facts;
  std::string kernel = traced.document["kernel"];
  std::erase(kernel, ' ');
  facts["kernel"] = {kernel};
  facts["grid"] = {extents_of(traced.document["grid"])};
  facts["block"] = {extents_of(traced.document["block"])};
  facts["shared"] = {traced.document["dynamic_shared_bytes"].dump()};
  for (const Argument& argument : traced.instance.arguments) {
    facts[argument.name] = texts_of(argument);
  }
  Sentences mistakes;
  for (const auto& [name, value] : launch.launch) {
    if (facts[name].contains(value)) continue;
    if (is_tensor_text(value) && is_tensor(traced.instance.arguments, name, value)) continue;
    mistakes.push_back(fmt::format("{} is {}, not {}", name, fmt::join(facts[name], " "), value));
  }
  return mistakes;
}

// The sum over the rows of the lines with the tag.
std::int64_t number_of(const AnnotatedLaunch& launch, const AnnotatedLaunch::Count& count,
                       const std::string& name, const json& document) {
  if (count.tag.empty()) return document.value(name, std::int64_t{-1});
  std::int64_t sum = 0;
  for (const json& row : document["lines"]) {
    if (row["class"] != count.access ||
        !row["file"].get<std::string>().ends_with(launch.file.filename().string()))
      continue;
    const auto [begin, end] = launch.tags.equal_range(count.tag);
    if (std::any_of(begin, end, [&](const auto& tag) { return row["line"] == tag.second; })) {
      sum += row.at(name).get<std::int64_t>();
    }
  }
  return sum;
}

Sentences mistaken_counts(const AnnotatedLaunch& launch, const json& document) {
  Sentences mistakes;
  for (const AnnotatedLaunch::Count& count : launch.counts) {
    if (!count.tag.empty() && !launch.tags.contains(count.tag)) {
      mistakes.push_back("no line has the tag " + count.tag);
    }
    for (const auto& [name, value] : count.values) {
      const std::int64_t is = number_of(launch, count, name, document);
      if (is == value) continue;
      mistakes.push_back(fmt::format("{} {} of {} are {}, not {}", count.access, name,
                                     count.tag.empty() ? "the launch" : count.tag, is, value));
    }
  }
  return mistakes;
}

// What is written in a picture, between its tags.
Sentences mistaken_views(const AnnotatedLaunch& launch) {
  Sentences mistakes;
  for (const auto& [view, words] : launch.shows) {
    const testing::TemporaryFolder folder;
    const std::filesystem::path picture = folder / "picture.svg";
    CLI::App app;
    CommandContext context;
    add_export_command(CommandOptions(&app), context);
    auto options = launch.words();
    std::erase(options, "--sample");
    options.insert(options.begin(), "export");
    options.insert(options.end(), {"-o", picture.string(), "--view"});
    std::ranges::move(shell_words(view), std::back_inserter(options));
    std::ranges::reverse(options);
    app.parse(options);
    if (context.status == 0 && testing::read_file(picture).find(words) != std::string::npos)
      continue;
    mistakes.push_back(fmt::format("{} does not show: {}", view, words));
  }
  return mistakes;
}

Sentences mistaken_error(const AnnotatedLaunch& launch, const Error& error) {
  const std::string text = to_string(error);
  if (launch.refused.empty()) return {text};
  Sentences mistakes;
  for (const std::string& words : launch.refused) {
    if (text.find(words) != std::string::npos) continue;
    mistakes.push_back(fmt::format("the error is: {}; not: {}", text, words));
  }
  return mistakes;
}

Sentences mistaken_findings_of(const AnnotatedLaunch& launch, const json& findings) {
  Sentences mistakes;
  std::set<std::string> in_place;
  for (const json& finding : findings) {
    const std::string kind = finding["kind"];
    const bool expected = launch.kinds.contains(kind);
    if (!expected && !launch.others_follow) mistakes.push_back("not expected: " + finding.dump());
    const bool here = launch.lines.contains(finding.value("line", 0)) ||
                      launch.lines.contains(finding.value("other_line", 0));
    if (expected && here) in_place.insert(kind);
  }
  if (in_place != launch.kinds) {
    mistakes.push_back(fmt::format("{} expected, in place: {}; found: {}",
                                   fmt::join(launch.kinds, ", "), fmt::join(in_place, ", "),
                                   findings.dump(1)));
  }
  for (const std::string& words : launch.says) {
    const bool said = std::any_of(findings.begin(), findings.end(), [&](const json& finding) {
      return finding["message"].get<std::string>().find(words) != std::string::npos;
    });
    if (!said) mistakes.push_back(fmt::format("no finding says: {}; {}", words, findings.dump(1)));
  }
  return mistakes;
}

void append(Sentences* all, Sentences more) {
  all->insert(all->end(), std::make_move_iterator(more.begin()),
              std::make_move_iterator(more.end()));
}

}  // namespace

std::string AnnotatedLaunch::name() const {
  return fmt::format("{}_{}", file.stem().string(), variant);
}

std::vector<std::string> AnnotatedLaunch::words() const {
  std::vector<std::string> words = {file.string()};
  words.insert(words.end(), options.begin(), options.end());
  if (variant != 0) words.insert(words.end(), {"-D", fmt::format("MUTANT={}", variant)});
  return words;
}

void PrintTo(const AnnotatedLaunch& launch, std::ostream* stream) { *stream << launch.name(); }

std::vector<AnnotatedLaunch> annotated_launches(const std::string& folder) {
  std::vector<AnnotatedLaunch> all;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(kTests / folder)) {
    const auto extension = entry.path().extension();
    if (extension != ".cu" && extension != ".ptx") continue;
    for (AnnotatedLaunch& launch : launches_of(entry.path())) all.push_back(std::move(launch));
  }
  std::sort(all.begin(), all.end(), [](const AnnotatedLaunch& a, const AnnotatedLaunch& b) {
    return std::tie(a.file, a.variant) < std::tie(b.file, b.variant);
  });
  return all;
}

std::vector<std::string> mistakes_of(const AnnotatedLaunch& launch) {
  const auto run = traced(launch);
  if (!run) return mistaken_error(launch, run.error());
  Sentences mistakes = mistaken_findings_of(launch, run->document["findings"]);
  if (!launch.refused.empty()) mistakes.emplace_back("it is not refused");
  if (!run->document["complete"].get<bool>() && launch.kinds.empty()) {
    mistakes.emplace_back("the kernel does not finish");
  }
  append(&mistakes, mistaken_launch(launch, *run));
  append(&mistakes, mistaken_counts(launch, run->document));
  append(&mistakes, mistaken_views(launch));
  return mistakes;
}

std::vector<std::string> mistaken_findings(const AnnotatedLaunch& launch,
                                           const std::string& trace_json) {
  const json document = json::parse(trace_json, nullptr, false);
  if (document.is_discarded()) return {"trace printed no JSON"};
  return mistaken_findings_of(launch, document["findings"]);
}

}  // namespace tilescope
