// Sentences whose ends depend on their beginnings: a text that needs no files
// and shows how far back a model remembers.
#ifndef HEED_COURSE_DATA_STORIES_H_
#define HEED_COURSE_DATA_STORIES_H_

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace heed {

/// A place in a story: one of its phrases, chosen by chance (each as likely),
/// or by what was chosen at an earlier place.
struct StorySlot {
  std::vector<std::string> phrases;
  std::optional<size_t> like;  ///< phrase i where that slot has phrase i
};

/// "anna the baker from lisbon at night sends lisbon bread by anna": a name, a
/// trade and a town, which come back 15 to 45 characters later: the town and
/// the name themselves, the trade as what it makes. Names, towns and goods
/// share their first letters, so that only who remembers can tell them early.
std::span<const StorySlot> StorySlots();

/// The same seed gives the same stories. Throws: ConfigError for a negative
/// count.
std::vector<std::string> MakeStories(int count, uint64_t seed);

/// The share of words that can be guessed from all that stands before them and
/// `seen` of their characters, by who knows how stories are made: the largest
/// expected accuracy. Words with fewer characters do not count. Range: 0 ≤
/// seen.
double BestStoryAccuracy(int seen);

}  // namespace heed

#endif  // HEED_COURSE_DATA_STORIES_H_
