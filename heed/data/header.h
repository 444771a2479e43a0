// Whether the first line of a table without a declared header is one.
#ifndef HEED_DATA_HEADER_H_
#define HEED_DATA_HEADER_H_

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>

namespace heed {

/// Whether these cells are names that tables give their columns: "id" and
/// "text", "sentence1", "sentence2" and "label", "en" and "de".
bool NamesColumns(std::span<const std::string> cells);
bool NamesColumns(std::span<const std::string_view> cells);

/// Whether these cells, a label first, are a usual header of labelled texts:
/// "label" and "sentence".
bool NamesLabelAndTexts(std::span<const std::string> cells);

/// Whether a label is no number, although all labels of other lines are.
bool StandsAmongNumbers(const std::string& label,
                        const std::map<std::string, int64_t>& others);

enum class FirstLine : uint8_t {
  kRow,
  kHeader,
  kDoubt,  ///< its label stands nowhere else
};

/// Judges the first line of a table with labels by its label, its other cells,
/// and the number of the other lines that have each label.
FirstLine JudgeFirstLine(const std::string& label,
                         std::span<const std::string> cells,
                         const std::map<std::string, int64_t>& others);

/// Says on standard error that the first line of a file is left out as its
/// header.
void SayHeaderLeftOut(const std::string& path, std::string_view line);

}  // namespace heed

#endif  // HEED_DATA_HEADER_H_
