
#include <algorithm>
#include <utility>

#include "heed/base/errors.h"
#include "heed/tasks/retrieve/retrieve.h"

namespace heed {

TaskRow RetrievalTask() {
  TaskRow row;
  row.name = "retrieve";
  row.description = "texts that answer a query, compared with BM25";
  row.settings = [] { return std::make_unique<RetrievalSettings>(); };
  row.input_label = "Query";
  row.answer_label = "Texts";
  row.prompt = "Paste a query, a tab and a text, and press Enter";
  row.examples = {
      {"how do I mount a disk\tan external drive is not shown "
       "after plugging it in",
       "en"}};
  return row;
}

std::vector<RetrievalQuery> ReadQueries(
    const RetrievalTexts& texts, const std::vector<std::string>& relevant,
    const std::vector<std::string>& candidates, const std::string& prefix) {
  if (!relevant.empty() && !candidates.empty()) {
    throw ConfigError("--{0}relevant or --{0}candidates, but not both", prefix);
  }
  return relevant.empty()
             ? ReadCandidateLists(candidates, texts.asked(), texts.corpus)
             : ReadRelevantPairs(relevant, texts.asked(), texts.corpus);
}

bool Contains(const std::vector<int64_t>& places, int64_t place) {
  return std::ranges::find(places, place) != places.end();
}

void RetrievalDataConfig::Visit(FieldList& v) {
  v.Section("Data");
  v("corpus", corpus, Any{"FILE"},
    "texts to find: id, tab, text on each line (.gz too); several files are "
    "concatenated")
      .Main();
  v("queries", queries, Any{"FILE"},
    "queries, likewise; left out: texts of the corpus ask for one another")
      .Main();
  v("relevant", relevant, Any{"FILE"},
    "what is learned: query id, tab, text id on each line, and optionally tab, "
    "0 or 1")
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
    "random negatives per batch: texts beside the answers of its queries");
}

void RetrievalPrediction::Visit(FieldList& v) {
  v.Section("Search");
  v("corpus", corpus, Any{"FILE"}, "texts to find; left out: that of training");
  v("best", best, Range(1, 1000000), "texts for each query");
}

void RetrievalEvaluation::Visit(FieldList& v) {
  v.Section("Data");
  v("corpus", corpus, Any{"FILE"}, "left out: that of training");
  v("queries", queries, Any{"FILE"}, "left out: those of training");
  v("relevant", relevant, Any{"FILE"},
    "query id, tab, text id on each line, and optionally tab, 0 or 1");
  v("candidates", candidates, Any{"FILE"},
    "or: query id, ids of relevant texts, ids of candidates, with tabs "
    "between");
  v.Require({{"relevant"}, {"candidates"}});
  v.Section("BM25 baseline");
  v("k1", k1, Range(0, 100), "BM25 k1: how fast repeated words saturate");
  v("b", b, Range(0, 1), "BM25 b: length normalisation, from 0 (none) to 1");
}

void RetrievalSettings::Visit(FieldList& v) {
  data.Visit(v);
  encoder.VisitName(v, "encoder of a text (see heed list models)");
  bi_encoder.Visit(v);
  encoder->Visit(v);
}

void RetrievalSettings::Resolve() {
  data.vocabulary.Resolve();
  encoder->Fill({});
}

RetrievalTexts RetrievalSettings::ReadData() const {
  RetrievalTexts texts;
  texts.corpus = ReadTexts(data.corpus);
  if (!data.queries.empty()) texts.queries = ReadTexts(data.queries);
  texts.train = ReadQueries(texts, data.relevant, data.candidates, "");
  if (!data.valid_relevant.empty() || !data.valid_candidates.empty()) {
    texts.valid = ReadQueries(texts, data.valid_relevant, data.valid_candidates,
                              "valid-");
  }
  return texts;
}

std::unique_ptr<RetrievalModel> RetrievalSettings::Learn(
    const RetrievalTexts& texts, uint64_t seed) const {
  std::vector<std::string> lines = texts.corpus.texts();
  if (texts.queries) {
    const std::vector<std::string>& more = texts.queries->texts();
    lines.insert(lines.end(), more.begin(), more.end());
  }
  return std::make_unique<RetrievalModel>(
      *this, data.vocabulary.Learn(std::move(lines)), seed);
}

std::unique_ptr<RetrievalModel> RetrievalSettings::Open(
    const ModelFiles& files, const std::string& folder, uint64_t seed) const {
  return std::make_unique<RetrievalModel>(
      *this, data.vocabulary.Find(files, folder), seed);
}

}  // namespace heed
