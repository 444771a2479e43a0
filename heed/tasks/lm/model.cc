
#include <algorithm>
#include <utility>

#include "heed/base/text.h"
#include "heed/tasks/lm/language.h"
#include "heed/tasks/target_loss.h"

namespace heed::lm {

std::unique_ptr<Model> Settings::Open(const ModelFiles& files,
                                      const std::string& folder,
                                      uint64_t seed) const {
  return std::make_unique<Model>(*this, data.vocabulary.Find(files, folder),
                                 seed);
}

Model::Model(Config settings, Vocabulary learned, uint64_t seed)
    : config(std::move(settings)),
      vocabulary(std::move(learned)),
      network(config.model->Make(vocabulary.size(), seed)) {}

std::string Model::Cased(std::string text) const {
  return config.data.vocabulary.lowercase ? Lowercase(text) : std::move(text);
}

std::string Model::Normalized(std::string line) const {
  return vocabulary.Normalized(Cased(std::move(line)));
}

LanguageScore Model::Score(const Context& ctx,
                           const std::vector<std::string>& lines) const {
  const DataConfig& data = config.data;
  const Corpus corpus = EncodeTextBlocks(lines, vocabulary, data.Blocks());
  const LossSum sum =
      CorpusLoss(ctx, *network, corpus, {data.batch_tokens, data.batch_texts});
  LanguageScore score;
  score.nll = sum.nll;
  score.tokens = sum.tokens;
  for (const std::vector<int32_t>& ids : corpus.target) {
    score.unknown += std::ranges::count(ids, vocabulary.special().unk);
  }
  score.text = MeasureText(lines);
  return score;
}

}  // namespace heed::lm
