// Patients in JSON lines: codes of their visits in time order.
#ifndef HEED_DATA_VISITS_H_
#define HEED_DATA_VISITS_H_

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace heed {

/// Maximum visits per patient, and maximum codes per visit.
inline constexpr int64_t kMaxVisits = 10000;
inline constexpr int64_t kMaxCodes = 10000;

/// A patient's line. Duplicate codes of a visit count once.
struct VisitRecord {
  std::vector<std::vector<std::string>> visits;
  /// Non-decreasing times of the visits, on any scale; may be empty.
  std::vector<double> times;
  std::optional<int32_t> label;  ///< 0 or 1
  /// Ground truth of synthetic patients: log-odds added by each code of each
  /// visit (shaped like visits), and their sum with a constant. May be empty.
  std::vector<std::vector<double>> effects;
  std::optional<double> log_odds;
};

/// Parses {"visits": [["I50", "E11"], ["I10"]], "times": [0, 41.5], "label":
/// 1}, where only "visits" is required. Further members are "effects", shaped
/// like visits, and "log_odds". Throws: FormatError that begins with `place`,
/// for other input, unknown members, no visit or more than kMaxVisits, a visit
/// without codes or with more than kMaxCodes, a code that is empty or has
/// control characters, and times that decrease or do not match the visits.
VisitRecord ParseVisits(std::string_view line, const std::string& place);

/// Line that ParseVisits parses as this record, without line end.
std::string VisitLine(const VisitRecord& record);

/// Sorted codes of a model; the id of a code is its index.
class CodeTable {
 public:
  CodeTable() = default;
  /// Throws: FormatError that begins with `place`, if a code is duplicate or
  /// there is none.
  CodeTable(std::vector<std::string> codes, const std::string& place);
  /// Parses one code per line. Throws: FormatError.
  static CodeTable Parse(std::string_view text, const std::string& place);
  std::string ToText() const;

  int64_t size() const { return std::ssize(codes_); }
  const std::vector<std::string>& codes() const { return codes_; }
  std::optional<int32_t> Find(const std::string& code) const;

 private:
  std::vector<std::string> codes_;
  std::map<std::string, int32_t, std::less<>> ids_;
};

/// An encoded patient: visit s has the codes [starts[s], starts[s + 1]).
struct Patient {
  std::vector<int32_t> codes;
  std::vector<int32_t> starts = {0};
  std::vector<double> times;  ///< one per visit, or empty
  int32_t label = 0;
  std::vector<float> effects;  ///< one per code, or empty
  std::optional<double> log_odds;

  int64_t visits() const { return std::ssize(starts) - 1; }
  std::span<const int32_t> CodesOf(int64_t visit) const;
  /// The patient with only the first `count` visits.
  Patient First(int64_t count) const;
};

/// Handling of codes that are not in the table.
enum class UnknownCodes : uint8_t { kRefuse, kSkip };
constexpr auto WordsOf(UnknownCodes) { return std::array{"refuse", "skip"}; }

/// Encodes a record; its label is 0 if it has none. A visit whose codes are all
/// skipped remains, without codes. Throws: FormatError that begins with
/// `place`, with the visit and the code.
Patient Encode(const VisitRecord& record, const CodeTable& table,
               UnknownCodes unknown, const std::string& place);

/// Patients before encoding, with their places in files.
struct VisitRecords {
  std::vector<VisitRecord> records;
  std::vector<std::string> places;  ///< "train.jsonl:3"

  int64_t size() const { return std::ssize(records); }
};

/// Reads the lines of all files (.gz too), ignoring blank lines. Throws:
/// IoError; FormatError with file and line, also for a line without a label.
VisitRecords ReadVisits(const std::vector<std::string>& paths);

/// Codes of at least `min_patients` patients, sorted. Throws: ConfigError if
/// there is none.
CodeTable LearnCodes(const VisitRecords& patients, int min_patients);

/// Encodes all records. Throws: as Encode.
std::vector<Patient> Encode(const VisitRecords& records, const CodeTable& table,
                            UnknownCodes unknown);

}  // namespace heed

#endif  // HEED_DATA_VISITS_H_
