#include "heed/data/visits.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

#include "heed/base/config.h"
#include "heed/base/errors.h"
#include "heed/base/json.h"
#include "heed/io/file.h"

namespace heed {
namespace {

using Json = nlohmann::ordered_json;

constexpr size_t kMaxBytesOfPatient = size_t{1} << 24;
constexpr JsonLimits kPatientLimits = {.bytes = kMaxBytesOfPatient,
                                       .values = size_t{1} << 19,
                                       .names = 64,
                                       .depth = 8};

const char* const kMembers = "visits, times, label, effects, log_odds";

[[noreturn]] void Refuse(const std::string& place, const std::string& why) {
  throw FormatError("{}: {}", place, why);
}

/// Counts lists in a JSON text without parsing it, to refuse a line of a
/// million visits before memory is allocated.
int64_t ListsIn(std::string_view text) {
  int64_t lists = 0;
  bool quoted = false;
  for (size_t i = 0; i < text.size(); ++i) {
    if (quoted && text[i] == '\\') {
      ++i;
    } else if (text[i] == '"') {
      quoted = !quoted;
    } else {
      lists += !quoted && text[i] == '[' ? 1 : 0;
    }
  }
  return lists;
}

bool HasControlCharacter(const std::string& code) {
  return std::ranges::any_of(code, [](char c) {
    return static_cast<unsigned char>(c) < 0x20 || c == 0x7F;
  });
}

/// Parses a finite number that fits into f32.
double NumberOf(const Json& value, const std::string& place,
                const std::string& what) {
  constexpr double kLargest = 1e30;
  const double number = value.is_number() ? value.get<double>() : NAN;
  if (!(std::abs(number) <= kLargest)) {
    Refuse(place, fmt::format("{} is not a number between -1e30 and 1e30: {}",
                              what, Abridged(value)));
  }
  return number;
}

const Json& ListOf(const Json& value, size_t size, const std::string& place,
                   const std::string& what, const char* of) {
  if (!value.is_array()) Refuse(place, what + " is not a list");
  if (value.size() != size) {
    Refuse(place, fmt::format("{} has {} numbers for {} {}", what, value.size(),
                              size, of));
  }
  return value;
}

const std::string& CodeOf(const Json& value, const std::string& place,
                          size_t visit) {
  if (!value.is_string() || value.get_ref<const std::string&>().empty()) {
    Refuse(
        place,
        fmt::format("visit {}: {} is not a code; write a text, such as \"I50\"",
                    visit, Abridged(value)));
  }
  const auto& code = value.get_ref<const std::string&>();
  if (HasControlCharacter(code)) {
    Refuse(place, fmt::format("visit {}: a code with a control character: {}",
                              visit, Abridged(value)));
  }
  return code;
}

/// Adds a visit with its effects. Duplicate codes count once.
void AddVisit(const Json& codes, const Json* effects, const std::string& place,
              VisitRecord* record) {
  const size_t number = record->visits.size() + 1;
  if (!codes.is_array()) {
    Refuse(place, fmt::format("visit {} is not a list of codes: {}", number,
                              Abridged(codes)));
  }
  if (codes.empty()) {
    Refuse(place, fmt::format("visit {} has no codes; leave it out", number));
  }
  if (std::ssize(codes) > kMaxCodes) {
    Refuse(place, fmt::format("visit {} has {} codes; at most {} are read",
                              number, codes.size(), kMaxCodes));
  }
  const std::string what = fmt::format("\"effects\" of visit {}", number);
  if (effects != nullptr) ListOf(*effects, codes.size(), place, what, "codes");
  std::vector<std::string>& visit = record->visits.emplace_back();
  std::set<std::string_view> seen;
  std::vector<double> own;
  for (size_t k = 0; k < codes.size(); ++k) {
    const std::string& code = CodeOf(codes[k], place, number);
    if (!seen.insert(code).second) continue;
    visit.push_back(code);
    if (effects != nullptr) {
      own.push_back(NumberOf((*effects)[k], place, what));
    }
  }
  if (effects != nullptr) record->effects.push_back(std::move(own));
}

std::vector<double> TimesOf(const Json& list, size_t visits,
                            const std::string& place) {
  std::vector<double> times;
  for (const Json& time : ListOf(list, visits, place, "\"times\"", "visits")) {
    times.push_back(NumberOf(
        time, place, fmt::format("the time of visit {}", times.size() + 1)));
    const size_t last = times.size() - 1;
    if (last > 0 && times[last] < times[last - 1]) {
      Refuse(place,
             fmt::format("times run backwards: visit {} is at {}, visit {} "
                         "before it at {}; sort the visits by time",
                         last + 1, times[last], last, times[last - 1]));
    }
  }
  return times;
}

void CheckMembers(const Json& json, const std::string& place) {
  for (const auto& [name, value] : json.items()) {
    if (name == "visits" || name == "times" || name == "label" ||
        name == "effects" || name == "log_odds") {
      continue;
    }
    Refuse(place, fmt::format("unknown member {} (there are {})",
                              Abridged(Json(name)), kMembers));
  }
}

}  // namespace

VisitRecord ParseVisits(std::string_view line, const std::string& place) {
  if (line.size() > kMaxBytesOfPatient || ListsIn(line) > 3 * kMaxVisits) {
    Refuse(place, fmt::format("more than {} visits; keep the last ones of "
                              "this patient",
                              kMaxVisits));
  }
  const Json json = ParseJson(line, place, kPatientLimits);
  if (!json.is_object() || !json.contains("visits")) {
    Refuse(place,
           "is not a patient; write {\"visits\": [[\"I50\", \"E11\"], "
           "[\"I10\"]]}");
  }
  CheckMembers(json, place);
  const Json& visits = json.at("visits");
  if (!visits.is_array() || visits.empty()) {
    Refuse(place, "\"visits\" is not a list of visits, or empty");
  }
  if (std::ssize(visits) > kMaxVisits) {
    Refuse(place, fmt::format("{} visits; at most {} are read: keep the last "
                              "ones of this patient",
                              visits.size(), kMaxVisits));
  }
  const Json* effects = nullptr;
  if (json.contains("effects")) {
    effects = &ListOf(json.at("effects"), visits.size(), place, "\"effects\"",
                      "visits");
  }
  VisitRecord record;
  for (size_t v = 0; v < visits.size(); ++v) {
    AddVisit(visits[v], effects == nullptr ? nullptr : &(*effects)[v], place,
             &record);
  }
  if (json.contains("times")) {
    record.times = TimesOf(json.at("times"), visits.size(), place);
  }
  if (json.contains("label")) {
    const Json& label = json.at("label");
    if (label != 0 && label != 1) {
      Refuse(place, "\"label\" is neither 0 nor 1: " + Abridged(label));
    }
    record.label = label == 1 ? 1 : 0;
  }
  if (json.contains("log_odds")) {
    record.log_odds = NumberOf(json.at("log_odds"), place, "\"log_odds\"");
  }
  return record;
}

std::string VisitLine(const VisitRecord& record) {
  Json json = {{"visits", record.visits}};
  if (!record.times.empty()) json["times"] = record.times;
  if (record.label) json["label"] = *record.label;
  if (!record.effects.empty()) json["effects"] = record.effects;
  if (record.log_odds) json["log_odds"] = *record.log_odds;
  return DumpJson(json);
}

CodeTable::CodeTable(std::vector<std::string> codes, const std::string& place)
    : codes_(std::move(codes)) {
  if (codes_.empty()) Refuse(place, "has no codes");
  for (const std::string& code : codes_) {
    const bool fits = !code.empty() && !HasControlCharacter(code);
    const auto id = static_cast<int32_t>(ids_.size());
    if (!fits || !ids_.emplace(code, id).second) {
      Refuse(place, fmt::format("line {}: {}", id + 1,
                                fits ? "the code '" + code + "' stands twice"
                                     : "is not a code"));
    }
  }
}

CodeTable CodeTable::Parse(std::string_view text, const std::string& place) {
  std::vector<std::string> codes;
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size());
    codes.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return {std::move(codes), place};
}

std::string CodeTable::ToText() const {
  std::string text;
  for (const std::string& code : codes_) text += code + '\n';
  return text;
}

std::optional<int32_t> CodeTable::Find(const std::string& code) const {
  const auto found = ids_.find(code);
  if (found == ids_.end()) return std::nullopt;
  return found->second;
}

std::span<const int32_t> Patient::CodesOf(int64_t visit) const {
  const auto begin = static_cast<size_t>(starts.at(static_cast<size_t>(visit)));
  const auto end =
      static_cast<size_t>(starts.at(static_cast<size_t>(visit) + 1));
  return std::span(codes).subspan(begin, end - begin);
}

Patient Patient::First(int64_t count) const {
  Patient first = *this;
  first.starts.resize(static_cast<size_t>(count) + 1);
  const auto codes_of_them = static_cast<size_t>(first.starts.back());
  first.codes.resize(codes_of_them);
  if (!times.empty()) first.times.resize(static_cast<size_t>(count));
  if (!effects.empty()) first.effects.resize(codes_of_them);
  return first;
}

Patient Encode(const VisitRecord& record, const CodeTable& table,
               UnknownCodes unknown, const std::string& place) {
  Patient patient;
  for (size_t v = 0; v < record.visits.size(); ++v) {
    for (size_t k = 0; k < record.visits[v].size(); ++k) {
      const std::string& code = record.visits[v][k];
      const std::optional<int32_t> id = table.Find(code);
      if (!id && unknown == UnknownCodes::kRefuse) {
        Refuse(place, fmt::format(
                          "visit {}: the code '{}' is unknown: no patient of "
                          "training has it{}; --unknown-codes skip leaves such "
                          "codes out",
                          v + 1, code, DidYouMean(code, table.codes())));
      }
      if (!id) continue;
      patient.codes.push_back(*id);
      if (!record.effects.empty()) {
        patient.effects.push_back(static_cast<float>(record.effects[v][k]));
      }
    }
    patient.starts.push_back(static_cast<int32_t>(patient.codes.size()));
  }
  patient.times = record.times;
  patient.label = record.label.value_or(0);
  patient.log_odds = record.log_odds;
  return patient;
}

VisitRecords ReadVisits(const std::vector<std::string>& paths) {
  VisitRecords all;
  for (const std::string& path : paths) {
    ForEachLine(path, [&](std::string_view line, int64_t number) {
      if (line.find_first_not_of(" \t") == line.npos) return true;
      std::string place = fmt::format("{}:{}", path, number);
      all.records.push_back(ParseVisits(line, place));
      if (!all.records.back().label) {
        Refuse(place, "the label is missing; add \"label\": 0 or 1");
      }
      all.places.push_back(std::move(place));
      return true;
    });
  }
  return all;
}

CodeTable LearnCodes(const VisitRecords& patients, int min_patients) {
  if (patients.size() == 0) {
    throw ConfigError("there are no patients to learn from");
  }
  std::map<std::string, int, std::less<>> counts;
  for (const VisitRecord& record : patients.records) {
    std::set<std::string_view> seen;
    for (const auto& visit : record.visits) {
      seen.insert(visit.begin(), visit.end());
    }
    for (const std::string_view code : seen) {
      ++counts.try_emplace(std::string(code), 0).first->second;
    }
  }
  std::vector<std::string> codes;
  for (const auto& [code, count] : counts) {
    if (count >= min_patients) codes.push_back(code);
  }
  if (codes.empty()) {
    throw ConfigError(
        "no code has {} of the {} patients of training; lower least_patients",
        min_patients, patients.size());
  }
  return {std::move(codes), "the codes of training"};
}

std::vector<Patient> Encode(const VisitRecords& records, const CodeTable& table,
                            UnknownCodes unknown) {
  std::vector<Patient> patients;
  for (size_t i = 0; i < records.records.size(); ++i) {
    patients.push_back(
        Encode(records.records[i], table, unknown, records.places[i]));
  }
  return patients;
}

}  // namespace heed
