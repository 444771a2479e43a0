// heed demo documents: which word of which sentence decides, on made-up
// documents of which that is known.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <span>

#include "apps/heed/program.h"
#include "demos/demos.h"
#include "demos/explained_file.h"
#include "demos/training_in.h"
#include "heed/base/at.h"
#include "heed/base/errors.h"
#include "heed/base/threads.h"
#include "heed/data/planted_documents.h"
#include "heed/io/file.h"
#include "heed/render/document_view.h"
#include "heed/tasks/classify/classify.h"
#include "heed/tasks/explain.h"
#include "heed/tasks/run.h"

namespace heed {
namespace {

constexpr int64_t kHeldOutDocuments = 300;
constexpr int64_t kFirstValidDocument = int64_t{1} << 32;
constexpr int64_t kFirstTestDocument = int64_t{1} << 33;

struct DocumentDemo {
  std::string out = "heed-documents";
  int documents = 2000;
  int epochs = 6;
  int sentences = PlantedOptions().sentences;
  int words = PlantedOptions().words;
  bool write_only = false;
  uint64_t seed = 1;
  int threads = 0;

  void Visit(FieldList& v) {
    v("out", out, Any{"DIR"}, "folder for documents, models and pictures");
    v("documents", documents, Range(10, 10000000),
      "documents for training; 300 more are for validation and 300 for the "
      "test");
    v("epochs", epochs, Range(1, 1000), "passes over the documents");
    v("sentences", sentences, Range(3, 10000),
      "sentences of a document, up to");
    v("words", words, Range(3, 10000), "words of a sentence, up to");
    v("write_only", write_only,
      "write the documents, as heed train --format docs reads them, and train "
      "nothing");
    v("seed", seed, "of the documents and the weights");
    v("threads", threads, Range(0, 1024), "threads; 0: one per core");
  }
  PlantedOptions Planted() const { return {sentences, words}; }
  std::string Path(const std::string& file) const { return out + "/" + file; }
};

/// What a model made of the test.
struct PlantedResult {
  std::string pooling;
  LoadedModel loaded;
  double accuracy = 0;
  double sentences_found = -1;  // percent; −1: it attends to nothing
  double words_found = -1;      // and there the word
};

void WriteDocuments(const DocumentDemo& demo) {
  std::filesystem::create_directories(demo.out);
  const auto write = [&](const char* file, int64_t first, int64_t count) {
    WriteFileAtomically(demo.Path(file),
                        PlantedFile(demo.Planted(), demo.seed, first, count));
  };
  write("train.txt", 0, demo.documents);
  write("valid.txt", kFirstValidDocument, kHeldOutDocuments);
  write("test.txt", kFirstTestDocument, kHeldOutDocuments);
}

int64_t PlaceOfLargest(std::span<const float> values) {
  return std::ranges::max_element(values) - values.begin();
}

Explanation ExplainDocument(const LoadedModel& loaded,
                            const Predictor& predictor,
                            const PlantedDocument& document) {
  ExplainRequest request;
  request.input.given = {document.text()};
  return Explain(loaded, predictor, request);
}

/// How often the largest weight of both levels is where the word was planted.
void CountFound(const DocumentDemo& demo, PlantedResult& result) {
  const auto predictor = result.loaded.MakePredictor();
  int64_t right = 0, planted = 0, sentences = 0, words = 0;
  bool attends = false;
  for (int64_t i = 0; i < kHeldOutDocuments; ++i) {
    const PlantedDocument document =
        MakePlantedDocument(demo.Planted(), demo.seed, kFirstTestDocument + i);
    const Explanation e = ExplainDocument(result.loaded, *predictor, document);
    right += e.answer == document.label ? 1 : 0;
    const auto weights = DocumentWeightsOf(e.segments.at(0));
    if (document.sentence < 0) continue;
    ++planted;
    if (!weights) continue;
    attends = true;
    const int64_t sentence = PlaceOfLargest(weights->of_sentences);
    if (sentence != document.sentence) continue;
    ++sentences;
    const ItemRange span = At(weights->sentences->spans, sentence);
    const int64_t word = PlaceOfLargest(
        std::span(weights->of_words)
            .subspan(static_cast<size_t>(span.begin),
                     static_cast<size_t>(span.end - span.begin)));
    words += word == document.word ? 1 : 0;
  }
  const auto share = [](int64_t count, int64_t of) {
    return 100.0 * static_cast<double>(count) / static_cast<double>(of);
  };
  result.accuracy = share(right, kHeldOutDocuments);
  if (!attends || planted == 0) return;
  result.sentences_found = share(sentences, planted);
  result.words_found = share(words, planted);
}

/// The model that reads documents sentence by sentence.
std::string ReaderOfDocuments() {
  ModelChoice<TextReaderSettings> model;
  for (const std::string& name : ModelNames<TextReaderSettings>()) {
    model.Choose(name);
    if (model->reads_sentences()) return name;
  }
  throw ConfigError("no model reads documents sentence by sentence");
}

PlantedResult TrainPlanted(const DocumentDemo& demo,
                           const std::string& pooling) {
  classify::Settings task;
  task.ChooseModel(ReaderOfDocuments());
  SetPreset(FieldsOf(*task.encoder), "embedding=32 units=24");
  task.classifier.pooling = pooling;
  task.data.format.format = "docs";
  task.data.train.texts = {demo.Path("train.txt")};
  task.data.valid.texts = {demo.Path("valid.txt")};
  TrainingConfig training =
      TrainingIn(demo.Path(pooling), task, demo.epochs, demo.seed);
  training.optimizer.learning_rate = 0.005;
  training.optimizer.warmup = 0;
  fmt::print(stderr, "{}\n", pooling);
  Train(task, training);
  PlantedResult result = {pooling, ReadModel(training.run.out)};
  CountFound(demo, result);
  return result;
}

std::string Percent(double value) {
  return value < 0 ? "-" : fmt::format("{:.1f} %", value);
}

void ShowDocument(const DocumentDemo& demo, const PlantedResult& result) {
  PlantedDocument document;
  for (int64_t i = kFirstTestDocument; document.sentence < 0; ++i) {
    document = MakePlantedDocument(demo.Planted(), demo.seed, i);
  }
  fmt::print("\nA document of the test, by {}\n", result.pooling);
  const std::string shown = ShowExplainedWithPage(
      result.loaded, Input{document.text()}, demo.out, "document");
  fmt::print(
      "\nThe picture:     {1}\n"
      "The documents:   {0}/train.txt, {0}/valid.txt, {0}/test.txt\n"
      "Try your own:    echo 'It was a long night. The plot was witty.' | {2} "
      "predict {3}\n",
      demo.out, shown, ProgramName(), demo.Path(result.pooling));
}

}  // namespace

int RunDemoDocuments(const Arguments& arguments) {
  DocumentDemo demo;
  Options options(
      "demo documents",
      "Makes up documents of praise or blame, which one word of one sentence "
      "says, and of neither, writes them as files with sentences, trains "
      "hierarchical networks on them that "
      "pool words and sentences by attention, by their mean and by their "
      "maximum, and counts how often attention is largest at that sentence "
      "and that word, as Yang et al. 2016 (Hierarchical Attention Networks).");
  demo.Visit(options.fields());
  options.Example("heed demo documents");
  options.Example("heed demo documents --write-only --out documents");
  if (!options.Parse(arguments)) return 0;

  const ThreadLimit limit(demo.threads);
  WriteDocuments(demo);
  if (demo.write_only) {
    fmt::print(
        "{0}/train.txt: {1} documents; {0}/valid.txt and {0}/test.txt: {2} "
        "each\n",
        demo.out, demo.documents, kHeldOutDocuments);
    return 0;
  }
  std::vector<PlantedResult> results;
  for (const char* pooling : {"attention", "mean", "max"}) {
    results.push_back(TrainPlanted(demo, pooling));
  }
  fmt::print("\n{:<12} {:>10} {:>16} {:>12}\n", "test", "accuracy",
             "sentence found", "word found");
  for (const PlantedResult& result : results) {
    fmt::print("{:<12} {:>10} {:>16} {:>12}\n", result.pooling,
               Percent(result.accuracy), Percent(result.sentences_found),
               Percent(result.words_found));
  }
  fmt::print(
      "\nFound: of the documents with a planted word, the largest weight is "
      "that "
      "of its\nsentence, and there that of the word.\n");
  ShowDocument(demo, results.front());
  return 0;
}

}  // namespace heed
