#include "heed/tasks/retrieve.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <numeric>
#include <ostream>
#include <utility>

#include "heed/base/errors.h"
#include "heed/data/bm25.h"
#include "heed/data/input_lines.h"
#include "heed/data/shuffle.h"
#include "heed/train/progress.h"

namespace heed {
namespace {

using Strings = std::vector<std::string>;

constexpr int kCutoffs[] = {1, 5, 10};
constexpr int64_t kTextsAtOnce = 128;
// Of texts that are encoded together, padding included.
constexpr int64_t kTokensAtOnce = 8192;
constexpr size_t kTextsEncodedAtOnce = 1024;

/// Queries with what answers them, of one of two files.
std::vector<RetrievalQuery> ReadQueries(const RetrievalTexts& texts,
                                        const Strings& relevant,
                                        const Strings& candidates,
                                        const std::string& prefix) {
  if (!relevant.empty() && !candidates.empty()) {
    throw ConfigError(
        fmt::format("--{0}relevant or --{0}candidates, but not both", prefix));
  }
  return relevant.empty()
             ? ReadCandidateLists(candidates, texts.asked(), texts.corpus)
             : ReadRelevantPairs(relevant, texts.asked(), texts.corpus);
}

bool Contains(const std::vector<int64_t>& places, int64_t place) {
  return std::find(places.begin(), places.end(), place) != places.end();
}

/// The texts that a query chooses from: not itself, where texts ask for one
/// another.
std::vector<int64_t> ChoicesOf(const RetrievalTexts& texts,
                               const RetrievalQuery& query) {
  std::vector<int64_t> choices = query.candidates;
  if (choices.empty()) {
    choices.resize(static_cast<size_t>(texts.corpus.size()));
    std::iota(choices.begin(), choices.end(), int64_t{0});
    if (!texts.queries) choices.erase(choices.begin() + query.query);
  }
  return choices;
}

/// `score(place)` of each text that the query chooses from.
template <typename Score>
Ranking RankingOf(const RetrievalTexts& texts, const RetrievalQuery& query,
                  Score&& score) {
  const std::vector<int64_t> choices = ChoicesOf(texts, query);
  std::vector<double> scores;
  for (const int64_t place : choices) scores.push_back(score(place));
  Ranking ranking;
  ranking.positives = std::ssize(query.positives);
  for (const int64_t i : OrderByScore(scores)) {
    ranking.relevant.push_back(
        Contains(query.positives, choices[static_cast<size_t>(i)]));
  }
  return ranking;
}

/// The sum of the losses of a query's answers, of which there are `answers`
/// more, against all that it chooses from; `cosine(place)` of each text.
template <typename Cosine>
double LossOfQuery(const BiEncoderConfig& config,
                   const std::vector<int64_t>& choices,
                   const RetrievalQuery& query, Cosine&& cosine,
                   int64_t& answers) {
  std::vector<float> row;
  std::vector<int32_t> relevant;
  std::vector<int32_t> right;
  for (const int64_t text : choices) {
    const bool is_right = Contains(query.positives, text);
    if (is_right) right.push_back(static_cast<int32_t>(row.size()));
    row.push_back(cosine(text));
    relevant.push_back(is_right ? 1 : 0);
  }
  const int64_t N = std::ssize(row);
  answers += std::ssize(right);
  double loss = 0;
  for (const int32_t answer : right) {
    loss += MatchLoss(config, Tensor::Of(row, {1, N}),
                      Tensor::Of(std::vector<int32_t>{answer}, {1}),
                      Tensor::Of(relevant, {1, N}), 1)
                .value()
                .item();
  }
  return loss;
}

std::vector<Ranking> RankByBm25(const RetrievalTexts& texts,
                                std::span<const RetrievalQuery> queries,
                                const Bm25Options& options) {
  const Bm25Index index(texts.corpus.texts(), options);
  std::vector<Ranking> rankings;
  for (const RetrievalQuery& query : queries) {
    const std::vector<double> scores =
        index.Scores(texts.asked().texts()[static_cast<size_t>(query.query)]);
    rankings.push_back(RankingOf(texts, query, [&](int64_t place) {
      return scores[static_cast<size_t>(place)];
    }));
  }
  return rankings;
}

/// In per cent.
nlohmann::ordered_json ToJson(const RankingScores& s) {
  nlohmann::ordered_json json = {{"mrr", 100 * s.mrr}, {"map", 100 * s.map}};
  for (const int k : kCutoffs) {
    json[fmt::format("p{}", k)] = 100 * s.precision.at(k);
    json[fmt::format("recall{}", k)] = 100 * s.recall.at(k);
    json[fmt::format("ndcg{}", k)] = 100 * s.ndcg.at(k);
  }
  return json;
}

std::string TableOf(const RankingScores& model, const RankingScores& bm25) {
  std::string table =
      fmt::format("{:<8} {:>8} {:>8} {:>8} {:>8} {:>9} {:>8}\n", "%", "MRR",
                  "MAP", "P@1", "P@5", "recall@10", "nDCG@10");
  const auto line = [&table](const char* name, const RankingScores& s) {
    table += fmt::format(
        "{:<8} {:>8.2f} {:>8.2f} {:>8.2f} {:>8.2f} {:>9.2f} {:>8.2f}\n", name,
        100 * s.mrr, 100 * s.map, 100 * s.precision.at(1),
        100 * s.precision.at(5), 100 * s.recall.at(10), 100 * s.ndcg.at(10));
  };
  line("model", model);
  line("BM25", bm25);
  return table;
}

}  // namespace

void RetrievalDataConfig::Visit(FieldList& v) {
  v.Section("Data");
  v("corpus", corpus, Any{"FILE"},
    "texts to find: id, tab, text on each line (.gz too); several files add "
    "up")
      .Main();
  v("queries", queries, Any{"FILE"},
    "queries, likewise; left out: texts of the corpus ask for one another")
      .Main();
  v("relevant", relevant, Any{"FILE"},
    "what is learned: query id, tab, text id on each line, and perhaps tab, 0 "
    "or 1")
      .Main();
  v("candidates", candidates, Any{"FILE"},
    "or: query id, ids of relevant texts, ids of others, with tabs between");
  v("valid_relevant", valid_relevant, Any{"FILE"}, "the same for validation")
      .Main();
  v("valid_candidates", valid_candidates, Any{"FILE"},
    "the same for validation, in the form of candidates");
  v("max_length", max_length, Range(0, 1000000),
    "tokens of a text that are read; 0: all")
      .Alias("max_len");
  v.Require({{"corpus"}});
  v.Require({{"relevant"}, {"candidates"}});

  vocabulary.Visit(v, {"words", "unigram", "bpe", "wordpiece", "characters"});
  v.Section("Batches");
  v("batch_queries", batch_queries, Range(1, 100000), "queries per batch")
      .Alias("batch_size")
      .Alias("bs");
  v("negatives", negatives, Range(0, 1000000),
    "texts per batch, besides the answers, that the answers compete with");
}

void RetrievalEvaluationConfig::Visit(FieldList& v) {
  v.Section("Data");
  v("corpus", corpus, Any{"FILE"}, "left out: that of training");
  v("queries", queries, Any{"FILE"}, "left out: those of training");
  v("relevant", relevant, Any{"FILE"},
    "query id, tab, text id on each line, and perhaps tab, 0 or 1");
  v("candidates", candidates, Any{"FILE"},
    "or: query id, ids of relevant texts, ids of candidates, with tabs "
    "between");
  v.Require({{"relevant"}, {"candidates"}});
  v.Section("BM25 baseline");
  v("k1", k1, Range(0, 100), "BM25 k1: how fast repeated words saturate");
  v("b", b, Range(0, 1), "BM25 b: length normalisation, from 0 (none) to 1");
}

void RetrievalPredictConfig::Visit(FieldList& v) {
  v.Section("Search");
  v("corpus", corpus, Any{"FILE"}, "texts to find; left out: that of training");
  v("best", best, Range(1, 1000000), "texts for each query");
}

void RetrievalTask::Visit(FieldList& v) {
  data.Visit(v);
  encoder.VisitName(v, "encoder of a text (see heed list models)");
  bi_encoder.Visit(v);
  encoder->Visit(v);
}

void RetrievalTask::SetDefaults(TrainingConfig& training) const {
  training.optimizer.learning_rate = 1e-3;
}

void RetrievalTask::Resolve() {
  data.vocabulary.Resolve();
  encoder->Fill({});
}

void RetrievalTask::ReadExamples() {
  if (data.corpus.empty()) throw ConfigError("--corpus is needed");
  if (data.relevant.empty() && data.candidates.empty()) {
    throw ConfigError("--relevant or --candidates is needed");
  }
  RetrievalTexts texts;
  texts.corpus = ReadTexts(data.corpus);
  if (!data.queries.empty()) texts.queries = ReadTexts(data.queries);
  texts.train = ReadQueries(texts, data.relevant, data.candidates, "");
  if (!data.valid_relevant.empty() || !data.valid_candidates.empty()) {
    texts.valid = ReadQueries(texts, data.valid_relevant, data.valid_candidates,
                              "valid-");
  }
  SetTexts(std::move(texts));
}

void RetrievalTask::SetTexts(RetrievalTexts texts) {
  texts_ = std::move(texts);
}

void RetrievalTask::LearnVocabularies() {
  std::vector<std::string> lines = texts_.corpus.texts();
  if (texts_.queries) {
    const std::vector<std::string>& more = texts_.queries->texts();
    lines.insert(lines.end(), more.begin(), more.end());
  }
  vocabulary_ = data.vocabulary.Learn(std::move(lines));
}

ModelFiles RetrievalTask::Files() const {
  return {{data.vocabulary.FileName(), vocabulary_->Serialize()}};
}

void RetrievalTask::SetFiles(const ModelFiles& files,
                             const std::string& folder) {
  vocabulary_ = data.vocabulary.Find(files, folder);
}

void RetrievalTask::MakeModel(uint64_t seed) {
  parameters_ =
      std::make_unique<ParameterSet>(seed, DType::kF32, encoder->precision());
  const Scope scope(*parameters_, "");
  model_ = std::make_unique<BiEncoder>(
      scope, bi_encoder,
      encoder->MakeText(scope / "encoder", vocabulary_->size(), 1));
}

LabelledCorpus RetrievalTask::Encode(const std::vector<std::string>& texts,
                                     const Context& ctx) const {
  LabelledCorpus all;
  for (size_t begin = 0; begin < texts.size(); begin += kTextsEncodedAtOnce) {
    ctx.CheckCancelled();
    const auto some = std::span(texts).subspan(begin).first(
        std::min(kTextsEncodedAtOnce, texts.size() - begin));
    LabelledCorpus next =
        EncodeLabelled({{some.begin(), some.end()}, {}, {}}, *vocabulary_,
                       nullptr, {data.max_length, data.vocabulary.lowercase});
    std::ranges::move(next.corpus.source,
                      std::back_inserter(all.corpus.source));
    std::ranges::move(next.corpus.target,
                      std::back_inserter(all.corpus.target));
    std::ranges::copy(next.first, std::back_inserter(all.first));
    all.cut += next.cut;
  }
  WarnOfCut(all, data.max_length);
  return all;
}

void RetrievalTask::EncodeExamples() {
  corpus_ = Encode(texts_.corpus.texts());
  queries_ = texts_.queries ? Encode(texts_.queries->texts()) : corpus_;
  examples_.clear();
  without_answer_ = 0;
  for (size_t i = 0; i < texts_.train.size(); ++i) {
    const RetrievalQuery& query = texts_.train[i];
    if (query.positives.empty()) ++without_answer_;
    for (const int64_t answer : query.positives) {
      examples_.push_back({static_cast<int64_t>(i), answer});
    }
  }
  if (examples_.empty()) {
    throw ConfigError("no query for training has a relevant text");
  }
}

std::string RetrievalTask::Summary() const {
  return fmt::format(
      "texts: {}; queries: {}, with {} (without any, left out: {}), for "
      "validation: {}; a vocabulary of {} tokens{}",
      texts_.corpus.size(), std::ssize(texts_.train) - without_answer_,
      Counted(std::ssize(examples_), "answer"), without_answer_,
      texts_.valid.size(), vocabulary_->size(),
      LearntSizeNote(vocabulary_->size(), data.vocabulary.vocabulary_size));
}

std::string RetrievalTask::CheckSum() const {
  std::vector<std::string> lines = texts_.corpus.texts();
  const std::vector<std::string>& asked = texts_.asked().texts();
  lines.insert(lines.end(), asked.begin(), asked.end());
  for (const auto* part : {&texts_.train, &texts_.valid}) {
    for (const RetrievalQuery& query : *part) {
      lines.push_back(fmt::format("{} {} {}", query.query,
                                  fmt::join(query.positives, ","),
                                  fmt::join(query.candidates, ",")));
    }
  }
  return CheckSumOf(lines);
}

std::vector<std::vector<int64_t>> RetrievalTask::PlanEpoch(uint64_t seed,
                                                           int epoch) const {
  return ShuffledBatches(std::ssize(examples_), data.batch_queries, seed,
                         epoch);
}

std::vector<int64_t> RetrievalTask::DocumentsOf(
    const Context& ctx, std::span<const int64_t> examples) const {
  std::vector<int64_t> documents;
  const auto add = [&documents](int64_t text) {
    if (!Contains(documents, text)) documents.push_back(text);
  };
  for (const int64_t i : examples) {
    add(examples_[static_cast<size_t>(i)].answer);
  }
  if (ctx.rng == nullptr) return documents;
  // Candidates of the queries in turn; of the corpus where there are none.
  for (int64_t n = 0; n < data.negatives; ++n) {
    const int64_t i = examples[static_cast<size_t>(n % std::ssize(examples))];
    const RetrievalQuery& query = texts_.train[static_cast<size_t>(
        examples_[static_cast<size_t>(i)].query)];
    const auto& c = query.candidates;
    add(c.empty() ? static_cast<int64_t>(ctx.rng->Below(
                        static_cast<uint64_t>(texts_.corpus.size())))
                  : c[ctx.rng->Below(c.size())]);
  }
  return documents;
}

BatchLoss RetrievalTask::Loss(const Context& ctx,
                              std::span<const int64_t> examples,
                              const LossOptions& options) const {
  const std::vector<int64_t> documents = DocumentsOf(ctx, examples);
  std::vector<int64_t> asked;
  Tensor answers({std::ssize(examples)}, DType::kI32);
  Tensor relevant =
      Tensor::Zeros({std::ssize(examples), std::ssize(documents)}, DType::kI32);
  for (int64_t b = 0; b < std::ssize(examples); ++b) {
    const Example& example =
        examples_[static_cast<size_t>(examples[static_cast<size_t>(b)])];
    const RetrievalQuery& query =
        texts_.train[static_cast<size_t>(example.query)];
    asked.push_back(query.query);
    for (int64_t n = 0; n < std::ssize(documents); ++n) {
      const int64_t text = documents[static_cast<size_t>(n)];
      const bool itself = !texts_.queries && text == query.query;
      if (itself || Contains(query.positives, text)) {
        relevant.row<int32_t>(b)[n] = 1;
      }
      if (text == example.answer) {
        answers.data<int32_t>()[b] = static_cast<int32_t>(n);
      }
    }
  }
  const LabelledBatch queries = MakeLabelledBatch(queries_, asked);
  const LabelledBatch texts = MakeLabelledBatch(corpus_, documents);
  const Var cosines = Cosines(model_->Encode(ctx, queries.ids, queries.lengths),
                              model_->Encode(ctx, texts.ids, texts.lengths));
  const Var loss =
      MatchLoss(bi_encoder, cosines, answers, relevant, options.scale);
  return {loss, loss.value().item()};
}

Tensor RetrievalTask::Vectors(const Context& ctx, const LabelledCorpus& corpus,
                              const std::vector<int64_t>& places) const {
  // By length, so that little is padding.
  std::vector<int64_t> order(places.size());
  std::iota(order.begin(), order.end(), int64_t{0});
  const auto length = [&](int64_t i) {
    return corpus.corpus
        .source[static_cast<size_t>(places[static_cast<size_t>(i)])]
        .size();
  };
  std::stable_sort(order.begin(), order.end(),
                   [&](int64_t a, int64_t b) { return length(a) < length(b); });
  Tensor vectors({std::ssize(places), model_->output_size()});
  for (size_t begin = 0; begin < order.size();) {
    size_t end = begin + 1;
    while (end < order.size() && end - begin < kTextsAtOnce &&
           (end + 1 - begin) * length(order[end]) <= kTokensAtOnce) {
      ++end;
    }
    const auto now = std::span(order).subspan(begin, end - begin);
    begin = end;
    std::vector<int64_t> some;
    for (const int64_t i : now) {
      some.push_back(places[static_cast<size_t>(i)]);
    }
    const LabelledBatch batch = MakeLabelledBatch(corpus, some);
    const Tensor encoded =
        model_->Encode(ctx, batch.ids, batch.lengths).value();
    for (int64_t i = 0; i < std::ssize(now); ++i) {
      vectors[now[static_cast<size_t>(i)]].CopyFrom(encoded[i]);
    }
  }
  return vectors;
}

RetrievalTask::Compared RetrievalTask::Compare(
    const RetrievalTexts& texts,
    std::span<const RetrievalQuery> queries) const {
  // Each text that takes part is encoded once.
  std::vector<int64_t> asked, chosen;
  std::vector<int64_t> row(static_cast<size_t>(texts.corpus.size()), -1);
  for (const RetrievalQuery& query : queries) {
    asked.push_back(query.query);
    for (const int64_t text : ChoicesOf(texts, query)) {
      int64_t& place = row[static_cast<size_t>(text)];
      if (place >= 0) continue;
      place = std::ssize(chosen);
      chosen.push_back(text);
    }
  }
  const Tensor of_queries = Vectors({}, Encode(texts.asked().texts()), asked);
  const Tensor of_texts = Vectors({}, Encode(texts.corpus.texts()), chosen);
  Compared compared;
  int64_t answers = 0;
  for (int64_t i = 0; i < std::ssize(queries); ++i) {
    const RetrievalQuery& query = queries[static_cast<size_t>(i)];
    const Tensor cosines =
        Cosines(of_queries.Slice(i, i + 1), of_texts).value();
    const auto cosine = [&](int64_t text) {
      return cosines.data<float>()[row[static_cast<size_t>(text)]];
    };
    compared.rankings.push_back(
        RankingOf(texts, query, [&](int64_t text) -> double {
          return static_cast<double>(cosine(text));
        }));
    compared.loss += LossOfQuery(bi_encoder, ChoicesOf(texts, query), query,
                                 cosine, answers);
  }
  compared.loss /= static_cast<double>(std::max<int64_t>(1, answers));
  return compared;
}

Metrics RetrievalTask::Validate(const std::string& /*measure*/) const {
  const Compared compared = Compare(texts_, texts_.valid);
  const RankingScores scores = ScoreRankings(compared.rankings, kCutoffs);
  return {{"loss", compared.loss},
          {"mrr", 100 * scores.mrr},
          {"map", 100 * scores.map},
          {"p1", 100 * scores.precision.at(1)},
          {"p5", 100 * scores.precision.at(5)}};
}

namespace {

/// Texts that are searched, and their vectors.
struct SearchedTexts {
  TextCollection corpus;
  Tensor vectors;
};

}  // namespace

InputReading RetrievalTask::reading() const {
  InputReading reading;
  reading.window = kTextsAtOnce;
  return reading;
}

Predictor RetrievalTask::MakePredictor(const Context& ctx, bool /*with_parts*/,
                                       const InputOptions& /*options*/) const {
  const Strings& paths =
      prediction.corpus.empty() ? data.corpus : prediction.corpus;
  if (paths.empty()) throw ConfigError("--corpus is needed");
  const auto searched = std::make_shared<SearchedTexts>();
  searched->corpus = ReadTexts(paths);
  std::vector<int64_t> all(static_cast<size_t>(searched->corpus.size()));
  std::iota(all.begin(), all.end(), int64_t{0});
  searched->vectors = Vectors(ctx, Encode(searched->corpus.texts(), ctx), all);
  return [this, ctx, searched](std::span<const std::string> lines,
                               int64_t first) {
    const TextCollection& corpus = searched->corpus;
    std::vector<int64_t> rows(lines.size());
    std::iota(rows.begin(), rows.end(), int64_t{0});
    const Tensor cosines =
        Cosines(Vectors(ctx, Encode({lines.begin(), lines.end()}, ctx), rows),
                searched->vectors)
            .value();
    std::vector<ModelAnswer> answers;
    for (int64_t i = 0; i < std::ssize(lines); ++i) {
      const std::vector<double> scores = cosines[i].ToVector<double>();
      ModelAnswer& answer = answers.emplace_back();
      answer.parts["hits"] = nlohmann::ordered_json::array();
      int place = 0;
      for (const int64_t text : OrderByScore(scores, prediction.best)) {
        const double score = scores[static_cast<size_t>(text)];
        const std::string& found = corpus.texts()[static_cast<size_t>(text)];
        answer.line += fmt::format("{}{}\t{}\t{:.4f}\t{}\t{}",
                                   place > 0 ? "\n" : "", first + i + 1,
                                   place + 1, score, corpus.Id(text), found);
        answer.parts["hits"].push_back(
            {{"score", score}, {"id", corpus.Id(text)}, {"text", found}});
        ++place;
      }
    }
    return answers;
  };
}

Report RetrievalTask::Evaluate() const {
  const auto or_else = [](const Strings& a, const Strings& b) {
    return a.empty() ? b : a;
  };
  if (evaluation.relevant.empty() && evaluation.candidates.empty()) {
    throw ConfigError("--relevant or --candidates is needed");
  }
  RetrievalTexts texts;
  texts.corpus = ReadTexts(or_else(evaluation.corpus, data.corpus));
  const Strings asked = or_else(evaluation.queries, data.queries);
  if (!asked.empty()) texts.queries = ReadTexts(asked);
  const std::vector<RetrievalQuery> queries =
      ReadQueries(texts, evaluation.relevant, evaluation.candidates, "");
  const RankingScores model = ScoreRankings(Rank(texts, queries), kCutoffs);
  const RankingScores bm25 = ScoreRankings(
      RankByBm25(texts, queries, {evaluation.k1, evaluation.b}), kCutoffs);

  Report report;
  report.heading =
      fmt::format("queries: {} ({} more without a relevant text); texts: {}",
                  model.queries, model.dropped, texts.corpus.size());
  const auto percent = [](const char* key, const char* label, double value) {
    return Figure{key, label, 100 * value, 2, "%", ""};
  };
  report.figures = {percent("mrr", "MRR", model.mrr),
                    percent("map", "MAP", model.map),
                    percent("p1", "P@1", model.precision.at(1)),
                    percent("p5", "P@5", model.precision.at(5)),
                    percent("bm25_mrr", "MRR of BM25", bm25.mrr),
                    percent("bm25_map", "MAP of BM25", bm25.map)};
  report.details = {{"queries", model.queries},
                    {"dropped", model.dropped},
                    {"model", ToJson(model)},
                    {"bm25", ToJson(bm25)}};
  report.text = TableOf(model, bm25);
  return report;
}

}  // namespace heed
