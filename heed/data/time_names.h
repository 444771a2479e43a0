// Names of months and days of the week, read and written.
#ifndef HEED_DATA_TIME_NAMES_H_
#define HEED_DATA_TIME_NAMES_H_

#include <string>
#include <string_view>

namespace heed {

/// The month from 1 with this name in English, German, French or Spanish, or
/// with its first three or four letters; 0: none.
int MonthOfName(std::string_view word);
/// The day of the week from 1, Monday, with this English name; 0: none.
int WeekdayOfName(std::string_view word);

/// The name of a month from 1 in the language and case of one that was read,
/// and as short.
std::string MonthNameLike(int month, std::string_view read);
std::string WeekdayNameLike(int weekday, std::string_view read);

}  // namespace heed

#endif  // HEED_DATA_TIME_NAMES_H_
