// src/generate/helpers.cpp
#include "generate/helpers.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace sinew::generate {
namespace {

// In the texts below: @ the prefix, $ the scalar, % the lanes of a vector.
std::string fill_in(std::string text, const std::string& prefix, const std::string& scalar, int lanes) {
  const auto put = [&](char mark, const std::string& word) {
    for (std::size_t k = 0; (k = text.find(mark, k)) != std::string::npos; k += word.size()) text.replace(k, 1, word);
  };
  put('@', prefix);
  put('$', scalar);
  put('%', std::to_string(lanes));
  return text;
}

constexpr const char* kSincosC = R"(
/* Sine and cosine of n numbers, % at a time; n is a multiple of %. Within 2 ulp. */
#if defined(__GNUC__)
typedef double @_wide __attribute__((vector_size(8 * %)));
typedef long long @_bits __attribute__((vector_size(8 * %)));
static void @_sincos(int n, const $ *x, $ *s, $ *c) {
  const double limit = 0x1.9p20, two_over_pi = 0x1.45f306dc9c883p-1, round = 0x1.8p52;
  int i, k;
  for (i = 0; i < n; i += %) {
    @_wide v, y, t, q, a, b, b_rest, d, d_rest, r, rest, z, half, w, sine, cosine, sin_r, cos_r;
    @_bits turn, odd, sign;
    int far = 0;
    for (k = 0; k < %; ++k) v[k] = x[i + k];
    sign = (@_bits)v & (-0x7fffffffffffffffLL - 1);
    y = (@_wide)((@_bits)v ^ sign);
    /* y = q pi/2 + r, with the rounding error of r in rest */
    t = y * two_over_pi + round;
    q = t - round;
    a = y - q * 0x1.921fb544p+0;
    b = a - q * 0x1.0b4611a6p-34;
    b_rest = (a - b) - q * 0x1.0b4611a6p-34;
    d = b - q * 0x1.3198a2ep-69;
    d_rest = (b - d) - q * 0x1.3198a2ep-69;
    rest = (b_rest + d_rest) - q * 0x1.b839a252049c1p-104;
    r = d + rest;
    rest = (d - r) + rest;
    /* minimax polynomials on |r| <= pi/4 */
    z = r * r;
    half = 0.5 * z;
    w = 1.0 - half;
    sine = -0x1.5555555555548p-3 + z * (0x1.111111110f730p-7 + z * (-0x1.a01a019be91adp-13 +
           z * (0x1.71de35551b681p-19 + z * (-0x1.ae5e4b6cba9f7p-26 + z * 0x1.5d8b4c9a13da7p-33))));
    cosine = 0x1.555555555554bp-5 + z * (-0x1.6c16c16c1503ap-10 + z * (0x1.a01a019c95492p-16 +
             z * (-0x1.27e4f7f763277p-22 + z * (0x1.1ee9e084d200ep-29 + z * -0x1.8fa94879e9afcp-37))));
    sin_r = r + (r * z * sine + rest);
    cos_r = w + (((1.0 - w) - half) + (z * z * cosine - r * rest));
    /* the quadrant q mod 4 swaps the two and sets their signs */
    turn = (@_bits)t;
    odd = -(turn & 1);
    v = (@_wide)((((@_bits)cos_r & odd) | ((@_bits)sin_r & ~odd)) ^
                 (((turn << 62) & (-0x7fffffffffffffffLL - 1)) ^ sign));
    w = (@_wide)((((@_bits)sin_r & odd) | ((@_bits)cos_r & ~odd)) ^
                 (((turn + 1) << 62) & (-0x7fffffffffffffffLL - 1)));
    for (k = 0; k < %; ++k) s[i + k] = ($)v[k], c[i + k] = ($)w[k], far |= !(y[k] <= limit);
    if (far)
      for (k = 0; k < %; ++k)
        if (!(y[k] <= limit)) s[i + k] = ($)sin((double)x[i + k]), c[i + k] = ($)cos((double)x[i + k]);
  }
}
#else
static void @_sincos(int n, const $ *x, $ *s, $ *c) {
  int i;
  for (i = 0; i < n; ++i) s[i] = ($)sin((double)x[i]), c[i] = ($)cos((double)x[i]);
}
#endif
)";

constexpr const char* kSincosCuda = R"(
static __host__ __device__ inline void @_sincos(int n, const $ *x, $ *s, $ *c) {
#pragma unroll
  for (int i = 0; i < n; ++i) {
#ifdef __CUDA_ARCH__
    sincos(x[i], &s[i], &c[i]);
#else
    s[i] = sin(x[i]), c[i] = cos(x[i]);
#endif
  }
}
)";

// What an operation does with the numbers a, b, c of one lane.
struct Meaning {
  const char *name, *arguments, *result;
};
constexpr Meaning kMeanings[] = {
    {"sqrt", "a", "sqrt~(a)"},
    {"sin", "a", "sin~(a)"},
    {"cos", "a", "cos~(a)"},
    {"asin", "a", "asin~(a)"},
    {"acos", "a", "acos~(a)"},
    {"atan2", "ab", "atan2~(a, b)"},
    {"fabs", "a", "fabs~(a)"},
    {"min", "ab", "a < b ? a : b"},
    {"max", "ab", "a > b ? a : b"},
    {"less", "ab", "a < b ? 1 : 0"},
    {"less_equal", "ab", "a <= b ? 1 : 0"},
    {"equal", "ab", "a == b ? 1 : 0"},
    {"select", "abc", "a != 0 ? b : c"},
};

std::string write_operation(const Meaning& m, const Options& o) {
  std::string result = m.result, lanes_result, parameters;
  for (const char x : std::string(m.arguments)) {
    if (!parameters.empty()) parameters += ", ";
    parameters += std::string(o.lanes > 1 ? "@_lanes " : "$ ") + x;
  }
  if (const std::size_t k = result.find('~'); k != std::string::npos) result.replace(k, 1, o.single ? "f" : "");
  const std::string words = o.language == Language::cuda ? "static __host__ __device__ inline" : "static inline";
  if (o.lanes == 1) return fmt::format("{} $ @_{}({}) {{ return {}; }}\n", words, m.name, parameters, result);
  const std::string names = "abc";
  for (std::size_t k = 0; k < result.size(); ++k) {  // a, b, c standing alone are lanes
    const auto letter = [&](std::size_t i) {
      return i < result.size() && std::isalnum(static_cast<unsigned char>(result[i]));
    };
    lanes_result += result[k];
    if (names.find(result[k]) != std::string::npos && !letter(k + 1) && (k == 0 || !letter(k - 1)))
      lanes_result += "[k]";
  }
  return fmt::format(
      "{} @_lanes @_{}({}) {{\n  @_lanes out;\n  int k;\n  for (k = 0; k < %; ++k) out[k] = {};\n  return out;\n}}\n",
      words, m.name, parameters, lanes_result);
}

}  // namespace

std::string write_helpers(const std::string& prefix, const Options& o, bool sincos,
                          const std::vector<std::string>& operations) {
  std::string out;
  if (o.lanes > 1)
    out +=
        "static inline @_lanes @_all($ x) {\n  @_lanes out;\n  int k;\n  for (k = 0; k < %; ++k) out[k] = x;\n"
        "  return out;\n}\n";
  for (const Meaning& m : kMeanings)
    if (std::find(operations.begin(), operations.end(), m.name) != operations.end()) out += write_operation(m, o);
  const char* scalar = o.single ? "float" : "double";
  out = fill_in(out, prefix, scalar, o.lanes);
  if (sincos)
    out += o.language == Language::cuda ? fill_in(kSincosCuda, prefix, scalar, 1)
                                        : fill_in(kSincosC, prefix, scalar, o.lanes == 1 ? 4 : o.lanes);
  return out;
}

}  // namespace sinew::generate
