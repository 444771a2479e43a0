#include "heed/data/time_names.h"

#include <array>
#include <cstddef>
#include <cstdint>

#include "heed/base/at.h"
#include "heed/base/text.h"

namespace heed {
namespace {

/// Number of letters in an abbreviated name.
constexpr int64_t kMinLetters = 3;
constexpr int64_t kMaxLetters = 4;

struct PeriodName {
  std::string_view whole;
  std::string_view cut;
};
using MonthLanguage = std::array<PeriodName, 12>;

constexpr std::array<MonthLanguage, 4> kMonthLanguages = {{
    {{{"january", "jan"},
      {"february", "feb"},
      {"march", "mar"},
      {"april", "apr"},
      {"may", "may"},
      {"june", "jun"},
      {"july", "jul"},
      {"august", "aug"},
      {"september", "sep"},
      {"october", "oct"},
      {"november", "nov"},
      {"december", "dec"}}},
    {{{"januar", "jan"},
      {"februar", "feb"},
      {"märz", "mär"},
      {"april", "apr"},
      {"mai", "mai"},
      {"juni", "jun"},
      {"juli", "jul"},
      {"august", "aug"},
      {"september", "sep"},
      {"oktober", "okt"},
      {"november", "nov"},
      {"dezember", "dez"}}},
    {{{"janvier", "janv"},
      {"février", "févr"},
      {"mars", "mars"},
      {"avril", "avr"},
      {"mai", "mai"},
      {"juin", "juin"},
      {"juillet", "juil"},
      {"août", "août"},
      {"septembre", "sept"},
      {"octobre", "oct"},
      {"novembre", "nov"},
      {"décembre", "déc"}}},
    {{{"enero", "ene"},
      {"febrero", "feb"},
      {"marzo", "mar"},
      {"abril", "abr"},
      {"mayo", "may"},
      {"junio", "jun"},
      {"julio", "jul"},
      {"agosto", "ago"},
      {"septiembre", "sep"},
      {"octubre", "oct"},
      {"noviembre", "nov"},
      {"diciembre", "dic"}}},
}};

constexpr std::array<PeriodName, 7> kWeekdayNames = {{{"monday", "mon"},
                                                      {"tuesday", "tue"},
                                                      {"wednesday", "wed"},
                                                      {"thursday", "thu"},
                                                      {"friday", "fri"},
                                                      {"saturday", "sat"},
                                                      {"sunday", "sun"}}};

bool IsCut(std::string_view word) {
  return CountCharacters(word) <= kMaxLetters;
}

/// Number from 1 of a name or its abbreviation ("Sept"); 0 for other words.
template <size_t kCount>
int PlaceOfName(std::string_view word,
                const std::array<PeriodName, kCount>& names) {
  const std::string lower = Lowercase(word);
  if (CountCharacters(lower) < kMinLetters) return 0;
  for (size_t i = 0; i < kCount; ++i) {
    const bool begins = IsCut(lower) && names[i].whole.starts_with(lower);
    if (lower == names[i].whole || begins) return static_cast<int>(i) + 1;
  }
  return 0;
}

/// Name in the length and case of the name `read`.
std::string NameLike(const PeriodName& name, std::string_view read) {
  const auto is_upper = [](char c) { return c >= 'A' && c <= 'Z'; };
  std::string text(IsCut(read) ? name.cut : name.whole);
  const bool upper = read.size() > 1 && is_upper(read[1]);
  for (size_t i = 0; i < text.size(); ++i) {
    const bool raised = upper || (i == 0 && is_upper(read[0]));
    const bool letter = text[i] >= 'a' && text[i] <= 'z';
    if (raised && letter) text[i] = static_cast<char>(text[i] - 'a' + 'A');
  }
  return text;
}

}  // namespace

int MonthOfName(std::string_view word) {
  constexpr int kMarch = 3;
  for (const MonthLanguage& names : kMonthLanguages) {
    if (const int month = PlaceOfName(word, names)) return month;
  }
  return Lowercase(word) == "mrz" ? kMarch : 0;
}

int WeekdayOfName(std::string_view word) {
  return PlaceOfName(word, kWeekdayNames);
}

std::string MonthNameLike(int month, std::string_view read) {
  const auto at = static_cast<size_t>(month - 1);
  for (const MonthLanguage& names : kMonthLanguages) {
    if (PlaceOfName(read, names) > 0) return NameLike(names[at], read);
  }
  return NameLike(kMonthLanguages[1][at], read);  // "Mrz"
}

std::string WeekdayNameLike(int weekday, std::string_view read) {
  return NameLike(At(kWeekdayNames, weekday - 1), read);
}

}  // namespace heed
