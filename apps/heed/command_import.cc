// heed import: models of other programs.
#include <fmt/format.h>

#include "apps/heed/commands.h"
#include "heed/convert/convert.h"

namespace heed {

int RunImport(const Arguments& arguments) {
  std::string source;
  std::string out;
  std::vector<std::string> vocabularies;
  std::vector<std::string> ignored;
  bool overwrite = false;
  Options options(
      "import",
      "Turns a model of another program into a folder of Heed's, for heed "
      "translate, train and all other commands. SOURCE is a model.npz of "
      "Marian (type transformer, s2s or amun), or a folder of Hugging Face "
      "with config.json, model.safetensors and the tokenizer's files (MarianMT "
      "or BERT). It scores as it did there; an option or a tensor that Heed "
      "cannot do is named, and nothing is written. Pickles are never read.");
  options.Positional("SOURCE", source, Any{"FILE|DIR"},
                     "model.npz, or a folder");
  options.fields().Section("Input");
  options.fields()("vocab", vocabularies, Any{"FILE"},
                   "Marian: vocabularies of source and target (.spm, .yml, "
                   ".json or a token per line), or one for both; by default "
                   "those that SOURCE.decoder.yml names");
  options.fields()("ignore_option", ignored, Any{"NAME"},
                   "ignore the model's option NAME: one that Heed does not "
                   "know, and on which translations do not depend");
  options.fields().Section("Output");
  options.fields()("out", out, Any{"DIR"}, "model folder to write");
  options.fields()("overwrite", overwrite,
                   "replace a model that stands in that folder");
  options.Example(
      "heed import model.npz --vocab de.spm --vocab en.spm --out "
      "model");
  options.Example(
      "heed import opus-mt-de-en --out model && heed translate "
      "model < in.txt");
  options.Example("heed import bert-base-uncased --out bert");
  options.fields().Require({{"out"}});
  if (!options.Parse(arguments)) return 0;
  Imported imported = Import(source, vocabularies, ignored);
  WriteImported(out, overwrite, imported);
  for (const std::string& note : imported.notes) {
    fmt::print(stderr, "note: {}\n", note);
  }
  fmt::print("{}: {}, {} parameters\n", out, imported.settings->task(),
             imported.model->parameters().elements());
  return 0;
}

}  // namespace heed
