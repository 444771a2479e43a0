
#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "heed/base/at.h"
#include "heed/base/errors.h"
#include "heed/base/text.h"
#include "heed/kernels/gather.h"
#include "heed/kernels/topk.h"
#include "heed/tasks/autocomplete/autocomplete.h"
#include "heed/tasks/text_vocabulary.h"

namespace heed::autocomplete {
namespace {

// Maximum rows of scores in memory at a time.
constexpr int64_t kRowsAtOnce = 1024;
// Copies of a text in a batch; each is differentiated at another character.
constexpr int64_t kGuessesAtOnce = 32;
constexpr int kSuggestions = 3;

/// The first characters of a text, or with `from_end` the last ones, starting
/// at a space.
std::string Cut(const std::string& typed, int length, bool from_end) {
  const auto characters = Utf8Characters(typed);
  const auto max = static_cast<size_t>(length);
  if (characters.size() <= max) return typed;
  std::string result;
  if (!from_end) {
    for (size_t i = 0; i < max; ++i) result += characters[i];
    return result;
  }
  size_t begin = characters.size() - max;
  while (begin + 1 < characters.size() && characters[begin] != " ") ++begin;
  if (characters[begin] != " ") begin = characters.size() - max;
  for (size_t i = begin; i < characters.size(); ++i) result += characters[i];
  return result;
}

/// Adds the predictions of scores [R, V] against targets [R] to the sums.
void AddGuesses(const Tensor& scores, const int32_t* targets,
                const int32_t* seen, TypingScore& sum) {
  Tensor values;
  Tensor ids;
  Tensor log_sum;
  const int k = std::min<int>(kSuggestions, static_cast<int>(scores.cols()));
  kernels::TopK(scores, k, values, ids, &log_sum);
  for (int64_t r = 0; r < scores.rows(); ++r) {
    const int32_t word = targets[r];
    const int32_t* best = ids.row<int32_t>(r);
    const auto bucket = std::min<size_t>(static_cast<size_t>(seen[r]),
                                         TypingScore::kMaxSeen + 1);
    for (TypingScore::Counts* counts : {&sum.all, &sum.seen[bucket]}) {
      ++counts->characters;
      counts->first += best[0] == word ? 1 : 0;
      counts->third += std::find(best, best + k, word) != best + k ? 1 : 0;
      counts->nll += log_sum.data<double>()[r] -
                     static_cast<double>(scores.row<float>(r)[word]);
    }
  }
}

constexpr const char* kTypedCharactersFile = "characters.txt";
constexpr const char* kTypedWordsFile = "words.txt";
}  // namespace

TypedBatch MakeTypedBatch(const Corpus& corpus,
                          std::span<const int64_t> examples) {
  const IdRows characters = MakeIdRows(corpus.source, examples, kPad);
  return {characters.ids, characters.lengths,
          MakeIdRows(corpus.target, examples, kNoWord).ids};
}

TypingScore Model::ScoreOf(const std::vector<std::string>& text,
                           const Corpus& corpus) const {
  TypingScore score;
  for (const auto& indices : PlanBatches(corpus, config.data.Batches(), 0, 0)) {
    const TypedBatch batch = MakeTypedBatch(corpus, indices);
    const Tensor states =
        network.States({}, batch.characters, batch.lengths).value();
    const Tensor rows =
        states.Reshape({states.dim(0) * states.dim(1), states.dim(2)});
    std::vector<int32_t> places, targets, seen;
    for (size_t b = 0; b < indices.size(); ++b) {
      const auto i = static_cast<size_t>(indices[b]);
      const std::vector<int32_t> typed = CharactersSeen(text[i]);
      for (size_t s = 0; s < typed.size(); ++s) {
        const int32_t word = corpus.target[i][s];
        if (word == kNoWord) {
          ++score.unknown;
          continue;
        }
        places.push_back(static_cast<int32_t>(
            static_cast<int64_t>(b) * states.dim(1) + static_cast<int64_t>(s)));
        targets.push_back(word);
        seen.push_back(typed[s]);
      }
    }
    for (int64_t begin = 0; begin < std::ssize(places); begin += kRowsAtOnce) {
      const int64_t end = std::min(begin + kRowsAtOnce, std::ssize(places));
      const std::vector<int32_t> some(places.begin() + begin,
                                      places.begin() + end);
      const Tensor chosen =
          kernels::Gather(rows, Tensor::Of(some, {end - begin}));
      AddGuesses(network.Scores({}, chosen).value(), targets.data() + begin,
                 seen.data() + begin, score);
    }
  }
  return score;
}

TypingScore Model::Score(const std::vector<std::string>& lines) const {
  const std::vector<std::string> text =
      TypedSequences(lines, config.data.Options());
  if (text.empty()) {
    throw ConfigError("autocomplete: no word in {} lines", lines.size());
  }
  return ScoreOf(text, codec.Encode(text));
}

std::vector<std::vector<Suggestion>> Model::MostProbable(const Tensor& scores,
                                                         int count) const {
  Tensor values;
  Tensor ids;
  Tensor log_sum;
  const int k = std::min<int>(count, static_cast<int>(scores.cols()));
  kernels::TopK(scores, k, values, ids, &log_sum);
  std::vector<std::vector<Suggestion>> all;
  for (int64_t r = 0; r < scores.rows(); ++r) {
    std::vector<Suggestion>& row = all.emplace_back();
    for (int i = 0; i < k; ++i) {
      row.push_back({codec.Word(ids.row<int32_t>(r)[i]),
                     std::exp(static_cast<double>(values.row<float>(r)[i]) -
                              log_sum.data<double>()[r])});
    }
  }
  return all;
}

std::string Model::LastTyped(const std::string& text) const {
  return Cut(TypedText(text, config.data.form), config.data.length, true);
}

std::vector<std::vector<Suggestion>> Model::Suggest(
    const Context& ctx, const std::vector<std::string>& texts,
    int count) const {
  Corpus corpus;
  std::vector<int64_t> all;
  for (const std::string& text : texts) {
    all.push_back(corpus.size());
    corpus.source.push_back(codec.Characters(LastTyped(text)));
    corpus.target.emplace_back();
  }
  const TypedBatch batch = MakeTypedBatch(corpus, all);
  const Tensor states =
      network.States(ctx, batch.characters, batch.lengths).value();
  Tensor last({states.dim(0), states.dim(2)}, states.dtype());
  for (int64_t b = 0; b < states.dim(0); ++b) {
    last[b].CopyFrom(states[b][batch.lengths.data<int32_t>()[b] - 1]);
  }
  return MostProbable(network.Scores(ctx, last).value(), count);
}

Connectivity Model::Remember(const std::string& text,
                             const std::string& name) const {
  const std::string typed =
      Cut(TypedText(text, config.data.form), config.data.length, false);
  const std::vector<int32_t> ids = codec.Characters(typed);
  const std::vector<int32_t> words = codec.Words(typed);
  const int64_t T = std::ssize(ids);
  Connectivity c;
  c.model = name;
  for (const std::string_view character : Utf8Characters(typed)) {
    c.characters.emplace_back(character);
  }
  for (const int32_t word : words) {
    c.words.push_back(word == kNoWord ? "" : codec.Word(word));
  }
  c.values.resize(static_cast<size_t>(T * T));
  const Tensor characters = Tensor::Of(ids, {T});
  for (int64_t begin = 0; begin < T; begin += kGuessesAtOnce) {
    std::vector<int64_t> places(
        static_cast<size_t>(std::min(kGuessesAtOnce, T - begin)));
    std::iota(places.begin(), places.end(), begin);
    const Tensor norms = network.InputGradients(
        characters, places, [&](const Context& ctx, const Var& states) {
          const Var scores = network.Scores(ctx, states);
          auto suggestions = MostProbable(scores.value(), kSuggestions);
          std::move(suggestions.begin(), suggestions.end(),
                    std::back_inserter(c.suggestions));
          Tensor one = Tensor::Zeros(scores.shape(), DType::kF32);
          for (int64_t b = 0; b < scores.dim(0); ++b) {
            const int32_t word = At(words, begin + b);
            const float* row = scores.value().row<float>(b);
            one.row<float>(
                b)[word != kNoWord
                       ? word
                       : std::max_element(row, row + scores.dim(1)) - row] = 1;
          }
          return Autocomplete::Output{scores, one};
        });
    for (size_t b = 0; b < places.size(); ++b) {
      const int64_t t = places[b];
      const double* row = norms.row<double>(static_cast<int64_t>(b));
      std::copy(row, row + t + 1,
                c.values.begin() + static_cast<std::ptrdiff_t>(t * T));
    }
  }
  return c;
}

std::unique_ptr<Model> Settings::Open(const ModelFiles& files,
                                      const std::string& folder,
                                      uint64_t seed) const {
  TypingCodec codec(
      FindVocabulary(files, folder, kTypedCharactersFile,
                     VocabularyKind::kCharacters),
      FindVocabulary(files, folder, kTypedWordsFile, VocabularyKind::kWords));
  if (codec.word_count() == 0) {
    throw FormatError(PathIn(folder, kTypedWordsFile) + ": no word");
  }
  return std::make_unique<Model>(*this, std::move(codec), seed);
}

Model::Model(Config settings, TypingCodec learned, uint64_t seed)
    : config(std::move(settings)),
      codec(std::move(learned)),
      network(*config.encoder,
              {codec.characters().size(), codec.word_count(), config.embedding},
              seed) {}

ModelFiles Model::Files() const {
  return {{kTypedCharactersFile, codec.characters().Serialize()},
          {kTypedWordsFile, codec.words().Serialize()}};
}

}  // namespace heed::autocomplete
