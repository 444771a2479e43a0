#include "heed/explain/reordering.h"

#include <algorithm>
#include <span>
#include <string>

#include "heed/base/at.h"
#include "heed/base/text.h"

namespace heed {
namespace {

constexpr float kMinLink = 0.2f;
constexpr int64_t kWidestStep = 2;  // forward; skips one source token

/// True if a token contains letters or digits.
bool HasWord(const std::string& token) {
  const auto digit = [](char c) { return c >= '0' && c <= '9'; };
  return std::ranges::any_of(token, digit) ||
         !SplitWhitespace(LettersAlone(token)).empty();
}

struct Link {
  int64_t target = 0;
  int64_t source = 0;
};

std::vector<Link> CertainLinks(const AlignmentView& view) {
  const AlignmentView words = WithoutEnds(view);
  // Based on the whole view: a word that attends mostly to </s> has no link.
  const std::vector<int64_t> sources = HardAlignment(view);
  std::vector<Link> links;
  for (int64_t t = 0; t < words.target_size(); ++t) {
    const int64_t s = At(sources, t);
    if (s < 0 || s >= words.source_size()) continue;
    if (view.weight(t, s) < kMinLink || !HasWord(At(words.target_tokens, t)) ||
        !HasWord(At(words.source_tokens, s))) {
      continue;
    }
    links.push_back({t, s});
  }
  return links;
}

// End of the run that begins at `begin`: small steps in one direction.
size_t EndOfRun(std::span<const Link> links, size_t begin) {
  int64_t direction = 0;
  for (size_t i = begin + 1; i < links.size(); ++i) {
    const int64_t step = links[i].source - links[i - 1].source;
    const int64_t sign = step > 0 ? 1 : step < 0 ? -1 : 0;
    const bool turns = direction != 0 && sign != 0 && sign != direction;
    if (step > kWidestStep || step < -1 || turns) return i;
    if (sign != 0) direction = sign;
  }
  return links.size();
}

// Appends the runs of a stretch with crossing links that moved.
void AddRuns(std::span<const Link> stretch,
             std::vector<AlignmentBlock>* blocks) {
  for (size_t begin = 0; begin < stretch.size();) {
    const size_t end = EndOfRun(stretch, begin);
    const auto run = stretch.subspan(begin, end - begin);
    const auto [low, high] = std::ranges::minmax(run, {}, &Link::source);
    const int64_t lowest = low.source;
    const auto before = std::ranges::count_if(
        stretch, [lowest](const Link& l) { return l.source < lowest; });
    // A run with equally many links before it on both sides did not move.
    const bool in_place = before == static_cast<int64_t>(begin);
    begin = end;
    const bool forwards = std::ranges::is_sorted(run, {}, &Link::source);
    if (forwards && (in_place || run.size() * 2 > stretch.size())) continue;
    blocks->push_back({run.front().target, run.back().target + 1, low.source,
                       high.source + 1});
  }
}

}  // namespace

std::vector<AlignmentBlock> ReorderedBlocks(const AlignmentView& view) {
  const std::vector<Link> links = CertainLinks(view);
  // Smallest source position of the links from each link on.
  std::vector<int64_t> lowest(links.size() + 1, view.source_size());
  for (size_t i = links.size(); i-- > 0;) {
    lowest[i] = std::min(lowest[i + 1], links[i].source);
  }
  std::vector<AlignmentBlock> blocks;
  size_t begin = 0;
  int64_t highest = -1;
  for (size_t i = 0; i < links.size(); ++i) {
    highest = std::max(highest, links[i].source);
    if (highest > lowest[i + 1]) continue;
    // No link before this border crosses a link after it.
    const std::span<const Link> stretch(links.data() + begin, i + 1 - begin);
    if (stretch.size() > 1) AddRuns(stretch, &blocks);
    begin = i + 1;
  }
  return blocks;
}

}  // namespace heed
