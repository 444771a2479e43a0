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

/// A slot of a story, filled with one of its phrases. The choice is uniform, or
/// determined by the choice in an earlier slot.
struct StorySlot {
  std::vector<std::string> phrases;
  std::optional<size_t> like;  ///< slot whose choice determines this one
};

/// Slots of "anna the baker from lisbon at night sends lisbon bread by anna". A
/// name, a trade and a town recur 15 to 45 characters later: the town and the
/// name verbatim, the trade as its product. Names, towns and goods share first
/// letters, so only a model that remembers can predict them early.
std::span<const StorySlot> StorySlots();

/// Makes stories, deterministic in `seed`. Throws: ConfigError for a negative
/// count.
std::vector<std::string> MakeStories(int count, uint64_t seed);

/// Returns the maximum expected accuracy of predicting a word from all
/// preceding text and its first `seen` characters, given the generating
/// process. Words with fewer characters do not count. Range: 0 ≤ seen.
double BestStoryAccuracy(int seen);

}  // namespace heed

#endif  // HEED_COURSE_DATA_STORIES_H_
