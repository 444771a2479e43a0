// Interactions of users with items: what they rated, bought or played.
#ifndef HEED_DATA_INTERACTIONS_H_
#define HEED_DATA_INTERACTIONS_H_

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace heed {

/// Items of a user by their ids, oldest first.
using History = std::vector<int32_t>;

struct Histories {
  std::vector<std::string> items;  ///< name of each id
  std::vector<History> of_users;
  std::map<std::string, std::string> titles;  ///< of items, by name
};

/// Reads tables (.gz too) of user, item and optionally time, with tabs, "::",
/// commas or spaces between fields. Columns have the usual names of public data
/// sets (userId, asin, timestamp), or are user, item, others and maybe a time.
/// Prints the columns. Leading lines with # or % are comments. Histories are
/// sorted by time, then by line. Throws: IoError; FormatError with file, line.
Histories ReadInteractions(const std::vector<std::string>& paths);

/// Reads titles by name: the first column, and the column "title" of a header
/// or else the second. Throws: as ReadInteractions.
std::map<std::string, std::string> ReadTitles(const std::string& path);

/// Removes items and users with fewer than `min` interactions from the
/// histories, until none is left.
void KeepFrequent(int64_t min, Histories& histories);

/// Items of the histories: lines of name, tab and title.
std::string ItemLines(const Histories& histories);

/// The items that a model knows, by id. Immutable.
class ItemTable {
 public:
  /// Parses the result of ItemLines. Throws: FormatError with `place`.
  ItemTable(std::string_view text, const std::string& place);

  const std::string& text() const { return text_; }
  int64_t size() const { return std::ssize(names_); }
  /// Title of an item, or else its name.
  const std::string& shown(int32_t id) const {
    return shown_[static_cast<size_t>(id)];
  }
  /// Id of the item with this name, or else with this title.
  std::optional<int32_t> Find(std::string_view text) const;
  /// Histories with the ids of this table, without unknown items; those with at
  /// least `min` items.
  std::vector<History> Encode(const Histories& histories, int64_t min) const;

 private:
  std::string text_;
  std::vector<std::string> names_, shown_;
  std::unordered_map<std::string, int32_t> ids_;  // by name or title
};

}  // namespace heed

#endif  // HEED_DATA_INTERACTIONS_H_
