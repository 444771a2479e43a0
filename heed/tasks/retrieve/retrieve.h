// Retrieval: ranks texts by relevance to a query.
#ifndef HEED_TASKS_RETRIEVE_RETRIEVE_H_
#define HEED_TASKS_RETRIEVE_RETRIEVE_H_

#include <array>
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

/// Measures of the words that query and text share, which are added to the
/// score: none, SharedWords, or all OverlapFeatures.
enum class SharedWordMeasures : uint8_t { kNone, kBm25, kOverlap };
constexpr auto WordsOf(SharedWordMeasures) {
  return std::array{"none", "bm25", "overlap"};
}

/// Validation queries that select the weights: all, or every other one from
/// the first or the second on. The others are held out for evaluation.
enum class ValidQueries : uint8_t { kAll, kOdd, kEven };
constexpr auto WordsOf(ValidQueries) {
  return std::array{"all", "odd", "even"};
}

/// Files of texts, queries and relevance, their vocabulary and batches.
struct DataConfig {
  std::vector<std::string> corpus;
  std::vector<std::string> queries;
  std::vector<std::string> relevant;
  std::vector<std::string> candidates;
  std::vector<std::string> answers;
  std::vector<std::string> valid_relevant;
  std::vector<std::string> valid_candidates;
  std::vector<std::string> valid_answers;
  Named<ValidQueries> valid_queries = ValidQueries::kAll;
  TextVocabularyConfig vocabulary = {.vocabulary = "words"};
  WordVectorConfig vectors;
  Named<SharedWordMeasures> shared_words = SharedWordMeasures::kOverlap;
  std::string query_prompt;
  std::string text_prompt;
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

/// Texts, queries and relevant texts.
struct Data {
  TextCollection corpus;
  std::optional<TextCollection> queries;  // none: the texts are the queries
  std::vector<RetrievalQuery> train, valid;
  /// Number of texts and queries, at the ends of the corpus and of the queries,
  /// that are for validation only and not in the vocabulary.
  int64_t valid_texts = 0, valid_queries = 0;

  const TextCollection& query_texts() const {
    return queries ? *queries : corpus;
  }
};

/// Weights of OverlapFeatures that rank the answers of up to 500 training
/// queries best among their candidates, or among random texts: logistic
/// regression with a prior around BM25. Their unit is the logit.
std::array<double, kOverlapFeatures> FitOverlap(
    const Data& texts, const Bm25Statistics& statistics, uint64_t seed);

/// Reads queries with their relevant texts from one of two kinds of files; the
/// options are `prefix`relevant and `prefix`candidates. Throws: ConfigError if
/// both are given; as ReadRelevantPairs, ReadCandidateLists.
std::vector<RetrievalQuery> ReadQueries(
    const Data& texts, const std::vector<std::string>& relevant,
    const std::vector<std::string>& candidates, const std::string& prefix);

/// Checks that answers are not combined with other files. Throws: ConfigError
/// that names the conflicting options.
void RefuseOtherFiles(const std::vector<std::string>& corpus,
                      const std::vector<std::string>& queries,
                      const std::vector<std::string>& relevant,
                      const std::vector<std::string>& candidates,
                      const std::string& prefix);

/// File of a model's BM25 statistics, which weight shared words.
inline constexpr const char* kStatisticsFile = "bm25.tsv";

/// Cutoffs of precision and recall: the first k documents of a ranking.
inline constexpr int kRankingCutoffs[] = {1, 5, 10};

/// The queries of a half, or all.
std::vector<RetrievalQuery> Selected(std::vector<RetrievalQuery> queries,
                                     ValidQueries which);

bool Contains(const std::vector<int64_t>& places, int64_t place);

/// Rankings of BM25, one for each query, in the order of the queries.
std::vector<Ranking> RankByBm25(const Data& texts,
                                std::span<const RetrievalQuery> queries,
                                const Bm25Options& options = {});

/// Encoded texts.
struct ReadableCorpus {
  LabelledCorpus tokens;
  std::vector<CountedWords> words;  // empty: without shared words
};

/// Encodings of texts, in blocks of similar length.
struct EncodedCorpus {
  struct Block {
    std::vector<int64_t> places;  // index of each row among all texts
    EncodedTexts texts;
    std::vector<CountedWords> words;
  };
  std::vector<Block> blocks;
  int64_t size = 0;  // number of texts
};

/// Sides of a comparison.
enum class TextSide : uint8_t { kQuery, kText };

/// Scores texts for queries by the cosine (or the product) s of a bi-encoder.
/// With learnt weights w and c, the score is
///   shared words none     s
///   shared words bm25     s + w · SharedWords
///   shared words overlap  10 (c s + Σ_k w_k OverlapFeatures_k)
/// where c is 0 before training, so that an untrained encoder has no effect,
/// and the factor makes training of w and c faster than that of the encoder.
/// With the margin loss, 10 c starts at 1, because that loss keeps a c of 0.
/// Parameters: those of the bi-encoder; shared_words.weight [1] or [5, 1];
/// shared_words.cosine [1].
class Model : public TaskModel {
 public:
  /// Results of training besides the vocabulary and the weights.
  struct Learned {
    std::shared_ptr<const WordVectors> vectors;  // null: none
    std::optional<Bm25Statistics> statistics;  // if the model uses shared words
  };
  Model(Config settings, Vocabulary words, Learned others, uint64_t seed);

  /// Sets the weights of shared words to FitOverlap, if the model has them.
  void StartFromOverlap(const Data& texts, uint64_t seed);

  using TaskModel::parameters;
  ParameterSet& parameters() override { return parameters_; }
  const Vocabulary* read_vocabulary() const override { return &vocabulary; }
  ModelFiles Files() const override;
  ModelOutline Outline() const override { return network.Outline(); }
  std::vector<std::pair<std::string, int64_t>> Sizes() const override {
    return {{"vocabulary", vocabulary.size()}};
  }

  /// A text as the encoder reads it: behind the prompt of its side. Imported
  /// tokenizers, which keep spaces, read it without those at both ends.
  std::string Prompted(const std::string& text, TextSide side) const;
  /// Encodes texts as tokens. Throws: Cancelled.
  ReadableCorpus Encode(const Context& ctx,
                        const std::vector<std::string>& texts,
                        TextSide side) const;
  /// Runs the encoder on the texts at these places of a corpus, or on all
  /// texts. Throws: Cancelled; ConfigError if the states would take too much
  /// memory.
  EncodedCorpus Read(const Context& ctx, const ReadableCorpus& corpus,
                     const std::vector<int64_t>& places) const;
  EncodedCorpus Read(const Context& ctx, const std::vector<std::string>& texts,
                     TextSide side) const;
  /// Encodes some texts of a corpus as one block.
  EncodedCorpus::Block ReadBlock(const Context& ctx,
                                 const ReadableCorpus& corpus,
                                 std::span<const int64_t> places) const;
  /// Scores of each query and each text. Shapes: result [queries, texts].
  Var Scores(const Context& ctx, const EncodedCorpus::Block& queries,
             const EncodedCorpus::Block& texts) const;
  /// Scores of all blocks: [queries, texts]. Throws: Cancelled.
  Tensor Scores(const Context& ctx, const EncodedCorpus& queries,
                const EncodedCorpus& texts) const;

  /// Rankings and loss of queries.
  struct Compared {
    std::vector<Ranking> rankings;  // one per query, in order
    double loss = 0;                // per answer
  };
  Compared Compare(const Data& texts,
                   std::span<const RetrievalQuery> queries) const;

  const Config config;
  const Vocabulary vocabulary;
  const Learned learned;

 private:
  ParameterSet parameters_;

 public:
  const BiEncoder network;

 private:
  Var SharedWordScores(const Context& ctx, const EncodedCorpus::Block& queries,
                       const EncodedCorpus::Block& texts) const;

  Parameter* weight_of_shared_ = nullptr;  // null: without shared words
  Parameter* weight_of_cosine_ = nullptr;  // null: 1
};

/// Options of a prediction: the corpus and the number of results.
struct Prediction {
  std::vector<std::string> corpus;
  int best = 0;

  void Visit(FieldList& v);
  /// Number of results, from a corpus or from the candidates of the query.
  int Best(bool of_corpus) const;
};

/// Options of an evaluation: texts, queries and parameters of the BM25
/// baseline.
struct Evaluation {
  std::vector<std::string> corpus;
  std::vector<std::string> queries;
  std::vector<std::string> relevant;
  std::vector<std::string> candidates;
  std::vector<std::string> answers;
  std::string per_query;
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
  /// Evaluates the model, with BM25 as baseline.
  Report Evaluate(const Model& retriever,
                  const Evaluation& options) const override;
};

TaskRow Task();

}  // namespace heed::retrieve

#endif  // HEED_TASKS_RETRIEVE_RETRIEVE_H_
