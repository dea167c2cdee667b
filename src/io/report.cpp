// src/io/report.cpp - records into one page
#include "sinew/io/report.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "io/base64.hpp"
#include "io/report_words.hpp"
#include "sinew/io/drawing.hpp"

namespace sinew {
namespace {

using ReportJson = nlohmann::ordered_json;

constexpr std::string_view kPlace = "<!--SINEW-DATA-->";
constexpr std::uint32_t kRunVersion = 1;

void put_word(std::string& out, std::uint32_t x) {
  for (unsigned shift = 0; shift < 32; shift += 8) out += static_cast<char>(x >> shift & 255U);
}

ReportJson read_drawing(const RecordReader& r, const std::filesystem::path& path) {
  const std::vector<std::string> all = r.datasets();
  if (std::find(all.begin(), all.end(), "meta/drawing") == all.end())
    throw std::invalid_argument(path.string() + " has no drawing of its model: it was written by Sinew " +
                                r.attribute("sinew_version") + ", before records kept one; simulate again");
  if (r.rows() == 0) throw std::invalid_argument(path.string() + " has no rows yet");
  return ReportJson::parse(read_drawing_meshes(r.text("meta/drawing")));
}

std::string pack_run(const std::filesystem::path& path, const ReportOptions& o, Report& out) {
  const RecordReader r(path);
  ReportJson drawing = read_drawing(r, path);
  for (const ReportJson& s : drawing.at("left_out")) out.left_out.push_back(s);
  const report::Scan scan = report::scan_record(r, drawing, o);
  const report::Packed packed = report::pack_record(r, drawing, scan);
  ReportJson events = ReportJson::array(), columns = ReportJson::array();
  for (const report::Event& e : scan.events) {
    const auto at = std::lower_bound(scan.kept.begin(), scan.kept.end(), e.row) - scan.kept.begin();
    events.push_back({{"row", at}, {"kind", e.kind}, {"text", e.text}});
  }
  for (const report::ColumnSpec& c : packed.columns.specs())
    columns.push_back({{"name", c.name}, {"length", c.length}, {"order", c.order}});
  const std::string title = path.stem().string();
  const ReportJson header{{"title", title},
                          {"scene", std::move(drawing)},
                          {"signals", packed.signals},
                          {"pairs", packed.pairs},
                          {"events", std::move(events)},
                          {"certificate", report::describe_certificate(r, scan, packed)},
                          {"about", report::describe_origin(r, path, scan, packed)},
                          {"quantum", packed.quantum},
                          {"moving", packed.moving},
                          {"still", packed.still},
                          {"columns", std::move(columns)}};
  const std::string text = header.dump(-1, ' ', false, ReportJson::error_handler_t::replace);
  std::string raw = "SINEWRUN";
  put_word(raw, kRunVersion), put_word(raw, static_cast<std::uint32_t>(text.size()));
  raw += text + packed.columns.bytes();
  std::string packed_bytes = report::deflate(raw);
  out.runs.push_back({title, r.rows(), scan.kept.size(), scan.events.size(), raw.size(), packed_bytes.size()});
  return packed_bytes;
}

}  // namespace

Report make_report(const std::vector<std::filesystem::path>& records, const ReportOptions& o) {
  if (records.empty()) throw std::invalid_argument("make_report: there is no record");
  if (!(o.rows_per_second > 0) || o.most_rows < 2)
    throw std::invalid_argument("make_report: rows_per_second must be positive, and most_rows at least 2");
  Report out;
  const std::string_view page = get_report_page();
  const std::size_t place = page.find(kPlace);
  if (place == std::string_view::npos) throw std::logic_error("make_report: the page has no place for runs");
  out.html = page.substr(0, place);
  for (const std::filesystem::path& path : records) {
    std::string run;
    try {
      run = pack_run(path, o, out);
    } catch (const std::runtime_error& e) {  // rows whose checksum is wrong, for example
      throw std::invalid_argument(path.string() + " cannot be read: " + e.what());
    }
    out.html += "<script type=\"application/x-sinew-run\">" + to_base64(std::as_bytes(std::span(run))) + "</script>\n";
  }
  out.html += page.substr(place);
  return out;
}

}  // namespace sinew
