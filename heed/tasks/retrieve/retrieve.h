// Retrieval: which text answers a query.
#ifndef HEED_TASKS_RETRIEVE_RETRIEVE_H_
#define HEED_TASKS_RETRIEVE_RETRIEVE_H_

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "heed/data/bm25.h"
#include "heed/data/labelled.h"
#include "heed/data/retrieval.h"
#include "heed/metrics/ranking.h"
#include "heed/models/bi_encoder.h"
#include "heed/models/registry.h"
#include "heed/tasks/task.h"
#include "heed/tasks/text_vocabulary.h"

namespace heed::retrieve {

/// Where texts and queries come from and how they become tokens and batches.
struct DataConfig {
  std::vector<std::string> corpus;
  std::vector<std::string> queries;
  std::vector<std::string> relevant;
  std::vector<std::string> candidates;
  std::vector<std::string> answers;
  std::vector<std::string> valid_relevant;
  std::vector<std::string> valid_candidates;
  std::vector<std::string> valid_answers;
  TextVocabularyConfig vocabulary = {.vocabulary = "words"};
  WordVectorConfig vectors;
  bool shared_words = false;
  int max_length = 100;
  int batch_queries = 64;
  int negatives = 64;

  void Visit(FieldList& v);
};

/// The resolved settings of a retriever.
struct Config {
  ModelChoice<EncoderSettings> encoder{
      "cell=gru units=100 self_attention=none dropout=0.1"};
  BiEncoderConfig bi_encoder;
  DataConfig data;
};

/// Texts with queries, and what answers them.
struct Data {
  TextCollection corpus;
  std::optional<TextCollection> queries;  // none: texts ask for one another
  std::vector<RetrievalQuery> train, valid;
  /// How many at the ends of the corpus and of the queries are for validation
  /// alone, so that no words are learnt from them.
  int64_t valid_texts = 0, valid_queries = 0;

  const TextCollection& asked() const { return queries ? *queries : corpus; }
};

/// Queries with what answers them, of one of two files; options are called
/// `prefix`relevant and `prefix`candidates. Throws: ConfigError if both are
/// given; as ReadRelevantPairs, ReadCandidateLists.
std::vector<RetrievalQuery> ReadQueries(
    const Data& texts, const std::vector<std::string>& relevant,
    const std::vector<std::string>& candidates, const std::string& prefix);

/// Throws: ConfigError that names the files that answers cannot stand beside.
void RefuseOtherFiles(const std::vector<std::string>& corpus,
                      const std::vector<std::string>& queries,
                      const std::vector<std::string>& relevant,
                      const std::vector<std::string>& candidates,
                      const std::string& prefix);

/// What shared words are weighed by, in a model folder.
inline constexpr const char* kStatisticsFile = "bm25.tsv";

/// Places at which rankings are cut for their scores.
inline constexpr int kRankingCutoffs[] = {1, 5, 10};

bool Contains(const std::vector<int64_t>& places, int64_t place);

/// Rankings of BM25, one for each query, in the order of the queries.
std::vector<Ranking> RankByBm25(const Data& texts,
                                std::span<const RetrievalQuery> queries,
                                const Bm25Options& options = {});

/// Texts as a model reads them.
struct ReadableCorpus {
  LabelledCorpus tokens;
  std::vector<CountedWords> words;  // empty: the model does not count them
};

/// Some texts as the model compares them, in blocks of similar length.
struct EncodedCorpus {
  struct Block {
    std::vector<int64_t> places;  // of its rows, among all texts
    EncodedTexts texts;
    std::vector<CountedWords> words;
  };
  std::vector<Block> blocks;
  int64_t size = 0;  // of all texts
};

/// Scores texts for queries: by the cosine of a bi-encoder, and if shared words
/// count by w · SharedWords more, where w is learnt. Parameters: those of the
/// bi-encoder; shared_words.weight [1].
class Model : public TaskModel {
 public:
  /// What is learnt from texts besides the vocabulary.
  struct Learnt {
    std::shared_ptr<const WordVectors> vectors;  // null: none
    std::optional<Bm25Statistics> statistics;    // if shared words count
  };
  Model(Config settings, Vocabulary words, Learnt others, uint64_t seed);

  using TaskModel::parameters;
  ParameterSet& parameters() override { return parameters_; }
  ModelFiles Files() const override;
  ModelOutline Outline() const override { return network.Outline(); }
  std::vector<std::pair<std::string, int64_t>> Sizes() const override {
    return {{"vocabulary", vocabulary.size()}};
  }

  /// Texts as tokens. Throws: Cancelled.
  ReadableCorpus Encode(const Context& ctx,
                        const std::vector<std::string>& texts) const;
  /// The texts at these places of a corpus, as the network compares them; as
  /// of all texts. Throws: Cancelled; ConfigError if their words would take too
  /// much memory.
  EncodedCorpus Read(const Context& ctx, const ReadableCorpus& corpus,
                     const std::vector<int64_t>& places) const;
  EncodedCorpus Read(const Context& ctx,
                     const std::vector<std::string>& texts) const;
  /// Some of a corpus, in one block.
  EncodedCorpus::Block ReadBlock(const Context& ctx,
                                 const ReadableCorpus& corpus,
                                 std::span<const int64_t> places) const;
  /// The score of each query and each text. Shapes: result [queries, texts].
  Var Scores(const Context& ctx, const EncodedCorpus::Block& queries,
             const EncodedCorpus::Block& texts) const;
  /// Throws: Cancelled.
  Tensor Scores(const Context& ctx, const EncodedCorpus& queries,
                const EncodedCorpus& texts) const;

  /// What the model says of queries and the texts that they choose from.
  struct Compared {
    std::vector<Ranking> rankings;  // of the queries, in their order
    double loss = 0;                // per answer
  };
  Compared Compare(const Data& texts,
                   std::span<const RetrievalQuery> queries) const;

  const Config config;
  const Vocabulary vocabulary;
  const Learnt learnt;

 private:
  ParameterSet parameters_;

 public:
  const BiEncoder network;

 private:
  Parameter* const weight_of_shared_;  // null: they do not count
};

/// What a query is answered with.
struct Prediction {
  std::vector<std::string> corpus;
  int best = 0;

  void Visit(FieldList& v);
  /// Texts of the answer, of a corpus or of candidates that came with the
  /// query.
  int Best(bool of_corpus) const;
};

/// What is ranked, and the BM25 that stands beside.
struct Evaluation {
  std::vector<std::string> corpus;
  std::vector<std::string> queries;
  std::vector<std::string> relevant;
  std::vector<std::string> candidates;
  std::vector<std::string> answers;
  double k1 = 1.2;
  double b = 0.75;

  void Visit(FieldList& v);
};

class Settings : public TaskSettingsOf<Data, Model, Prediction, Evaluation>,
                 public Config {
 public:
  std::string task() const override { return "retrieve"; }
  void ChooseModel(const std::string& name) override { encoder.Choose(name); }
  void Visit(FieldList& v) override;
  void SetDefaults(TrainingConfig& training) const override {
    training.optimizer.learning_rate = 1e-3;
  }
  void VisitTraining(FieldList& v, TrainingConfig& training) const override {
    VisitWithoutSmoothing(v, training);
  }
  void Resolve() override;
  bool CanStartFrom(const TaskRow& task) const override {
    return task.gives_encoder || task.gives_reader;
  }
  void TakePretrained() override;
  bool in_files() const override {
    return !data.corpus.empty() || !data.answers.empty();
  }

  Data Read() const override;
  std::unique_ptr<Model> MakeModel(const Data& texts,
                                   uint64_t seed) const override;
  std::unique_ptr<Model> Open(const ModelFiles& files,
                              const std::string& folder,
                              uint64_t seed) const override;
  std::vector<MeasureInfo> Measures(const Data& /*texts*/) const override {
    return {{"mrr", true},
            {"map", true},
            {"p1", true},
            {"p5", true},
            {"loss", false}};
  }
  std::unique_ptr<Trainable> MakeObjective(Data texts, Model& retriever,
                                           uint64_t seed) const override;
  InputReading Reading(const Prediction&) const override {
    InputReading reading;
    reading.window = 128;
    reading.defaults.long_lines = LongLines::kCutFields;
    return reading;
  }
  std::unique_ptr<Predictor> MakePredictor(const Model& retriever,
                                           Prediction options) const override;
  /// Beside BM25.
  Report Evaluate(const Model& retriever,
                  const Evaluation& options) const override;
};

TaskRow Task();

}  // namespace heed::retrieve

#endif  // HEED_TASKS_RETRIEVE_RETRIEVE_H_
