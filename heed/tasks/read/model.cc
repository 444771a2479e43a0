#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "heed/base/at.h"
#include "heed/base/console.h"
#include "heed/base/text.h"
#include "heed/data/batches.h"
#include "heed/data/input_lines.h"
#include "heed/ops/loss.h"
#include "heed/tasks/read/read.h"

namespace heed::read {
namespace {

/// Converts words to ids.
std::vector<int32_t> IdsOfWords(const Vocabulary& vocabulary,
                                std::vector<std::string> words,
                                bool lowercase) {
  if (lowercase) {
    for (std::string& word : words) word = Lowercase(word);
  }
  const EncodedWords encoded = vocabulary.EncodeWords(words);
  std::vector<int32_t> ids;
  for (const int32_t first : encoded.first) {
    ids.push_back(At(encoded.ids, first));
  }
  return ids;
}

/// Rows of words in the pretrained vectors; empty without vectors.
std::vector<int32_t> RowsOfWords(const WordVectors* vectors,
                                 std::span<const std::string> words) {
  std::vector<int32_t> rows;
  if (vectors == nullptr) return rows;
  for (const std::string& word : words) rows.push_back(vectors->Find(word));
  return rows;
}

/// Truncates a passage to its first `length` words.
void CutPassage(PassageText& text, size_t length) {
  text.words.resize(length);
  text.of_words.resize(length);
  std::erase_if(text.sentences, [length](int64_t begin) {
    return begin >= static_cast<int64_t>(length);
  });
  const int32_t kept = 1 + std::ranges::max(text.of_words);
  text.candidates.resize(static_cast<size_t>(kept));
  if (text.answer >= kept) text.answer = -1;
}

}  // namespace

Model::Model(Config settings, Vocabulary words,
             std::shared_ptr<const WordVectors> word_vectors, uint64_t seed)
    : config(std::move(settings)),
      vocabulary(std::move(words)),
      vectors(std::move(word_vectors)),
      parameters_(seed, DType::kF32, config.model->precision()),
      network(config.model->Make(Scope(parameters_, ""),
                                 SizesOf(vocabulary, vectors.get()))) {}

PassageCorpus Model::Encode(std::span<const PassageQuestion> questions) const {
  const bool lowercase = config.data.vocabulary.lowercase;
  const auto max = static_cast<size_t>(config.data.max_length);
  PassageCorpus corpus;
  for (const PassageQuestion& question : questions) {
    PassageText text = ReadPassageText(question, lowercase);
    if (max > 0 && text.words.size() > max) {
      CutPassage(text, max);
      ++corpus.cut;
    }
    corpus.ids.source.push_back(IdsOfWords(vocabulary, text.words, lowercase));
    corpus.ids.target.push_back(
        IdsOfWords(vocabulary, text.question, lowercase));
    corpus.vector_rows.source.push_back(RowsOfWords(vectors.get(), text.words));
    corpus.vector_rows.target.push_back(
        RowsOfWords(vectors.get(), text.question));
    corpus.texts.push_back(std::move(text));
  }
  return corpus;
}

void Model::WarnOfCut(const PassageCorpus& corpus) const {
  if (corpus.cut == 0) return;
  Warn(
      fmt::format("of {} of {} passages, only the first {} words are read "
                  "(--max-length of the training)",
                  corpus.cut, corpus.texts.size(), config.data.max_length));
}

PassageBatch Model::BatchOf(const PassageCorpus& corpus,
                            std::span<const int64_t> indices) const {
  PassageBatch batch;
  const IdRows passages = MakeIdRows(corpus.ids.source, indices, kPad);
  const IdRows questions = MakeIdRows(corpus.ids.target, indices, kPad);
  batch.passages = passages.ids;
  batch.passage_lengths = passages.lengths;
  batch.questions = questions.ids;
  batch.question_lengths = questions.lengths;
  const auto text = [&](int64_t b) -> const PassageText& {
    return At(corpus.texts, At(indices, b));
  };
  const auto answers = [&](int64_t b) -> std::span<const int32_t> {
    return text(b).of_words;
  };
  batch.answers = MakeIdRows(std::ssize(indices), answers, -1).ids;
  batch.C = 1;
  for (int64_t b = 0; b < std::ssize(indices); ++b) {
    batch.C = std::max(batch.C, std::ssize(text(b).candidates));
  }
  if (vectors != nullptr) {
    batch.passage_vectors =
        VectorsOfRows(*vectors, corpus.vector_rows.source, indices);
    batch.question_vectors =
        VectorsOfRows(*vectors, corpus.vector_rows.target, indices);
  }
  return batch;
}

std::vector<std::vector<int64_t>> Model::Plan(const PassageCorpus& corpus,
                                              uint64_t seed, int epoch) const {
  return PlanBatches(corpus.ids,
                     {config.data.batch_words, config.data.batch_texts}, seed,
                     epoch);
}

std::vector<std::vector<float>> Model::LogProbabilities(
    const Context& ctx, const PassageCorpus& corpus) const {
  std::vector<std::vector<float>> all(corpus.texts.size());
  for (const auto& indices : Plan(corpus, 0, 0)) {
    ctx.CheckCancelled();
    const Var log_p =
        LogSoftmax(network->Scores(ctx, BatchOf(corpus, indices)));
    for (size_t b = 0; b < indices.size(); ++b) {
      const auto i = static_cast<size_t>(indices[b]);
      const float* row = log_p.value().row<float>(static_cast<int64_t>(b));
      all[i].assign(row, row + corpus.texts[i].candidates.size());
    }
  }
  return all;
}

double PassageScore::accuracy() const {
  return RatioOf(100.0 * static_cast<double>(right), questions);
}

double PassageScore::loss() const { return RatioOf(nll, questions - missing); }

PassageScore ScoreAnswers(const PassageCorpus& corpus,
                          std::span<const std::vector<float>> log_p) {
  PassageScore score;
  score.questions = std::ssize(corpus.texts);
  for (size_t i = 0; i < corpus.texts.size(); ++i) {
    const PassageText& text = corpus.texts[i];
    if (text.answer < 0) {
      ++score.missing;
      continue;
    }
    const auto answer = static_cast<size_t>(text.answer);
    score.nll -= double{log_p[i][answer]};
    const auto chosen = std::ranges::max_element(log_p[i]) - log_p[i].begin();
    score.right += chosen == text.answer ? 1 : 0;
    std::vector<int64_t> counts(text.candidates.size());
    for (const int32_t c : text.of_words) {
      if (c >= 0) ++At(counts, c);
    }
    const auto frequent = std::ranges::max_element(counts);
    score.frequent += frequent - counts.begin() == text.answer ? 1 : 0;
  }
  return score;
}

std::unique_ptr<Model> Settings::Open(const ModelFiles& files,
                                      const std::string& folder,
                                      uint64_t seed) const {
  return std::make_unique<Model>(*this, data.vocabulary.Find(files, folder),
                                 data.vectors.Find(files, folder), seed);
}

ModelFiles Model::Files() const {
  ModelFiles files = {
      {config.data.vocabulary.FileName(), vocabulary.Serialize()}};
  AddWordVectors(vectors.get(), files);
  return files;
}

}  // namespace heed::read
