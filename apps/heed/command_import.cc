// heed import: converts models of other programs.
#include <fmt/format.h>

#include <filesystem>

#include "apps/heed/commands.h"
#include "heed/base/console.h"
#include "heed/base/errors.h"
#include "heed/convert/convert.h"
#include "heed/train/model_folder.h"

namespace heed {

namespace {

void AddInputOptions(ImportRequest& request, Options& options) {
  options.fields().Section("Input");
  options.fields()("vocab", request.vocabularies, Any{"FILE"},
                   "Marian: vocabularies of source and target (.spm, .yml, "
                   ".json or a token per line), or one for both; default: "
                   "those named in SOURCE.decoder.yml or decoder.yml");
  options.fields()(
      "spm", request.subwords, Any{"FILE"},
      "Marian: SentencePiece models that split source and target before the "
      "vocabularies are looked up; default: source.spm and target.spm in the "
      "model's folder; none: texts are already split into subwords");
  options.fields()("encoder_only", request.encoder_only,
                   "BERT and its kin: import the encoder without its head");
  options.fields()("pairs", request.pairs,
                   "BERT and its kin for sequence classification: the model "
                   "reads pairs of texts, with a tab between them");
  options.fields()("ignore_option", request.ignored, Any{"NAME"},
                   "ignore the model's option NAME: one that Heed does not "
                   "know, and on which translations do not depend");
}

/// Name of a folder without its path.
std::string NameOfFolder(const std::string& folder) {
  return std::filesystem::path(folder).filename().string();
}

/// Imports a model and reports it.
void ImportOne(const std::string& source, const std::string& out,
               bool overwrite, const ImportRequest& request) {
  CheckOutIsOther(source, out);
  const Imported imported = ImportInto(out, overwrite, source, request);
  for (const std::string& note : imported.notes) {
    PrintNote("note: {}\n", note);
  }
  Print("{}: {}, {} parameters\n", out, imported.settings->task(),
        imported.model->parameters().elements());
}

/// Imports each folder into a folder of `out`, and goes on after one that
/// fails. Returns the exit status.
int ImportEach(const std::vector<std::string>& folders, const std::string& out,
               bool overwrite, const ImportRequest& request) {
  size_t imported = 0;
  for (const std::string& folder : folders) {
    try {
      ImportOne(folder, PathIn(out, NameOfFolder(folder)), overwrite, request);
      ++imported;
    } catch (const Interrupted&) {
      throw;
    } catch (const Error& error) {
      const std::string_view message = error.what();
      PrintNote("error: {}{}\n",
                message.starts_with(folder) ? "" : folder + ": ", message);
    }
  }
  Print("{} of {} models imported\n", imported, folders.size());
  return imported == folders.size() ? 0 : 1;
}

}  // namespace

int RunImport(const Arguments& arguments) {
  std::string source;
  std::string out;
  ImportRequest request;
  bool overwrite = false;
  Options options(
      "import",
      "Converts a model of another program to a folder for heed translate, "
      "predict, train and all other commands. SOURCE is a model.npz or "
      "model.bin of Marian (type transformer, s2s or amun), a folder of an "
      "OPUS-MT package, of a translator of Firefox, browsermt or "
      "translateLocally, or a folder of Hugging Face with config.json, "
      "model.safetensors and the tokenizer's files: MarianMT, GPT-2, OPT, or "
      "BERT, RoBERTa, XLM-RoBERTa, CamemBERT and DistilBERT with or without a "
      "head that tags or classifies, or as a sentence encoder. Scores are as "
      "in that program; "
      "if Heed does not support an option or a tensor, it names it and writes "
      "nothing. Pickles are never read. From a folder of folders with models "
      "of Marian or Firefox, each becomes a folder in --out.");
  options.Positional("SOURCE", source, Any{"FILE|DIR"},
                     "model.npz, model.bin, or a folder");
  AddInputOptions(request, options);
  options.fields().Section("Output");
  options.fields()("out", out, Any{"DIR"}, "model folder to write");
  options.fields()("overwrite", overwrite,
                   "replace an existing model in the output folder");
  options.fields()("dtype", request.storage.dtype,
                   "number format of stored matrices; auto: int8 or bf16 "
                   "where the source's are, else f32");
  options.Example(
      "heed import model.npz --vocab de.spm --vocab en.spm --out "
      "model");
  options.Example(
      "heed import opus-mt-de-en --out model && heed translate "
      "model < in.txt");
  options.Example("heed import opus-2020-02-26 --out model");
  options.Example("heed import bert-base-NER --out tagger");
  options.Example("heed import ende.student.tiny11 --out ende");
  options.fields().Require({{"out"}});
  if (!options.Parse(arguments)) return 0;
  const std::vector<std::string> folders = FoldersToImport(source);
  if (!folders.empty()) return ImportEach(folders, out, overwrite, request);
  ImportOne(source, out, overwrite, request);
  return 0;
}

}  // namespace heed
