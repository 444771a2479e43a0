#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "heed/base/at.h"
#include "heed/base/errors.h"
#include "heed/data/bm25.h"
#include "heed/io/file.h"
#include "heed/metrics/confidence.h"
#include "heed/metrics/forecast.h"
#include "heed/tasks/retrieve/retrieve.h"

namespace heed::retrieve {
namespace {

// Maximum number of queries whose scores are in memory.
constexpr size_t kQueriesAtOnce = 256;

/// Candidates of queries, ordered by decreasing id: the order in which
/// trec_eval ranks texts of equal score.
class Choices {
 public:
  explicit Choices(const Data& texts)
      : texts_(texts),
        all_(texts.corpus.texts().size()),
        rank_(texts.corpus.texts().size()) {
    std::iota(all_.begin(), all_.end(), int64_t{0});
    std::sort(all_.begin(), all_.end(), [&](int64_t a, int64_t b) {
      return texts.corpus.Id(a) > texts.corpus.Id(b);
    });
    for (size_t i = 0; i < all_.size(); ++i) {
      At(rank_, all_[i]) = i;
    }
  }

  /// Returns the candidates of a query, without the query itself if texts are
  /// the queries.
  std::vector<int64_t> Of(const RetrievalQuery& query) const {
    std::vector<int64_t> choices = query.candidates;
    if (choices.empty()) {
      choices = all_;
      if (!texts_.queries) std::erase(choices, query.query);
      return choices;
    }
    std::sort(choices.begin(), choices.end(), [&](int64_t a, int64_t b) {
      return At(rank_, a) < At(rank_, b);
    });
    return choices;
  }

 private:
  const Data& texts_;
  std::vector<int64_t> all_;
  std::vector<size_t> rank_;  // rank of each text in all_
};

/// Ranking of the candidates of a query by `score(place)`.
template <typename Score>
Ranking RankingOf(const std::vector<int64_t>& choices,
                  const RetrievalQuery& query, Score&& score) {
  std::vector<double> scores;
  for (const int64_t place : choices) scores.push_back(score(place));
  Ranking ranking;
  ranking.positives = std::ssize(query.positives);
  for (const int64_t i : OrderByScore(scores)) {
    ranking.relevant.push_back(Contains(query.positives, At(choices, i)));
  }
  return ranking;
}

/// Sum of the losses of a query's answers against all candidates. Adds the
/// number of answers to `answers`. `score(place)`: score of a text.
template <typename Score>
double LossOfQuery(const BiEncoderConfig& config,
                   const std::vector<int64_t>& choices,
                   const RetrievalQuery& query, Score&& score,
                   int64_t& answers) {
  std::vector<float> row;
  std::vector<int32_t> relevant;
  std::vector<int32_t> right;
  for (const int64_t text : choices) {
    const bool is_right = Contains(query.positives, text);
    if (is_right) right.push_back(static_cast<int32_t>(row.size()));
    row.push_back(score(text));
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

/// Scores as JSON, in per cent.
nlohmann::ordered_json ToJson(const RankingScores& s) {
  nlohmann::ordered_json json = {{"mrr", 100 * s.mrr}, {"map", 100 * s.map}};
  for (const int k : kRankingCutoffs) {
    json[fmt::format("p{}", k)] = 100 * s.precision.at(k);
    json[fmt::format("recall{}", k)] = 100 * s.recall.at(k);
    json[fmt::format("ndcg{}", k)] = 100 * s.ndcg.at(k);
  }
  return json;
}

/// Rankings with at least one irrelevant text; the others are trivially right.
std::vector<Ranking> WithChoice(const std::vector<Ranking>& rankings) {
  std::vector<Ranking> some;
  for (const Ranking& ranking : rankings) {
    const auto relevant =
        std::count(ranking.relevant.begin(), ranking.relevant.end(), true);
    if (relevant < std::ssize(ranking.relevant)) some.push_back(ranking);
  }
  return some;
}

/// Scores of rankings of the model and of BM25.
struct Compared {
  explicit Compared(const std::vector<Ranking>& of_model,
                    const std::vector<Ranking>& of_bm25)
      : model(ScoreRankings(of_model, kRankingCutoffs)),
        bm25(ScoreRankings(of_bm25, kRankingCutoffs)) {}
  RankingScores model, bm25;
};

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

/// Metrics of one query by the model and by BM25, from 0 to 1.
struct QueryScores {
  std::string id;
  std::array<double, 2> mrr;
  std::array<double, 2> map;
};

/// Scores each query that has a relevant text.
std::vector<QueryScores> ScoreEach(const Data& texts,
                                   std::span<const RetrievalQuery> queries,
                                   std::span<const Ranking> of_model,
                                   std::span<const Ranking> of_bm25) {
  std::vector<QueryScores> each;
  for (size_t i = 0; i < queries.size(); ++i) {
    if (queries[i].positives.empty()) continue;
    const RankingScores model = ScoreRankings(of_model.subspan(i, 1), {});
    const RankingScores bm25 = ScoreRankings(of_bm25.subspan(i, 1), {});
    each.push_back({texts.query_texts().Id(queries[i].query),
                    {model.mrr, bm25.mrr},
                    {model.map, bm25.map}});
  }
  return each;
}

void WriteEach(const std::string& path, std::span<const QueryScores> each) {
  std::string lines = "query\tmrr\tmap\tbm25_mrr\tbm25_map\n";
  for (const QueryScores& query : each) {
    lines += fmt::format("{}\t{}\t{}\t{}\t{}\n", query.id, query.mrr[0],
                         query.map[0], query.mrr[1], query.map[1]);
  }
  WriteFileAtomically(path, lines);
}

/// Adds the mean difference to BM25 with its paired test.
void AddDifference(const std::string& key, const char* label,
                   std::span<const QueryScores> each,
                   std::array<double, 2> QueryScores::*metric, Report& report) {
  std::vector<double> differences;
  for (const QueryScores& query : each) {
    differences.push_back(100 * ((query.*metric)[0] - (query.*metric)[1]));
  }
  const MeanInterval above = ConfidenceOfMean(differences);
  Figure figure = {"above_bm25_" + key, label, above.mean, 2, "%", ""};
  if (std::isfinite(above.half_width)) {
    figure.note = fmt::format("± {:.2f} (95 %), {} of the paired t-test",
                              above.half_width, PValueEquation(above.p_value));
    report.details[key + "_above_bm25"] = {{"mean", above.mean},
                                           {"half_width", above.half_width},
                                           {"p_value", above.p_value}};
  }
  report.figures.push_back(std::move(figure));
}

/// Reads the texts and queries to evaluate: if no files of queries are given,
/// those that validation held out. Throws: ConfigError if there are none.
std::vector<RetrievalQuery> QueriesOf(Evaluation options,
                                      const DataConfig& data, Data& texts) {
  ValidQueries which = ValidQueries::kAll;
  if (options.relevant.empty() && options.candidates.empty() &&
      options.answers.empty()) {
    if (data.valid_queries == ValidQueries::kAll) {
      throw ConfigError(
          "--relevant or --candidates or --answers is needed, unless the model "
          "was trained with --valid-queries odd or even");
    }
    options.relevant = data.valid_relevant;
    options.candidates = data.valid_candidates;
    options.answers = data.valid_answers;
    which = data.valid_queries == ValidQueries::kOdd ? ValidQueries::kEven
                                                     : ValidQueries::kOdd;
  }
  const auto or_else = [](const std::vector<std::string>& a,
                          const std::vector<std::string>& b) {
    return a.empty() ? b : a;
  };
  std::vector<RetrievalQuery> queries;
  if (!options.answers.empty()) {
    RefuseOtherFiles(options.corpus, options.queries, options.relevant,
                     options.candidates, "");
    texts.queries.emplace();
    queries = ReadAnswers(options.answers, *texts.queries, texts.corpus);
  } else {
    texts.corpus = ReadTexts(or_else(options.corpus, data.corpus));
    const std::vector<std::string> query_files =
        or_else(options.queries, data.queries);
    if (!query_files.empty()) texts.queries = ReadTexts(query_files);
    queries = ReadQueries(texts, options.relevant, options.candidates, "");
  }
  return Selected(std::move(queries), which);
}

}  // namespace

std::vector<Ranking> RankByBm25(const Data& texts,
                                std::span<const RetrievalQuery> queries,
                                const Bm25Options& options) {
  const Bm25Index index(texts.corpus.texts(), options);
  const Choices choices(texts);
  std::vector<Ranking> rankings;
  for (const RetrievalQuery& query : queries) {
    const std::vector<double> scores =
        index.Scores(At(texts.query_texts().texts(), query.query));
    rankings.push_back(RankingOf(choices.Of(query), query, [&](int64_t place) {
      return At(scores, place);
    }));
  }
  return rankings;
}

Model::Compared Model::Compare(const Data& texts,
                               std::span<const RetrievalQuery> queries) const {
  const Choices choices(texts);
  // Each candidate is encoded once.
  std::vector<int64_t> query_ids, chosen;
  std::vector<int64_t> row(static_cast<size_t>(texts.corpus.size()), -1);
  for (const RetrievalQuery& query : queries) {
    query_ids.push_back(query.query);
    for (const int64_t text : choices.Of(query)) {
      int64_t& place = At(row, text);
      if (place >= 0) continue;
      place = std::ssize(chosen);
      chosen.push_back(text);
    }
  }
  const EncodedCorpus of_texts =
      Read({}, Encode({}, texts.corpus.texts(), TextSide::kText), chosen);
  const ReadableCorpus all_queries =
      Encode({}, texts.query_texts().texts(), TextSide::kQuery);
  Compared compared;
  int64_t answers = 0;
  for (size_t begin = 0; begin < queries.size(); begin += kQueriesAtOnce) {
    const size_t end = std::min(begin + kQueriesAtOnce, queries.size());
    const Tensor scores =
        Scores({},
               Read({}, all_queries,
                    {query_ids.begin() + static_cast<std::ptrdiff_t>(begin),
                     query_ids.begin() + static_cast<std::ptrdiff_t>(end)}),
               of_texts);
    for (size_t i = begin; i < end; ++i) {
      const RetrievalQuery& query = queries[i];
      const float* of_query =
          scores.row<float>(static_cast<int64_t>(i - begin));
      const auto score = [&](int64_t text) { return of_query[At(row, text)]; };
      const std::vector<int64_t> own = choices.Of(query);
      compared.rankings.push_back(
          RankingOf(own, query, [&](int64_t text) -> double {
            return static_cast<double>(score(text));
          }));
      compared.loss +=
          LossOfQuery(config.bi_encoder, own, query, score, answers);
    }
  }
  compared.loss = RatioOf(compared.loss, answers);
  return compared;
}

Report Settings::Evaluate(const Model& retriever,
                          const Evaluation& options) const {
  Data texts;
  const std::vector<RetrievalQuery> queries = QueriesOf(options, data, texts);
  if (std::ranges::all_of(queries, [](const RetrievalQuery& query) {
        return query.positives.empty();
      })) {
    throw FormatError(
        "evaluate: no query has a relevant text, and so there is nothing to "
        "find (queries: {})",
        queries.size());
  }
  const std::vector<Ranking> of_model =
      retriever.Compare(texts, queries).rankings;
  const std::vector<Ranking> of_bm25 =
      RankByBm25(texts, queries, {options.k1, options.b});
  const Compared all(of_model, of_bm25);
  const Compared open(WithChoice(of_model), WithChoice(of_bm25));
  const RankingScores& model = all.model;
  const RankingScores& bm25 = all.bm25;

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
  const std::vector<QueryScores> each =
      ScoreEach(texts, queries, of_model, of_bm25);
  if (!options.per_query.empty()) WriteEach(options.per_query, each);
  AddDifference("mrr", "MRR above BM25", each, &QueryScores::mrr, report);
  AddDifference("map", "MAP above BM25", each, &QueryScores::map, report);
  report.text = TableOf(model, bm25);
  if (open.model.queries < model.queries) {
    report.text += fmt::format(
        "\nqueries with a text that is not relevant: {}\n", open.model.queries);
    report.text += open.model.queries > 0
                       ? TableOf(open.model, open.bm25)
                       : "of the others each text is relevant, in any order\n";
    report.details["with_wrong_texts"] = {{"queries", open.model.queries},
                                          {"model", ToJson(open.model)},
                                          {"bm25", ToJson(open.bm25)}};
  }
  return report;
}

}  // namespace heed::retrieve
