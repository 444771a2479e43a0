// heed quantize and heed shortlist: faster versions of trained models.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <filesystem>

#include "apps/heed/commands.h"
#include "apps/heed/tasks.h"
#include "heed/base/console.h"
#include "heed/base/errors.h"
#include "heed/base/threads.h"
#include "heed/data/shortlist.h"
#include "heed/tasks/input_files.h"
#include "heed/tasks/translate/translation.h"
#include "heed/train/progress.h"

namespace heed {
namespace {

namespace fs = std::filesystem;

double Megabytes(const std::string& folder) {
  return static_cast<double>(fs::file_size(PathIn(folder, kWeightsFile))) / 1e6;
}

}  // namespace

int RunQuantize(const Arguments& arguments) {
  std::string folder;
  RunConfig run;
  Options options(
      "quantize",
      "Writes a model with int8 matrices (a scale for each column): a quarter "
      "of the size, and products several times faster. Such a model cannot be "
      "trained on. (--dtype int8 of translate, predict and evaluate does so "
      "when it loads a model.)");
  options.ModelFolder(folder);
  options.fields()("out", run.out, Any{"DIR"}, "model folder to write");
  options.fields()("overwrite", run.overwrite,
                   "replace an existing model in the output folder");
  options.fields().Require({{"out"}});
  options.Example("heed quantize model --out model-int8");
  if (!options.Parse(arguments)) return 0;
  OutFolder out(run);
  const LoadedModel loaded = ReadModel(folder, RunFormat::kInt8);
  WriteModelConfig(out.path(), ReadModelConfig(folder));
  const std::string shortlist = PathIn(folder, kShortlistFile);
  if (fs::exists(shortlist)) {
    fs::copy_file(shortlist, out.PathOf(kShortlistFile));
  }
  WriteTensors(out.PathOf(kWeightsFile), loaded.model->parameters().Tensors(),
               loaded.metadata);
  out.Publish();
  PrintNote("{}: {:.1f} MB\n{}: {:.1f} MB\n", folder, Megabytes(folder),
            run.out, Megabytes(run.out));
  return 0;
}

int RunShortlist(const Arguments& arguments) {
  std::string folder;
  PairFiles pairs;
  ShortlistOptions list;
  int threads = 0;
  Options options(
      "shortlist",
      "Learns from parallel text which tokens translate each token (IBM model "
      "1 on the model's tokens), and saves them in the model's folder: heed "
      "translate --shortlist model then scores only these.");
  options.ModelFolder(folder);
  FieldList& v = options.fields();
  v.Section("Data");
  pairs.Visit(v, "", "text");
  v.Section("Size");
  v("frequent", list.frequent, Range(0, 1e6),
    "most frequent target tokens, which every sentence may use");
  v("best", list.best, Range(1, 1e6),
    "most probable target tokens of each source token");
  v.Section("Run");
  v("threads", threads, Range(0, 1024), "threads; 0: one per core");
  options.Example("heed shortlist model --source train.en --target train.de");
  options.Example("heed translate model --shortlist model < test.en");
  if (!options.Parse(arguments)) return 0;
  ExpandPatterns(v);
  const ThreadLimit limit(threads);
  const translate::Model model = translate::ReadTranslationModel(folder);
  ParallelText text = pairs.Read("");
  if (model.data.lowercase) translate::LowercaseText(text);
  const translate::Vocabularies& vocabularies = model.vocabularies;
  const Corpus corpus =
      EncodeMeasured(text, vocabularies.source, vocabularies.target);
  if (corpus.size() == 0) {
    throw FormatError(
        "{}: no pair to learn from; each has an empty side or is too long",
        fmt::join(pairs.tsv.empty() ? pairs.source : pairs.tsv, ", "));
  }
  const OutFolder out(folder);
  const std::string path = PathIn(folder, kShortlistFile);
  Shortlist::Train(corpus, vocabularies.source.size(),
                   vocabularies.target.size(), list)
      .Write(path);
  PrintNote("shortlist of {}: {}\n", Counted(corpus.size(), "pair"), path);
  return 0;
}

}  // namespace heed
