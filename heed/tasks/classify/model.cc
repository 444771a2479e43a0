
#include <utility>

#include "heed/data/batches.h"
#include "heed/metrics/classification.h"
#include "heed/tasks/classify/classify.h"
#include "heed/tasks/text_vocabulary.h"

namespace heed::classify {
namespace {

constexpr const char* kLabelsFile = "labels.txt";

}  // namespace

std::unique_ptr<Model> Settings::Open(const ModelFiles& files,
                                      const std::string& folder,
                                      uint64_t seed) const {
  return std::make_unique<Model>(
      *this, data.vocabulary.Find(files, folder),
      LabelSet::Parse(FindFile(files, folder, kLabelsFile),
                      PathIn(folder, kLabelsFile)),
      data.vectors.Find(files, folder), seed);
}

Model::Model(Config settings, Vocabulary learned, LabelSet label_set,
             std::shared_ptr<const WordVectors> word_vectors, uint64_t seed)
    : config(std::move(settings)),
      vocabulary(std::move(learned)),
      labels(std::move(label_set)),
      vectors(std::move(word_vectors)),
      parameters_(seed, DType::kF32, config.encoder->precision()),
      network(Scope(parameters_, ""), config.classifier, labels.size(),
              config.data.format.multi_label,
              config.encoder->MakeReader(
                  Scope(parameters_, ""),
                  SizesOf(vocabulary, vectors.get(), pairs() ? 2 : 1),
                  config.classifier.Pooling())) {}

ModelFiles Model::Files() const {
  ModelFiles files = {
      {config.data.vocabulary.FileName(), vocabulary.Serialize()},
      {kLabelsFile, labels.Serialize()}};
  AddWordVectors(vectors.get(), files);
  return files;
}

LabelledCorpus Model::Encode(const LabelledText& text, bool with_labels) const {
  const DataConfig& data = config.data;
  LabelledCorpus corpus = EncodeLabelled(
      text, vocabulary, with_labels ? &labels : nullptr,
      {data.max_length, data.vocabulary.lowercase, documents(), vectors.get()});
  WarnOfCut(corpus, data.max_length);
  return corpus;
}

Model::Answers Model::Answer(const Context& ctx, const LabelledCorpus& corpus,
                             bool with_labels, double threshold) const {
  Answers answers;
  answers.chosen.resize(static_cast<size_t>(corpus.corpus.size()));
  answers.probabilities.resize(answers.chosen.size());
  for (const auto& indices :
       PlanBatches(corpus.corpus,
                   {config.data.batch_tokens, config.data.batch_texts}, 0, 0)) {
    const LabelledBatch batch = MakeLabelledBatch(corpus, indices);
    const Var scores = network.Scores(ctx, InputOf(batch));
    if (with_labels) {
      answers.nll += network.LossOf(scores, batch.labels, {}).nll;
    }
    const Tensor p = network.Probabilities(scores.value());
    const TextLabels chosen = network.Choose(p, threshold);
    for (size_t b = 0; b < indices.size(); ++b) {
      const auto i = static_cast<size_t>(indices[b]);
      const float* row = p.row<float>(static_cast<int64_t>(b));
      answers.chosen[i] = chosen[b];
      answers.probabilities[i].assign(row, row + p.cols());
    }
  }
  return answers;
}

Metrics Model::Score(const LabelledCorpus& corpus,
                     const Answers& answers) const {
  const TextLabels& gold = corpus.corpus.target;
  Metrics metrics;
  if (config.data.format.multi_label) {
    const LabelSetReport report =
        ScoreLabelSets(answers.chosen, gold, labels.size());
    metrics.emplace_back("micro_f1", 100 * MicroF1(report.classes));
    metrics.emplace_back("macro_f1", 100 * MacroF1(report.classes));
    metrics.emplace_back("subset_accuracy", 100 * report.subset_accuracy);
  } else {
    const ClassReport report = ScoreClasses(SingleLabels(answers.chosen),
                                            SingleLabels(gold), labels.size());
    metrics.emplace_back("accuracy", 100 * report.accuracy);
    metrics.emplace_back("macro_f1", 100 * MacroF1(report.classes));
  }
  return metrics;
}

}  // namespace heed::classify
