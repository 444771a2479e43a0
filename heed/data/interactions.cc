#include "heed/data/interactions.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <tuple>
#include <utility>

#include "heed/base/at.h"
#include "heed/base/console.h"
#include "heed/base/errors.h"
#include "heed/base/text.h"
#include "heed/data/fields.h"
#include "heed/data/review_columns.h"
#include "heed/data/table.h"
#include "heed/io/file.h"

namespace heed {
namespace {

/// Calls body(fields, place) for the rows of a table. The first row determines
/// the separator.
void ForEachFields(const std::string& path,
                   const std::function<void(const TableRow& fields,
                                            const std::string& place)>& body) {
  std::string separator;
  FieldReader commas(Delimiter::kComma, path, /*trim=*/true);
  ForEachLine(path, [&](std::string_view line, int64_t number) {
    if (!commas.quoted() && TrimBlanks(line).empty()) return true;
    if (separator.empty()) {
      if (line[0] == '#' || line[0] == '%') return true;
      for (const char* one : {"\t", "::", ",", " "}) {
        separator = one;
        if (line.find(separator) != line.npos) break;
      }
    }
    TableRow fields;
    if (separator == ",") {
      const auto* row = commas.Add(line, number);
      if (row == nullptr) return true;
      fields = *row;
    } else {
      const auto parts =
          separator == " " ? SplitWhitespace(line) : SplitAt(line, separator);
      fields.assign(parts.begin(), parts.end());
    }
    for (std::string& field : fields) {
      std::ranges::replace(field = InOneLine(field), '\t', ' ');
      field = std::string(TrimBlanks(field));
    }
    body(fields, fmt::format("{}:{}", path, number));
    return true;
  });
  commas.Finish();
}

/// Columns by a header, or else user, item, others and maybe time. Prints them.
/// Returns true for a header.
bool FindInteractionColumns(const std::string& path, const TableRow& first,
                            ReviewPlaces& places) {
  const size_t width = first.size();
  const auto usual = UsualPlaces(first, ReviewRole::kItem);
  places = usual.value_or(ReviewPlaces{0, 1});
  auto& time = At(places, ReviewRole::kTime);
  if (!usual && width > 2 && IsReviewTime(first[width - 1])) time = width - 1;
  Say(fmt::format("{}: reads user from column {}, item from {}, {}", path,
                  *places[0] + 1, *places[1] + 1,
                  time ? fmt::format("time from {}", *time + 1)
                       : "no time: lines are in order of time"));
  return usual.has_value();
}

}  // namespace

Histories ReadInteractions(const std::vector<std::string>& paths) {
  std::unordered_map<std::string, int32_t> users, items;
  const auto id = [](const std::string& name, auto& ids) {
    const auto next = static_cast<int32_t>(ids.size());
    return ids.try_emplace(name, next).first->second;
  };
  std::vector<std::tuple<double, int32_t, int32_t>> all;  // time, user, item
  for (const std::string& path : paths) {
    std::optional<ReviewPlaces> places;
    ForEachFields(path, [&](const auto& fields, const std::string& place) {
      if (!places) {
        places.emplace();
        if (FindInteractionColumns(path, fields, *places)) return;
      }
      const auto cell = [&](ReviewRole role) {
        const auto column = At(*places, role);
        return column && *column < fields.size() ? fields[*column] : "";
      };
      const std::string user = cell(ReviewRole::kUser);
      const std::string item = cell(ReviewRole::kItem);
      const auto time = At(*places, ReviewRole::kTime)
                            ? ReviewTimeOf(cell(ReviewRole::kTime))
                            : 0;
      if (user.empty() || item.empty() || !time) {
        throw FormatError(
            "{}: expected user and item, and a number or a date as time",
            place);
      }
      all.emplace_back(*time, id(user, users), id(item, items));
    });
  }
  std::ranges::stable_sort(
      all, {}, [](const auto& one) { return std::get<double>(one); });
  Histories result;
  result.of_users.resize(users.size());
  result.items.resize(items.size());
  for (const auto& [name, item] : items) At(result.items, item) = name;
  for (const auto& [time, user, item] : all) {
    At(result.of_users, user).push_back(item);
  }
  return result;
}

std::map<std::string, std::string> ReadTitles(const std::string& path) {
  std::map<std::string, std::string> titles;
  std::optional<size_t> column;
  ForEachFields(path, [&](const auto& fields, const std::string& /*place*/) {
    // The row of a header is the title of no item.
    if (!column) column = PlaceOfColumn(fields, "title").value_or(1);
    if (*column < fields.size()) titles[fields[0]] = fields[*column];
  });
  return titles;
}

void KeepFrequent(int64_t min, Histories& histories) {
  for (size_t removed = 1; removed > 0;) {
    std::vector<int64_t> counts(histories.items.size());
    for (const History& history : histories.of_users) {
      for (const int32_t item : history) ++At(counts, item);
    }
    const auto rare = [&](int32_t item) { return At(counts, item) < min; };
    removed = 0;
    for (History& history : histories.of_users) {
      removed += std::erase_if(history, rare);
    }
    removed += std::erase_if(histories.of_users, [min](const History& history) {
      return std::ssize(history) < min;
    });
  }
}

std::string ItemLines(const Histories& histories) {
  std::string text;
  std::vector<bool> added(histories.items.size());
  for (const History& history : histories.of_users) {
    for (const int32_t item : history) {
      if (At(added, item)) continue;
      At(added, item) = true;
      const std::string& name = At(histories.items, item);
      const auto title = histories.titles.find(name);
      text += name + '\t';
      if (title != histories.titles.end()) text += title->second;
      text += '\n';
    }
  }
  return text;
}

ItemTable::ItemTable(std::string_view text, const std::string& place)
    : text_(text) {
  for (const std::string_view line : SplitLines(text)) {
    const auto fields = SplitAt(line, "\t");
    const auto id = static_cast<int32_t>(size());
    if (fields.size() != 2 || fields[0].empty() ||
        !ids_.try_emplace(std::string(fields[0]), id).second) {
      throw FormatError("{}:{}: expected a new item, a tab and its title",
                        place, size() + 1);
    }
    names_.emplace_back(fields[0]);
    shown_.emplace_back(fields[fields[1].empty() ? 0 : 1]);
  }
  for (int32_t id = 0; id < size(); ++id) ids_.try_emplace(shown(id), id);
}

std::optional<int32_t> ItemTable::Find(std::string_view text) const {
  const auto found = ids_.find(std::string(TrimBlanks(text)));
  return found == ids_.end() ? std::nullopt : std::optional(found->second);
}

std::vector<History> ItemTable::Encode(const Histories& histories,
                                       int64_t min) const {
  std::vector<History> all;
  for (const History& history : histories.of_users) {
    History known;
    for (const int32_t item : history) {
      const std::string& name = At(histories.items, item);
      const auto id = Find(name);
      if (id && At(names_, *id) == name) known.push_back(*id);
    }
    if (std::ssize(known) >= min) all.push_back(std::move(known));
  }
  return all;
}

}  // namespace heed
