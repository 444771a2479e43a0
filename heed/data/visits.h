// Patients as lines of JSON: the codes of each visit, in the order of time.
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

/// Most visits of one patient, and most codes of one visit, that are read.
inline constexpr int64_t kMostVisits = 10000;
inline constexpr int64_t kMostCodes = 10000;

/// A line as it stands. A code that comes twice in a visit counts once.
struct VisitRecord {
  std::vector<std::vector<std::string>> visits;
  /// When each was, on any scale that does not run backwards; empty: not given.
  std::vector<double> times;
  std::optional<int32_t> label;  ///< 0 or 1
  /// What is known of made-up patients: the log-odds that each code of each
  /// visit adds, as visits, and their sum with a constant. Empty: not given.
  std::vector<std::vector<double>> effects;
  std::optional<double> log_odds;
};

/// {"visits": [["I50", "E11"], ["I10"]], "times": [0, 41.5], "label": 1}, of
/// which "visits" alone must be there; also "effects", of the shape of visits,
/// and "log_odds". Throws: FormatError, which begins with `place`, for what is
/// not that, an unknown member, no visit or more than kMostVisits, a visit
/// without codes or with more than kMostCodes, a code that is empty or has
/// control characters, and times that are not one for each visit or run
/// backwards.
VisitRecord ParseVisits(std::string_view line, const std::string& place);

/// The line that ParseVisits reads so, without its end.
std::string VisitLine(const VisitRecord& record);

/// The codes of a model: each one's place among the sorted names.
class CodeTable {
 public:
  CodeTable() = default;
  /// Throws: FormatError, which begins with `place`, if a code comes twice or
  /// there is none.
  CodeTable(std::vector<std::string> codes, const std::string& place);
  /// One code on each line. Throws: FormatError.
  static CodeTable Parse(std::string_view text, const std::string& place);
  std::string ToText() const;

  int64_t size() const { return std::ssize(codes_); }
  const std::vector<std::string>& codes() const { return codes_; }
  std::optional<int32_t> Find(const std::string& code) const;

 private:
  std::vector<std::string> codes_;
  std::map<std::string, int32_t, std::less<>> ids_;
};

/// A patient in ids: visit s has the codes [starts[s], starts[s + 1]).
struct Patient {
  std::vector<int32_t> codes;
  std::vector<int32_t> starts = {0};
  std::vector<double> times;  ///< one for each visit, or none
  int32_t label = 0;
  std::vector<float> effects;  ///< one for each code, or none
  std::optional<double> log_odds;

  int64_t visits() const { return std::ssize(starts) - 1; }
  std::span<const int32_t> CodesOf(int64_t visit) const;
  /// The first visits alone.
  Patient First(int64_t count) const;
};

/// Whether a code that is not in the table is left out, or refused.
enum class UnknownCodes : uint8_t { kRefuse, kSkip };
constexpr auto WordsOf(UnknownCodes) { return std::array{"refuse", "skip"}; }

/// The record in ids; its label is 0 if it has none. A visit of which all codes
/// are skipped stays, without codes. Throws: FormatError, which begins with
/// `place` and names the visit and the code.
Patient Encode(const VisitRecord& record, const CodeTable& table,
               UnknownCodes unknown, const std::string& place);

/// Patients of files that were not encoded yet, and where each stands.
struct VisitRecords {
  std::vector<VisitRecord> records;
  std::vector<std::string> places;  ///< "train.jsonl:3"

  int64_t size() const { return std::ssize(records); }
};

/// The lines of all files (.gz too); blank lines do not count. Throws: IoError;
/// FormatError that names file and line, also for a line without a label.
VisitRecords ReadVisits(const std::vector<std::string>& paths);

/// The codes that so many patients have at least, sorted. Throws: ConfigError
/// if none has.
CodeTable LearnCodes(const VisitRecords& patients, int least_patients);

/// Of all records. Throws: as Encode.
std::vector<Patient> Encode(const VisitRecords& records, const CodeTable& table,
                            UnknownCodes unknown);

}  // namespace heed

#endif  // HEED_DATA_VISITS_H_
