// src/io/control_table.cpp
#include "sinew/io/control_table.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "io/hdf5.hpp"
#include "sinew/io/input_file.hpp"

namespace sinew {
namespace {

constexpr std::size_t kMostColumns = 10'000;
constexpr std::uint64_t kMostTableRows = 10'000'000;

Result<ControlTable> refuse_controls(const std::filesystem::path& name, int line, Code code, std::string message,
                                     std::string repair) {
  Diagnostics out;
  out.add(code, "control table", std::move(message), std::move(repair), {name.string(), line});
  return out;
}

// Takes a line off the text, without its end.
std::string_view take_line(std::string_view& text) {
  const std::size_t end = std::min(text.find('\n'), text.size());
  std::string_view line = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
  return line;
}

// Fields of a line; quotes are taken off, doubled ones are one.
std::vector<std::string> split_fields(std::string_view line) {
  std::vector<std::string> out(1);
  bool quoted = false;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    if (c == '"' && quoted && i + 1 < line.size() && line[i + 1] == '"')
      out.back() += '"', ++i;
    else if (c == '"')
      quoted = !quoted;
    else if (c == ',' && !quoted)
      out.emplace_back();
    else
      out.back() += c;
  }
  for (std::string& field : out) {
    const std::size_t begin = field.find_first_not_of(" \t"), end = field.find_last_not_of(" \t");
    field = begin == std::string::npos ? "" : field.substr(begin, end - begin + 1);
  }
  return out;
}

Result<ControlTable> load_hdf5(const std::filesystem::path& file) {
  const auto fail = [&](Code code, std::string message, std::string repair) {
    return refuse_controls(file, 0, code, std::move(message), std::move(repair));
  };
  if (const InputFile found = check_input_file(file); !found.fault.empty())
    return fail(Code::file_unreadable, "the file " + found.fault, found.repair);
  try {
    const hdf5::Reader in(file);
    if (!in.has("time")) return fail(Code::missing_element, "there is no dataset 'time'", "add it, in seconds");
    const auto read = [&](const std::string& name, std::uint64_t rows) {
      std::vector<double> out(rows);
      in.read(name, hdf5::Type::real, 0, rows, out.data());
      return out;
    };
    const hdf5::Shape rows = in.shape("time");
    if (rows.size() != 1) return fail(Code::bad_value, "'time' is not a list", "write one number per row");
    if (rows[0] > kMostTableRows) return fail(Code::too_many_elements, "there are more than 10^7 rows", "use fewer");
    ControlTable out;
    out.time = read("time", rows[0]);
    std::vector<std::vector<double>> columns;
    for (const std::string& name : in.list("/")) {
      if (name == "time") continue;
      if (in.shape(name) != rows)
        return fail(Code::bad_value, "dataset '" + name + "' is not a list of " + std::to_string(rows[0]) + " numbers",
                    "give each column as many numbers as 'time' has");
      if (columns.size() == kMostColumns)
        return fail(Code::too_many_elements, "there are too many columns", "use fewer");
      out.names.push_back(name), columns.push_back(read(name, rows[0]));
    }
    for (std::size_t i = 0; i < rows[0]; ++i)
      for (const std::vector<double>& c : columns) out.values.push_back(c[i]);
    return out;
  } catch (const std::runtime_error& e) {
    return fail(Code::file_unreadable, e.what(), "write a dataset per column, see docs/simulation.md");
  }
}

}  // namespace

Result<ControlTable> parse_control_table(std::string_view csv, const std::filesystem::path& name) {
  int line = 1;
  const auto fail = [&](Code code, std::string message, std::string repair) {
    return refuse_controls(name, line, code, std::move(message), std::move(repair));
  };
  const std::vector<std::string> header = split_fields(take_line(csv));
  if (header.size() > kMostColumns) return fail(Code::too_many_elements, "there are too many columns", "use fewer");
  const auto time = std::find(header.begin(), header.end(), "time");
  if (time == header.end())
    return fail(Code::missing_element, "no column has the name 'time'",
                "begin with a line of names, as in 'time,knee'");
  const auto time_column = static_cast<std::size_t>(time - header.begin());
  ControlTable out;
  for (std::size_t i = 0; i < header.size(); ++i) {
    if (header[i].empty()) return fail(Code::empty_name, "a column has no name", "name it");
    if (std::count(header.begin(), header.end(), header[i]) > 1)
      return fail(Code::duplicate_name, "two columns have the name '" + header[i] + "'", "rename one");
    if (i != time_column) out.names.push_back(header[i]);
  }
  while (!csv.empty()) {
    ++line;
    const std::string_view row = take_line(csv);
    if (row.find_first_not_of(" \t") == std::string_view::npos) continue;
    const std::vector<std::string> fields = split_fields(row);
    if (fields.size() != header.size())
      return fail(Code::bad_value,
                  "there are " + std::to_string(fields.size()) + " fields, the first line names " +
                      std::to_string(header.size()),
                  "write one number per column");
    for (std::size_t i = 0; i < fields.size(); ++i) {
      double x = 0;
      const char* end = fields[i].data() + fields[i].size();
      const auto [stop, error] = std::from_chars(fields[i].data(), end, x);
      if (error != std::errc() || stop != end || !std::isfinite(x))
        return fail(Code::bad_number,
                    "column '" + header[i] + "': '" + fields[i].substr(0, 40) + "' is not a finite number",
                    "write numbers as in 0.25 or -1e-3");
      (i == time_column ? out.time : out.values).push_back(x);
    }
    const std::size_t rows = out.time.size();
    if (rows > 1 && !(out.time[rows - 1] > out.time[rows - 2]))
      return fail(Code::bad_value, "its time is not after that of the row before", "sort the rows by time");
  }
  if (out.time.empty()) return fail(Code::missing_element, "there are no rows", "write at least one");
  return out;
}

Result<ControlTable> load_control_table(const std::filesystem::path& file) {
  const std::string ending = file.extension().string();
  if (ending == ".h5" || ending == ".hdf5") return load_hdf5(file);
  const InputFile in = file == "-" ? read_standard_input() : read_input_file(file);
  if (!in.fault.empty())
    return refuse_controls(file, 0, in.too_large ? Code::file_too_large : Code::file_unreadable, "the file " + in.fault,
                           in.repair);
  return parse_control_table(in.bytes, file);
}

}  // namespace sinew
