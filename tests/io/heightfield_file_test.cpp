// tests/io/heightfield_file_test.cpp - heights from PNG files of every kind and from MuJoCo's binary format
#include "io/heightfield_file.hpp"

#include <gtest/gtest.h>
#include <png.h>

#include <cstdint>
#include <cstring>
#include <random>

namespace sinew {
namespace {

// A PNG file by libpng's own writer.
struct Kind {
  int bits, color, interlace;
};
void png_append(png_structp png, png_bytep from, png_size_t n) {
  static_cast<std::string*>(png_get_io_ptr(png))->append(reinterpret_cast<const char*>(from), n);
}
std::string write_png(const Kind& kind, int rows, int cols, const std::vector<unsigned char>& bytes) {
  std::string out;
  png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, nullptr, nullptr, nullptr);
  png_infop info = png_create_info_struct(png);
  png_set_write_fn(png, &out, png_append, nullptr);
  png_set_IHDR(png, info, png_uint_32(cols), png_uint_32(rows), kind.bits, kind.color, kind.interlace,
               PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
  if (kind.color == PNG_COLOR_TYPE_PALETTE) {
    png_color palette[256];
    for (int i = 0; i < 256; ++i)
      palette[i] = {png_byte(255 - i), png_byte(i), png_byte(0)};  // heights run down with the index
    png_set_PLTE(png, info, palette, 256);
  }
  std::vector<png_bytep> starts;
  const std::size_t width = bytes.size() / std::size_t(rows);
  std::vector<unsigned char> copy = bytes;
  for (int r = 0; r < rows; ++r) starts.push_back(copy.data() + std::size_t(r) * width);
  png_set_rows(png, info, starts.data());
  png_write_png(png, info, PNG_TRANSFORM_IDENTITY, nullptr);
  png_destroy_write_struct(&png, &info);
  return out;
}

std::vector<double> heights_of(const std::string& file) {
  HeightfieldSpec h;
  EXPECT_EQ(parse_heightfield(file, true, h), "");
  EXPECT_EQ(h.rows, 2);
  EXPECT_EQ(h.cols, 3);
  return h.elevation;
}

const std::vector<double> kExpected{.6, .8, 1, 0, .2, .4};  // 10 20 30 / 40 50 60, as MuJoCo's hfield_data has them

TEST(HeightfieldFile, PngOfEveryKindGivesTheSameHeights) {
  const std::vector<unsigned char> grey{10, 20, 30, 40, 50, 60};
  std::vector<unsigned char> grey_alpha, rgb, rgba, wide, palette;
  for (const unsigned char g : grey) {
    const auto other = static_cast<unsigned char>(255 - g);
    grey_alpha.insert(grey_alpha.end(), {g, other});
    rgb.insert(rgb.end(), {g, other, 7});
    rgba.insert(rgba.end(), {g, other, 7, 0});
    wide.insert(wide.end(), {g, 0});
    palette.push_back(other);
  }
  for (const int interlace : {PNG_INTERLACE_NONE, PNG_INTERLACE_ADAM7}) {
    EXPECT_EQ(heights_of(write_png({8, PNG_COLOR_TYPE_GRAY, interlace}, 2, 3, grey)), kExpected);
    EXPECT_EQ(heights_of(write_png({8, PNG_COLOR_TYPE_GRAY_ALPHA, interlace}, 2, 3, grey_alpha)), kExpected);
    EXPECT_EQ(heights_of(write_png({8, PNG_COLOR_TYPE_RGB, interlace}, 2, 3, rgb)), kExpected);
    EXPECT_EQ(heights_of(write_png({8, PNG_COLOR_TYPE_RGB_ALPHA, interlace}, 2, 3, rgba)), kExpected);
    EXPECT_EQ(heights_of(write_png({16, PNG_COLOR_TYPE_GRAY, interlace}, 2, 3, wide)), kExpected);
    EXPECT_EQ(heights_of(write_png({8, PNG_COLOR_TYPE_PALETTE, interlace}, 2, 3, palette)), kExpected);
  }
}

TEST(HeightfieldFile, SixteenBitsAreKept) {
  // 0 1 2 / 3 4 65535: with eight bits the first five would be one height
  const std::vector<unsigned char> wide{0, 0, 0, 1, 0, 2, 0, 3, 0, 4, 255, 255};
  const std::vector<double> h = heights_of(write_png({16, PNG_COLOR_TYPE_GRAY, PNG_INTERLACE_NONE}, 2, 3, wide));
  EXPECT_EQ(h, (std::vector<double>{3 / 65535., 4 / 65535., 1, 0, 1 / 65535., 2 / 65535.}));
}

std::string binary(std::int32_t rows, std::int32_t cols, const std::vector<float>& heights) {
  std::string out(8 + 4 * heights.size(), '\0');
  std::memcpy(out.data(), &rows, 4), std::memcpy(out.data() + 4, &cols, 4);
  std::memcpy(out.data() + 8, heights.data(), 4 * heights.size());
  return out;
}

TEST(HeightfieldFile, BinaryRunsFromMinusY) {
  HeightfieldSpec h;
  EXPECT_EQ(parse_heightfield(binary(2, 3, {1, 2, 3, 4, 5, 6}), false, h), "");
  EXPECT_EQ(h.elevation, (std::vector<double>{0, .2, .4, .6, .8, 1}));
  EXPECT_EQ(parse_heightfield(binary(2, 2, {5, 5, 5, 5}), false, h), "");
  EXPECT_EQ(h.elevation, (std::vector<double>(4, 0.0)));
}

TEST(HeightfieldFile, BadFilesAreRefused) {
  const auto refuses = [](const std::string& bytes, bool png, std::string_view part) {
    HeightfieldSpec h;
    const std::string problem = parse_heightfield(bytes, png, h);
    EXPECT_NE(problem.find(part), std::string::npos) << problem;
    EXPECT_TRUE(h.elevation.empty());
  };
  refuses("", true, "ends early");
  refuses("no image", true, "");
  refuses("abc", false, "shorter");
  refuses(binary(2, 3, {1, 2, 3, 4, 5}), false, "claims 2 x 3");
  refuses(binary(-1, -5, {1, 2, 3, 4, 5}), false, "claims -1 x -5");
  refuses(binary(2, 2, {1, 2, 3, 1.0f / 0.0f}), false, "not finite");
  refuses(binary(1, 4, {1, 2, 3, 4}), false, "fewer than 2 x 2");
  const std::string good = write_png({8, PNG_COLOR_TYPE_GRAY, PNG_INTERLACE_NONE}, 2, 3, {10, 20, 30, 40, 50, 60});
  for (std::size_t n = 0; n + 12 < good.size(); ++n) refuses(good.substr(0, n), true, "");  // less the end chunk
  std::mt19937 random(5);
  for (int i = 0; i < 2000; ++i) {  // no crash; a flip may go unseen where it does not matter
    std::string flipped = good;
    flipped[random() % flipped.size()] ^= static_cast<char>(1u << random() % 8);
    HeightfieldSpec h;
    (void)parse_heightfield(flipped, true, h);
  }
}

}  // namespace
}  // namespace sinew
