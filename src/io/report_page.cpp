// src/io/report_page.cpp - viewer/dist/page.html as bytes of the library (ELF)
#include "sinew/io/report.hpp"

// NOLINTBEGIN(hicpp-no-assembler): .incbin takes no time to compile, and #embed is not in C++20
__asm__(
    ".pushsection .rodata\n"
    ".global sinew_report_page\n"
    ".hidden sinew_report_page\n"
    "sinew_report_page:\n"
    ".incbin \"" SINEW_REPORT_PAGE
    "\"\n"
    ".global sinew_report_page_end\n"
    ".hidden sinew_report_page_end\n"
    "sinew_report_page_end:\n"
    ".byte 0\n"
    ".popsection\n");
// NOLINTEND(hicpp-no-assembler)

// NOLINTNEXTLINE(modernize-avoid-c-arrays, readability-identifier-naming): symbols of the assembler
extern "C" __attribute__((visibility("hidden"))) const char sinew_report_page[], sinew_report_page_end[];

namespace sinew {

std::string_view get_report_page() {
  return {sinew_report_page, static_cast<std::size_t>(sinew_report_page_end - sinew_report_page)};
}

}  // namespace sinew
