
#include <algorithm>
#include <limits>
#include <utility>

#include "heed/base/errors.h"
#include "heed/tasks/pretrained.h"
#include "heed/tasks/retrieve/retrieve.h"

namespace heed::retrieve {

TaskRow Task() {
  TaskRow row;
  row.name = "retrieve";
  row.description =
      "texts that answer a query or a question, compared with BM25";
  row.settings = [] { return std::make_unique<Settings>(); };
  row.input_label = "Query";
  row.answer_label = "Texts";
  row.prompt = "Paste a query, a tab and a text, and press Enter";
  row.examples = {
      {"how do I mount a disk\tan external drive is not shown "
       "after plugging it in",
       "en"}};
  row.training = {
      "--corpus texts.tsv --queries queries.tsv --relevant pairs.tsv",
      "--answers train.tsv --valid-answers valid.tsv"};
  return row;
}

std::vector<RetrievalQuery> ReadQueries(
    const Data& texts, const std::vector<std::string>& relevant,
    const std::vector<std::string>& candidates, const std::string& prefix) {
  if (!relevant.empty() && !candidates.empty()) {
    throw ConfigError("--{0}relevant or --{0}candidates, but not both", prefix);
  }
  return relevant.empty()
             ? ReadCandidateLists(candidates, texts.query_texts(), texts.corpus)
             : ReadRelevantPairs(relevant, texts.query_texts(), texts.corpus);
}

void RefuseOtherFiles(const std::vector<std::string>& corpus,
                      const std::vector<std::string>& queries,
                      const std::vector<std::string>& relevant,
                      const std::vector<std::string>& candidates,
                      const std::string& prefix) {
  const auto refuse = [&](const std::vector<std::string>& files,
                          const std::string& option) {
    if (files.empty()) return;
    throw ConfigError(
        "--{}answers has its own questions and texts: leave out "
        "--{}",
        prefix, option);
  };
  refuse(corpus, "corpus");
  refuse(queries, "queries");
  refuse(relevant, prefix + "relevant");
  refuse(candidates, prefix + "candidates");
}

std::vector<RetrievalQuery> Selected(std::vector<RetrievalQuery> queries,
                                     ValidQueries which) {
  if (which == ValidQueries::kAll) return queries;
  std::vector<RetrievalQuery> some;
  for (size_t i = which == ValidQueries::kOdd ? 0 : 1; i < queries.size();
       i += 2) {
    some.push_back(std::move(queries[i]));
  }
  return some;
}

bool Contains(const std::vector<int64_t>& places, int64_t place) {
  return std::ranges::find(places, place) != places.end();
}

void DataConfig::Visit(FieldList& v) {
  v.Section("Data");
  v("answers", answers, Any{"FILE"},
    "candidate answers for training: question, tab, 0 or 1, tab, text on each "
    "line (.gz too)")
      .Main();
  v("valid_answers", valid_answers, Any{"FILE"},
    "candidate answers for validation")
      .Main();
  v("valid_queries", valid_queries,
    "validation queries that select the weights: all, or every other one (odd: "
    "the first, third ...); heed evaluate then measures those held out, if it "
    "is given no files");
  v("corpus", corpus, Any{"FILE"},
    "instead of --answers: texts to find, with id, tab, text on each line (.gz "
    "too); several files are concatenated")
      .Main();
  v("queries", queries, Any{"FILE"},
    "queries of a corpus: id, tab, text on each line (default: texts of the "
    "corpus are queries)");
  v("relevant", relevant, Any{"FILE"},
    "training pairs of a corpus: query id, tab, text id on each line, "
    "optionally tab, 0 or 1")
      .Main();
  v("candidates", candidates, Any{"FILE"},
    "instead of --relevant: query id, ids of relevant texts, ids of others, "
    "separated by tabs");
  v("valid_relevant", valid_relevant, Any{"FILE"}, "relevant for validation");
  v("valid_candidates", valid_candidates, Any{"FILE"},
    "candidates for validation");
  v("max_length", max_length, Range(0, 1000000),
    "maximum tokens to read of a text; 0: all")
      .Alias("max_len");
  v("query_prompt", query_prompt,
    "text to put before each query, such as "
    "'query: '");
  v("text_prompt", text_prompt, "text to put before each text");
  v.Require({{"corpus", "relevant"}, {"corpus", "candidates"}, {"answers"}});

  vocabulary.Visit(v, WithWordPieceNames({"words", "unigram", "bpe",
                                          "characters", "tokenizer"}));
  vectors.Visit(v);
  v("shared_words", shared_words,
    "measures of the words that query and text share, added to the cosine with "
    "learnt weights: overlap (BM25, and fractions of words and of idf), bm25, "
    "none");
  v.Section("Batches");
  v("batch_queries", batch_queries, Range(1, 100000), "queries per batch")
      .Alias("batch_size")
      .Alias("bs");
  v("negatives", negatives, Range(0, 1000000),
    "random negatives per batch, in addition to the answers of its queries");
}

void Prediction::Visit(FieldList& v) {
  v.Section("Search");
  v("corpus", corpus, Any{"FILE"},
    "texts to find, for queries without their own candidates (default: that of "
    "training)");
  v("best", best, Range(0, 1000000),
    "texts for each query; 0: 10 of a corpus, or all candidates given with the "
    "query");
}

int Prediction::Best(bool of_corpus) const {
  constexpr int kOfCorpus = 10;
  if (best > 0) return best;
  return of_corpus ? kOfCorpus : std::numeric_limits<int>::max();
}

void Evaluation::Visit(FieldList& v) {
  v.Section("Data");
  v("corpus", corpus, Any{"FILE"}, "default: that of training");
  v("queries", queries, Any{"FILE"}, "default: those of training");
  v("relevant", relevant, Any{"FILE"},
    "query id, tab, text id on each line, and optionally tab, 0 or 1");
  v("candidates", candidates, Any{"FILE"},
    "instead of --relevant: query id, ids of relevant texts, ids of "
    "candidates, separated by tabs");
  v("answers", answers, Any{"FILE"},
    "instead of a corpus: question, tab, 0 or 1, tab, text on each line");
  v("per_query", per_query,
    "write id, reciprocal rank and average precision of each query, those of "
    "BM25 behind them");
  v.Section("BM25 baseline");
  v("k1", k1, Range(0, 100), "BM25 k1: how fast repeated words saturate");
  v("b", b, Range(0, 1), "BM25 b: length normalisation, from 0 (none) to 1");
}

void Settings::Visit(FieldList& v) {
  data.Visit(v);
  encoder.VisitName(v, "encoder of a text (see heed list models)");
  bi_encoder.Visit(v);
  encoder->Visit(v);
}

void Settings::Resolve() {
  data.vocabulary.Resolve();
  data.vectors.Check(data.vocabulary);
  encoder->Fill({});
  data.max_length = LimitWithin(encoder->positions(), data.max_length);
}

void Settings::TakePretrained() {
  TakeEncoder(pretrained, encoder, data.vocabulary);
}

Data Settings::Read() const {
  Data texts;
  if (!data.answers.empty()) {
    RefuseOtherFiles(data.corpus, data.queries, data.relevant, data.candidates,
                     "");
    texts.queries.emplace();
    texts.train = ReadAnswers(data.answers, *texts.queries, texts.corpus);
  } else {
    texts.corpus = ReadTexts(data.corpus);
    if (!data.queries.empty()) texts.queries = ReadTexts(data.queries);
    texts.train = ReadQueries(texts, data.relevant, data.candidates, "");
  }
  if (!data.valid_answers.empty()) {
    if (data.answers.empty()) {
      throw ConfigError("--valid-answers is for training with --answers");
    }
    RefuseOtherFiles({}, {}, data.valid_relevant, data.valid_candidates,
                     "valid-");
    const int64_t before = texts.corpus.size();
    const int64_t queries_before = texts.queries->size();
    texts.valid = ReadAnswers(data.valid_answers, *texts.queries, texts.corpus);
    texts.valid_texts = texts.corpus.size() - before;
    texts.valid_queries = texts.queries->size() - queries_before;
  } else if (!data.valid_relevant.empty() || !data.valid_candidates.empty()) {
    texts.valid = ReadQueries(texts, data.valid_relevant, data.valid_candidates,
                              "valid-");
  }
  texts.valid = Selected(std::move(texts.valid), data.valid_queries);
  return texts;
}

std::unique_ptr<Model> Settings::MakeModel(const Data& texts,
                                           uint64_t seed) const {
  std::vector<std::string> lines = texts.corpus.texts();
  lines.resize(lines.size() - static_cast<size_t>(texts.valid_texts));
  Model::Learned learned = {data.vectors.Read(), std::nullopt};
  if (data.shared_words != SharedWordMeasures::kNone) {
    learned.statistics.emplace(lines);
  }
  if (!pretrained.empty()) {
    const PretrainedEncoder start = ReadPretrained(pretrained);
    auto model = std::make_unique<Model>(*this, start.vocabulary,
                                         std::move(learned), seed);
    CopyPretrained(start, model->parameters());
    model->StartFromOverlap(texts, seed);
    return model;
  }
  if (texts.queries) {
    const std::vector<std::string>& more = texts.queries->texts();
    lines.insert(lines.end(), more.begin(), more.end() - texts.valid_queries);
  }
  auto model = std::make_unique<Model>(
      *this, data.vocabulary.Learn(std::move(lines)), std::move(learned), seed);
  model->StartFromOverlap(texts, seed);
  return model;
}
}  // namespace heed::retrieve
