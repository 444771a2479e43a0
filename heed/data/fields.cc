#include "heed/data/fields.h"

#include <algorithm>
#include <map>
#include <utility>

#include "heed/base/at.h"
#include "heed/base/errors.h"
#include "heed/base/text.h"
#include "heed/data/blank_ends.h"

namespace heed {
namespace {

constexpr size_t kMaxBytesInField = size_t{16} << 20;
constexpr std::string_view kFieldBlanks = " \t";
constexpr std::array kDelimiters = {Delimiter::kComma, Delimiter::kSemicolon,
                                    Delimiter::kTab, Delimiter::kPipe};

/// Complete rows of these lines; empty if the lines cannot be parsed.
std::vector<std::vector<std::string>> RowsOf(std::span<const std::string> lines,
                                             Delimiter delimiter) {
  FieldReader reader(delimiter, "", true);
  std::vector<std::vector<std::string>> rows;
  try {
    for (const std::string& line : lines) {
      if (!reader.quoted() && TrimBlanks(line).empty()) continue;
      if (const auto* fields = reader.Add(line, 1)) rows.push_back(*fields);
    }
  } catch (const FormatError&) {
    rows.clear();
  }
  return rows;
}

/// Share of rows with the most frequent number of fields; 0 if that number is
/// 1.
double ShareOfUsualWidth(const std::vector<std::vector<std::string>>& rows) {
  std::map<size_t, size_t> counts;
  for (const auto& row : rows) ++counts[row.size()];
  const auto usual = std::ranges::max_element(
      counts, {}, [](const auto& entry) { return entry.second; });
  if (usual == counts.end() || usual->first < 2) return 0;
  return static_cast<double>(usual->second) / static_cast<double>(rows.size());
}

}  // namespace

char CharacterOf(Delimiter delimiter) {
  constexpr std::array kCharacters = {',', ';', '\t', '|'};
  return At(kCharacters, delimiter);
}

FieldReader::FieldReader(Delimiter delimiter, std::string name, bool trim)
    : delimiter_(CharacterOf(delimiter)), name_(std::move(name)), trim_(trim) {}

const std::vector<std::string>* FieldReader::Add(std::string_view text,
                                                 int64_t line) {
  if (quoted_) {
    Append("\n", line);
  } else {
    fields_.assign(1, "");
    closed_ = false;
  }
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (quoted_) {
      const size_t end = std::min(text.find('"', i), text.size());
      Append(text.substr(i, end - i), line);
      i = end;
      if (i == text.size()) break;
      AddQuoted(text, i);
    } else if (c == delimiter_) {
      CloseField();
      fields_.emplace_back();
      closed_ = false;
    } else if (closed_) {
      if (kFieldBlanks.find(c) == kFieldBlanks.npos) {
        Refuse(
            line,
            "text after a closing quote; write a quote inside a field twice");
      }
    } else if (c == '"' && (trim_ ? TrimBlanks(fields_.back()).empty()
                                  : fields_.back().empty())) {
      fields_.back().clear();
      quoted_ = true;
      quote_line_ = line;
    } else if (trim_ && kFieldBlanks.find(c) != kFieldBlanks.npos) {
      Append(text.substr(i, 1), line);
    } else {
      const size_t end = std::min(text.find(delimiter_, i), text.size());
      Append(text.substr(i, end - i), line);
      i = end - 1;
    }
  }
  if (quoted_) return nullptr;
  CloseField();
  return &fields_;
}

/// Handles a quote within a quoted field: it is doubled, or closes the field.
void FieldReader::AddQuoted(std::string_view text, size_t& at) {
  if (at + 1 < text.size() && text[at + 1] == '"') {
    fields_.back() += '"';
    ++at;
  } else {
    quoted_ = false;
    closed_ = true;
  }
}

void FieldReader::CloseField() {
  std::string& field = fields_.back();
  if (trim_ && !closed_) field = std::string(TrimBlanks(field));
}

void FieldReader::Append(std::string_view text, int64_t line) {
  std::string& field = fields_.back();
  field += text;
  if (field.size() <= kMaxBytesInField) return;
  if (quoted_) {
    Refuse(quote_line_, "a field of more than 16 MB; is its quote not closed?");
  }
  Refuse(line, "a field of more than 16 MB");
}

void FieldReader::Refuse(int64_t line, std::string_view message) const {
  throw FormatError("{}:{}:{}: {}", name_, line, fields_.size(), message);
}

void FieldReader::Finish() const {
  if (quoted_) Refuse(quote_line_, "a quote is not closed");
}

Delimiter GuessDelimiter(
    std::span<const std::string> lines,
    const std::function<double(const std::vector<std::vector<std::string>>&)>&
        fits) {
  Delimiter best = Delimiter::kComma;
  double max = 0;
  for (const Delimiter delimiter : kDelimiters) {
    const auto rows = RowsOf(lines, delimiter);
    double score = ShareOfUsualWidth(rows);
    // Any delimiter that splits beats one that does not.
    if (score > 0 && fits) score *= 0.01 + fits(rows);
    if (score > max) {
      best = delimiter;
      max = score;
    }
  }
  return best;
}

std::optional<size_t> PlaceOfColumn(std::span<const std::string> header,
                                    std::string_view name) {
  const auto place = [&](auto found) {
    return static_cast<size_t>(found - header.begin());
  };
  const auto exact = std::ranges::find(header, name);
  if (exact != header.end()) return place(exact);
  const std::string plain = Lowercase(WithoutBlankEnds(name));
  const auto is_near = [&](const std::string& cell) {
    return Lowercase(WithoutBlankEnds(cell)) == plain;
  };
  if (std::ranges::count_if(header, is_near) != 1) return std::nullopt;
  return place(std::ranges::find_if(header, is_near));
}

Delimiter DelimiterOfHeader(std::string_view header,
                            const std::vector<std::string>& columns) {
  const std::vector<std::string> line = {std::string(header)};
  Delimiter max = Delimiter::kComma;
  size_t width = 0;
  for (const Delimiter delimiter : kDelimiters) {
    const auto rows = RowsOf(line, delimiter);
    if (rows.empty()) continue;
    const std::vector<std::string>& names = rows.front();
    const bool all = std::ranges::all_of(columns, [&](const auto& column) {
      return PlaceOfColumn(names, column).has_value();
    });
    if (all) return delimiter;
    if (names.size() > width) {
      max = delimiter;
      width = names.size();
    }
  }
  return max;
}

Delimiter DelimiterInsteadOfTab(std::span<const std::string> lines,
                                size_t columns) {
  const bool tab = std::ranges::any_of(lines, [](const std::string& line) {
    return line.find('\t') != std::string::npos;
  });
  if (tab || lines.empty()) return Delimiter::kTab;
  const Delimiter found = GuessDelimiter(lines);
  const auto rows = RowsOf(lines, found);
  const bool all =
      !rows.empty() && std::ranges::all_of(rows, [columns](const auto& row) {
        return row.size() == columns;
      });
  return all ? found : Delimiter::kTab;
}

std::optional<Delimiter> AnnouncedDelimiter(std::string_view line) {
  if (line.starts_with('"') && line.ends_with('"') && line.size() > 2) {
    line = line.substr(1, line.size() - 2);
  }
  if (line.size() != 5 || Lowercase(line.substr(0, 4)) != "sep=") {
    return std::nullopt;
  }
  for (const Delimiter delimiter : kDelimiters) {
    if (line[4] == CharacterOf(delimiter)) return delimiter;
  }
  return std::nullopt;
}

}  // namespace heed
