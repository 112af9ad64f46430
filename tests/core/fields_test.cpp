#include "core/fields.h"

#include <gtest/gtest.h>

namespace tilescope {

enum class Colour : std::uint8_t { kRed, kGreen };

struct Spot {
  std::uint32_t x = 0;
  std::uint32_t y = 0;
  friend bool operator==(const Spot&, const Spot&) = default;
};
template <typename Visitor>
void elements(Visitor& visit, Spot& place) {
  visit(place.x, {.most = 9});
  visit(place.y);
}

struct Drawing {
  std::string title;
  double scale = 1;
  bool open = false;
  std::optional<int> layer;
  std::vector<Spot> places;
  std::map<std::string, std::int64_t> sizes;
  std::vector<std::byte> pixels;
  Colour colour = Colour::kRed;
  int margin = 3;
  friend bool operator==(const Drawing&, const Drawing&) = default;
};

std::string_view name_of(Colour colour) { return colour == Colour::kRed ? "red" : "green"; }
std::optional<Colour> parse_colour(std::string_view name) {
  if (name == "red") return Colour::kRed;
  if (name == "green") return Colour::kGreen;
  return std::nullopt;
}

template <typename Visitor>
void fields(Visitor& visit, Drawing& drawing) {
  visit("title", drawing.title, {.most_elements = 10});
  visit("scale", drawing.scale, {.least = 0.5, .most = 4, .digits = 3});
  visit("open", drawing.open);
  visit(sparse("layer"), drawing.layer);
  visit("places", drawing.places, {.most_elements = 3, .elements = "places"});
  visit(sparse("sizes"), drawing.sizes);
  visit(sparse("pixels"), drawing.pixels);
  visit.named("colour", drawing.colour, EnumeratorNames<Colour>{name_of, parse_colour});
  visit.group(lenient("page"), [&](auto& page) { page("margin", drawing.margin, {.least = 0}); });
}

namespace {

Drawing some_drawing() {
  return {"a", 2, true, 4, {{1, 2}, {9, 7}}, {{"M", 5}}, {std::byte{7}}, Colour::kGreen, 8};
}

TEST(Fields, ComeBackAsTheyWere) {
  JsonDocument document(json_of_fields<nlohmann::json>(some_drawing()));
  EXPECT_EQ(read_fields<Drawing>(document.root()), some_drawing());
  EXPECT_FALSE(document.mistake().has_value());
}

TEST(Fields, AreWrittenInTheirOrderWithoutWhatIsSparse) {
  Drawing drawing;
  drawing.scale = 1.0 / 3;
  EXPECT_EQ(json_of_fields(drawing).dump(),
            R"({"title":"","scale":0.333,"open":false,"places":[],"colour":"red",)"
            R"("page":{"margin":3}})");
}

// The first mistake in a text, "path: what".
std::string mistake_in(const std::string& from, const std::string& to) {
  Drawing drawing = some_drawing();
  drawing.pixels.clear();
  std::string text = json_of_fields(drawing).dump();
  const std::size_t at = text.find(from);
  if (at == std::string::npos) return "nothing to replace";
  JsonDocument document(text.replace(at, from.size(), to), "d.json");
  (void)read_fields<Drawing>(document.root());
  return document.mistake() ? document.mistake()->message : "";
}

TEST(Fields, MistakesNameTheirPlace) {
  EXPECT_EQ(mistake_in("true", "1"), "open: must be true or false, not 1");
  EXPECT_EQ(mistake_in("\"open\"", "\"shut\""), "\"open\" is missing");
  EXPECT_EQ(mistake_in("2.0", "5"), "scale: 5 is outside 0.5 to 4");
  EXPECT_EQ(mistake_in("[9,7]", "[10,7]"), "places[1][0]: 10 is outside 0 to 9");
  EXPECT_EQ(mistake_in("[9,7]", "[9,-1]"), "places[1][1]: -1 is outside 0 to 4294967295");
  EXPECT_EQ(mistake_in("[9,7]", "[9]"), "places[1]: must have 2 elements, not 1");
  EXPECT_EQ(mistake_in("[9,7]", "[1,1],[1,1],[1,1]"), "places: 4 places, at most 3 are taken");
  EXPECT_EQ(mistake_in("\"a\"", "\"aaaaaaaaaaa\""), "title: 11 bytes, at most 10 are taken");
  EXPECT_EQ(mistake_in("\"green\"", "\"blue\""), "colour: 'blue' is not known here");
  EXPECT_EQ(mistake_in("\"margin\":8", "\"margin\":-1"),
            "page.margin: -1 is outside 0 to 2147483647");
  EXPECT_EQ(mistake_in("{\"margin\":8}", "{}"), "page: \"margin\" is missing");
}

TEST(Fields, WhatAnOlderFileLacksStaysAsItIs) {
  EXPECT_EQ(mistake_in(",\"page\":{\"margin\":8}", ""), "");
  EXPECT_EQ(mistake_in("\"layer\":4,", ""), "");
}

TEST(Fields, ANumberThatIsNoneIsTakenWhereNoBoundIsSet) {
  JsonDocument document(nlohmann::json{{"scale", std::numeric_limits<double>::quiet_NaN()}});
  NoContext context;
  FieldReader<> reader(document.root(), context);
  double value = 0;
  reader("scale", value);
  EXPECT_TRUE(std::isnan(value));
  EXPECT_FALSE(document.mistake().has_value());
  reader("scale", value, {.least = 0, .most = 1});
  EXPECT_TRUE(document.mistake().has_value());
}

}  // namespace
}  // namespace tilescope
