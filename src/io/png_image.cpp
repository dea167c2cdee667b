// src/io/png_image.cpp - libpng reads; it leaves a faulty file by longjmp, so each call into it has no destructors
#include "io/png_image.hpp"

#include <png.h>

#include <array>
#include <csetjmp>
#include <cstdio>
#include <cstring>

namespace sinew {
namespace {

struct PngSource {
  const char* at;
  std::size_t left;
};
struct PngFault {
  std::array<char, 200> text;
};

void png_take(png_structp png, png_bytep to, png_size_t n) {
  auto* source = static_cast<PngSource*>(png_get_io_ptr(png));
  if (n > source->left) png_error(png, "the file ends early");
  std::memcpy(to, source->at, n);
  source->at += n, source->left -= n;
}
[[noreturn]] void png_stop(png_structp png, png_const_charp why) {
  auto* fault = static_cast<PngFault*>(png_get_error_ptr(png));
  std::snprintf(fault->text.data(), fault->text.size(), "%s", why);
  png_longjmp(png, 1);
}
void png_ignore(png_structp, png_const_charp) {}

// NOLINTBEGIN(bugprone-setjmp*, cert-err52-cpp): libpng's way of reporting errors
bool read_png_header(png_structp png, png_infop info) {
  if (setjmp(png_jmpbuf(png))) return false;
  png_read_info(png, info);
  png_set_palette_to_rgb(png);
  png_set_expand_gray_1_2_4_to_8(png);
  png_set_strip_alpha(png);
  png_set_interlace_handling(png);
  png_read_update_info(png, info);
  return true;
}
bool read_png_rows(png_structp png, png_bytepp rows) {
  if (setjmp(png_jmpbuf(png))) return false;
  png_read_image(png, rows);
  return true;
}
// NOLINTEND(bugprone-setjmp*, cert-err52-cpp)

// Closes libpng's reader.
class PngReader {
 public:
  PngReader(PngSource& source, PngFault& fault)
      : png_(png_create_read_struct(PNG_LIBPNG_VER_STRING, &fault, png_stop, png_ignore)),
        info_(png_ ? png_create_info_struct(png_) : nullptr) {
    if (!info_) return;
    png_set_read_fn(png_, &source, png_take);
    png_set_user_limits(png_, kMostPixels, kMostPixels);
    png_set_chunk_malloc_max(png_, png_alloc_size_t{64} << 20);
  }
  PngReader(const PngReader&) = delete;
  PngReader& operator=(const PngReader&) = delete;
  ~PngReader() { png_destroy_read_struct(&png_, &info_, nullptr); }
  bool good() const { return info_ != nullptr; }
  png_structp png() const { return png_; }
  png_infop info() const { return info_; }

 private:
  png_structp png_;
  png_infop info_;
};

}  // namespace

std::string parse_png(std::string_view bytes, PngImage& image) {
  PngSource source{bytes.data(), bytes.size()};
  PngFault fault{};
  const PngReader reader(source, fault);
  if (!reader.good()) return "libpng cannot start";
  if (!read_png_header(reader.png(), reader.info())) return fault.text.data();
  const std::size_t rows = png_get_image_height(reader.png(), reader.info());
  const std::size_t cols = png_get_image_width(reader.png(), reader.info());
  if (rows == 0 || cols == 0 || rows > kMostPixels / cols)
    return "it has " + std::to_string(rows) + " x " + std::to_string(cols) + " pixels, more than " +
           std::to_string(kMostPixels);
  const std::size_t width = png_get_rowbytes(reader.png(), reader.info());
  std::vector<png_byte> pixels(rows * width);
  std::vector<png_bytep> starts(rows);
  for (std::size_t r = 0; r < rows; ++r) starts[r] = pixels.data() + r * width;
  if (!read_png_rows(reader.png(), starts.data())) return fault.text.data();

  const std::size_t channels = png_get_channels(reader.png(), reader.info());
  image.rows = static_cast<int>(rows), image.cols = static_cast<int>(cols);
  image.bits = png_get_bit_depth(reader.png(), reader.info());
  image.values.resize(rows * cols);
  const std::size_t step = channels * static_cast<std::size_t>(image.bits) / 8;
  for (std::size_t r = 0; r < rows; ++r)
    for (std::size_t c = 0; c < cols; ++c) {
      const png_byte* p = starts[r] + c * step;
      image.values[r * cols + c] = static_cast<std::uint16_t>(image.bits == 16 ? p[0] << 8 | p[1] : p[0]);
    }
  return {};
}

}  // namespace sinew
