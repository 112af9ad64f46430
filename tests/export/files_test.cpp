#include <gtest/gtest.h>

#include <array>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <string>

#include "core/file.h"
#include "export/drawn_shapes.h"
#include "export/export_view.h"
#include "export/numbers_file.h"
#include "export/png_file.h"
#include "export/provenance.h"
#include "export/svg_canvas.h"
#include "kernel/test_catalogue.h"
#include "temporary_folder.h"

namespace tilescope {
namespace {

namespace fs = std::filesystem;

class ExportFiles : public ::testing::Test {
 protected:
  testing::TemporaryFolder folder_;
};

PictureRequest chart_request(const std::string& kernel = "gemm/naive") {
  CatalogueEntry entry;
  entry.id = kernel;
  entry.problem = testing::problem("gemm");
  RateChart chart;
  chart.labels = {"8", "16"};
  chart.series.push_back({0, {}});
  for (int i = 0; i < 2; ++i) {
    ChartPoint point = chart_point(
        {testing::problem("gemm"), {1e9, 1e8}, 1.0 / 3000, 1.0 / 3100, 1.0 / 2900, 1.0 / 4000},
        Source::kRecorded, {{"NVIDIA H200"}, "NVRTC 13.0", "2026-11-30", "cuBLAS"});
    point.x = i;
    point.chosen = i == 1;
    chart.series[0].points.push_back(point);
  }
  PictureRequest request;
  request.context.theme = Theme::kPaper;
  request.chart = std::make_shared<const RateFigure>(
      rate_figure({0, &entry, {{"TILE", 16}}, {{"M", 64}, {"N", 64}, {"K", 64}}}, "TILE",
                  RateUnit::kFlopPerSecond, std::move(chart), {"cuBLAS", 6e13, "H200"}));
  return request;
}

// A line of RFC 4180 as its fields.
std::vector<std::vector<std::string>> parsed(const std::string& csv) {
  std::vector<std::vector<std::string>> rows(1, {""});
  bool quoted = false;
  for (std::size_t i = 0; i < csv.size(); ++i) {
    const char c = csv[i];
    if (quoted && c == '"' && i + 1 < csv.size() && csv[i + 1] == '"') {
      rows.back().back() += csv[++i];
    } else if (c == '"') {
      quoted = !quoted;
    } else if (c == ',' && !quoted) {
      rows.back().emplace_back();
    } else if (c == '\r' && !quoted) {
      EXPECT_EQ(csv.at(i + 1), '\n');
    } else if (c == '\n' && !quoted) {
      rows.push_back({""});
    } else {
      rows.back().back() += c;
    }
  }
  EXPECT_FALSE(quoted);
  rows.pop_back();  // behind the last line's end
  return rows;
}

TEST_F(ExportFiles, CsvAndJsonSayTheSameAndParseBack) {
  const PictureRequest request = chart_request("a \"b\", <c>\n& d");
  const auto rows = parsed(csv_of(request));
  const auto json = nlohmann::json::parse(json_of(request));
  EXPECT_EQ(rows[0],
            (std::vector<std::string>{"part", "item", "name", "value", "unit", "source", "line"}));
  EXPECT_EQ(json["schema"], "tilescope-numbers-1");
  EXPECT_EQ(json["kernel"], "a \"b\", <c>\n& d");
  EXPECT_EQ(json["size_values"]["M"], 64);
  EXPECT_EQ(json["date"], "2026-11-30");
  EXPECT_EQ(json["toolkit"], "NVRTC 13.0");
  std::size_t about = 0;
  for (const auto& row : rows) {
    ASSERT_EQ(row.size(), 7U);
    if (row[0] != "about") continue;
    ++about;
    EXPECT_EQ(json[row[2]], row[3]);
  }
  EXPECT_GE(about, 8U);
  const auto& numbers = json["numbers"];
  ASSERT_EQ(numbers.size(), rows.size() - 1 - about);
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    const auto& row = rows[1 + about + i];
    EXPECT_EQ(numbers[i]["name"], row[2]);
    EXPECT_EQ(numbers[i]["unit"], row[4]);
    EXPECT_EQ(numbers[i]["source"], row[5]);
    EXPECT_EQ(numbers[i]["value"].get<double>(), std::strtod(row[3].c_str(), nullptr));
  }
  EXPECT_EQ(numbers[0]["value"].get<double>(), 1e9 / (1.0 / 3000)) << "in full precision";
}

TEST_F(ExportFiles, AreTheSameTwice) {
  const PictureRequest request = chart_request();
  for (const PictureFormat format : {PictureFormat::kSvg, PictureFormat::kPdf, PictureFormat::kPng,
                                     PictureFormat::kCsv, PictureFormat::kJson}) {
    const auto first = picture_bytes(request, format);
    const auto second = picture_bytes(request, format);
    ASSERT_TRUE(first.ok() && second.ok());
    EXPECT_FALSE(first->empty());
    EXPECT_TRUE(*first == *second) << static_cast<int>(format);
  }
}

TEST_F(ExportFiles, SayWhereTheyComeFrom) {
  const PictureRequest request = chart_request();
  const std::string svg = svg_of(request);
  EXPECT_NE(svg.find("<title>Throughput over TILE: gemm/naive</title>"), std::string::npos);
  EXPECT_NE(svg.find("<desc>Throughput over TILE. gemm/naive reaches"), std::string::npos);
  EXPECT_NE(svg.find("<dc:date>2026-11-30</dc:date>"), std::string::npos);
  EXPECT_NE(svg.find("recorded on NVIDIA H200"), std::string::npos);
  EXPECT_NE(svg.find("fill=\"#ffffff\""), std::string::npos) << "paper is white";
  EXPECT_EQ(svg.find("<image"), std::string::npos) << "no bitmap";
  const std::string png = *picture_bytes(request, PictureFormat::kPng);
  EXPECT_NE(png.find(std::string("tEXtkernel\0gemm/naive", 21)), std::string::npos);
  EXPECT_NE(png.find(std::string("tEXtdate\0"
                                 "2026-11-30",
                                 19)),
            std::string::npos);
  const std::string pdf = *picture_bytes(request, PictureFormat::kPdf);
  EXPECT_NE(pdf.find("/CreationDate (20261130"), std::string::npos);
  EXPECT_NE(pdf.find("/FontFile3"), std::string::npos) << "the fonts are inside";
  EXPECT_EQ(pdf.find("/Subtype /Image"), std::string::npos);
}

// What has no room on one line below the picture goes on on a second one.
TEST_F(ExportFiles, WhereAPictureComesFromIsNotCut) {
  PictureRequest request = chart_request("gemm/" + std::string(60, 'x'));
  request.width = 600;
  request.height = 400;
  const std::string svg = svg_of(request);
  EXPECT_NE(svg.find("2026-11-30</text>"), std::string::npos) << svg;
  EXPECT_EQ(svg.find("…</text>"), std::string::npos) << svg;
}

TEST_F(ExportFiles, TheStatedDateComesFirst) {
  PictureRequest request = chart_request();
  request.date = "2020-02-29";
  EXPECT_EQ(provenance_of(request).date, "2020-02-29");
  ::setenv("SOURCE_DATE_EPOCH", "1582934400", 1);
  EXPECT_EQ(stated_date(), "2020-02-29");
  for (const char* wrong : {"", "x", "-1", "1e9", "99999999999999999999"}) {
    ::setenv("SOURCE_DATE_EPOCH", wrong, 1);
    EXPECT_EQ(stated_date(), "") << wrong;
  }
  ::unsetenv("SOURCE_DATE_EPOCH");
  EXPECT_EQ(stated_date(), "");
}

TEST_F(ExportFiles, XmlKeepsWhatItMay) {
  EXPECT_EQ(xml_text("a<b> & \"c\""), "a&lt;b&gt; &amp; \"c\"");
  EXPECT_EQ(xml_text(std::string("\x01\0\xff", 3)), "\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD");
  EXPECT_EQ(xml_text("× ·\n\t"), "× ·\n\t");
}

TEST_F(ExportFiles, PngTextsTakeLatin1OrUtf8) {
  const std::string png(33, 'p');
  const std::array<std::pair<std::string, std::string>, 2> texts = {{{"a", "2 × 3"}, {"b", "→"}}};
  const std::string result = with_texts(png, texts);
  EXPECT_EQ(result.substr(0, 33), png);
  EXPECT_NE(result.find(std::string("tEXta\0002 \xd7 3", 11)), std::string::npos);
  EXPECT_NE(result.find(std::string("iTXtb\0\0\0\0\0→", 13)), std::string::npos);
}

CellGrid noise(std::uint32_t side) {
  auto heat = std::make_shared<std::vector<std::uint8_t>>(std::size_t{side} * side);
  std::uint32_t state = 1;
  for (std::uint8_t& each : *heat) {
    state = state * 1664525U + 1013904223U;
    each = static_cast<std::uint8_t>(state >> 24);
  }
  CellGrid grid;
  grid.rows = grid.cols = side;
  grid.heat = heat;
  return grid;
}

TEST_F(ExportFiles, OnlyALargeHeatMapIsABitmap) {
  const FontLibrary fonts;
  SvgCanvas small(600, 600, Theme::kLight, fonts);
  small.cells({0, 0, 600, 600}, noise(32), {0, 0, 32, 32});
  EXPECT_EQ(small.document("t").find("<image"), std::string::npos);
  SvgCanvas large(600, 600, Theme::kLight, fonts);
  large.cells({0, 0, 600, 600}, noise(128), {0, 0, 128, 128});
  const std::string svg = large.document("t");
  EXPECT_NE(svg.find("<image x=\"0\" y=\"0\" width=\"600\" height=\"600\""), std::string::npos);
  EXPECT_NE(svg.find("base64,iVBORw0KGgo"), std::string::npos) << "a PNG";
  EXPECT_LT(svg.size(), 120000U);
}

TEST_F(ExportFiles, HostileNames) {
  const PictureRequest request = chart_request();
  for (const char* name :
       {"it's \"so\".svg", "two\nlines.svg", "π ≈ 3.svg", "-o.svg", "$(x).svg"}) {
    EXPECT_TRUE(export_view(request, folder_ / name).ok()) << name;
    EXPECT_EQ(testing::read_file(folder_ / name), svg_of(request)) << name;
  }
}

TEST_F(ExportFiles, MistakesSayWhatToDo) {
  const PictureRequest request = chart_request();
  const Status missing = export_view(request, folder_ / "no" / "x.svg");
  ASSERT_FALSE(missing.ok());
  EXPECT_EQ(missing.error().remedy, "Choose a folder that exists");
  fs::create_directories(folder_ / "folder.svg");
  const Status is_folder = export_view(request, folder_ / "folder.svg");
  ASSERT_FALSE(is_folder.ok());
  EXPECT_EQ(is_folder.error().remedy, "It is a folder: give the name of a file in it");
  fs::create_symlink("/dev/full", folder_ / "full.svg");
  const Status full = export_view(request, folder_ / "full.svg");
  ASSERT_FALSE(full.ok());
  EXPECT_EQ(full.error().remedy, "Make room there, or choose another disk");
  const Status unknown = export_view(request, folder_ / "x.bmp");
  ASSERT_FALSE(unknown.ok());
  EXPECT_EQ(unknown.error().code, ErrorCode::kUsage);
  const Status moving = export_view(request, folder_ / "x.gif");
  ASSERT_FALSE(moving.ok());
}

}  // namespace
}  // namespace tilescope
