// Detection of header lines in tables.
#ifndef HEED_DATA_HEADER_H_
#define HEED_DATA_HEADER_H_

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>

namespace heed {

/// True if the cells are usual column names: "id" and "text", "sentence1",
/// "sentence2" and "label", "en" and "de".
bool NamesColumns(std::span<const std::string> cells);
bool NamesColumns(std::span<const std::string_view> cells);

/// True if the cells are a usual header of labelled texts with the label first:
/// "label" and "sentence".
bool NamesLabelAndTexts(std::span<const std::string> cells);

/// True if the label is not a number, but all labels in `others` are.
bool StandsAmongNumbers(const std::string& label,
                        const std::map<std::string, int64_t>& others);

enum class FirstLine : uint8_t {
  kRow,
  kHeader,
  kDoubt,  ///< unclear: no other line has its label
};

/// Decides whether the first line of a labelled table is a header. `cells`: its
/// other cells. `others`: labels of the other lines with their counts.
FirstLine JudgeFirstLine(const std::string& label,
                         std::span<const std::string> cells,
                         const std::map<std::string, int64_t>& others);

/// Prints on standard error that a file's first line is a header and is
/// skipped.
void SayHeaderLeftOut(const std::string& path, std::string_view line);

}  // namespace heed

#endif  // HEED_DATA_HEADER_H_
