// Names of months and weekdays.
#ifndef HEED_DATA_TIME_NAMES_H_
#define HEED_DATA_TIME_NAMES_H_

#include <string>
#include <string_view>

namespace heed {

/// Month from 1 by its name in English, German, French or Spanish, or by the
/// name's first three or four letters; 0 for other words.
int MonthOfName(std::string_view word);
/// Day of the week from 1 (Monday) by its English name; 0 for other words.
int WeekdayOfName(std::string_view word);

/// Name of a month from 1, in the language, case and length of the name `read`.
std::string MonthNameLike(int month, std::string_view read);
std::string WeekdayNameLike(int weekday, std::string_view read);

}  // namespace heed

#endif  // HEED_DATA_TIME_NAMES_H_
