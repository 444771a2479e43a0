#include "heed/text/noise.h"

#include <cstddef>
#include <utility>
#include <vector>

#include "heed/base/text.h"
#include "heed/text/characters.h"

namespace heed {
namespace {

/// A word with one typing error; equal if it has no two adjacent letters.
std::string Mistyped(std::string_view word, Rng& rng) {
  std::vector<std::string_view> characters = Utf8Characters(word);
  std::vector<size_t> pairs;  // first of two adjacent letters
  const auto is_letter = [&](size_t i) {
    return IsLetterCharacter(FirstCharacter(characters[i]).code);
  };
  for (size_t i = 0; i + 1 < characters.size(); ++i) {
    if (is_letter(i) && is_letter(i + 1)) pairs.push_back(i);
  }
  if (pairs.empty()) return std::string(word);
  const size_t at = pairs[rng.Below(pairs.size())];
  const auto place = characters.begin() + static_cast<std::ptrdiff_t>(at);
  switch (rng.Below(3)) {
    case 0:
      std::swap(*place, *(place + 1));
      break;
    case 1:
      characters.erase(place);
      break;
    default:
      characters.insert(place, characters[at]);
  }
  std::string mistyped;
  for (const std::string_view character : characters) mistyped += character;
  return mistyped;
}

std::string Capitalized(std::string_view word) {
  const size_t first = FirstCharacter(word).size;
  return Uppercase(word.substr(0, first)) + std::string(word.substr(first));
}

/// The line with each of its words replaced.
template <typename Change>
std::string WithWords(std::string_view line, const Change& change) {
  std::string changed;
  size_t end = 0;  // of the previous word
  for (const std::string_view word : SplitWhitespace(line)) {
    const auto begin = static_cast<size_t>(word.data() - line.data());
    changed += line.substr(end, begin - end);
    changed += change(word);
    end = begin + word.size();
  }
  changed += line.substr(end);
  return changed;
}

}  // namespace

void NoiseOptions::Visit(FieldList& v) {
  v.Section("Noise");
  v("noise_case", noise_case, Range(0, 1),
    "write a training source in capitals, or each of its words with a capital, "
    "with this probability; 0.05 is usual");
  v("noise_typos", noise_typos, Range(0, 1),
    "swap, drop or double a letter of each word of a training source with this "
    "probability; 0.05 is usual");
}

std::string AddNoise(std::string_view line, const NoiseOptions& options,
                     Rng& rng) {
  std::string noisy(line);
  if (options.noise_typos > 0) {
    noisy = WithWords(line, [&](std::string_view word) {
      return rng.Uniform() < options.noise_typos ? Mistyped(word, rng)
                                                 : std::string(word);
    });
  }
  if (options.noise_case == 0 || rng.Uniform() >= options.noise_case) {
    return noisy;
  }
  return rng.Below(2) == 0 ? Uppercase(noisy) : WithWords(noisy, Capitalized);
}

}  // namespace heed
