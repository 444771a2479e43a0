// heed export: converts models for other programs.
#include <fmt/format.h>

#include "apps/heed/commands.h"
#include "heed/base/console.h"
#include "heed/convert/convert.h"
#include "heed/convert/huggingface.h"
#include "heed/models/registry.h"

namespace heed {
namespace {

enum class ExportFormat : uint8_t { kHuggingFace, kBergamot };
constexpr auto WordsOf(ExportFormat) {
  return std::array{"huggingface", "bergamot"};
}

struct ExportOptions {
  std::string out;
  Named<ExportFormat> format = ExportFormat::kHuggingFace;
  BergamotRequest request;

  bool bergamot() const { return format == ExportFormat::kBergamot; }
  void Visit(FieldList& v) {
    v.Section("Output");
    v("out", out, Any{"DIR"}, "folder to write");
    v("format", format, "program to export to");
    v("overwrite", request.overwrite,
      "replace an existing model in the output folder");
    v.Section("Bergamot");
    const char* const needs = "--format bergamot";
    v("calibrate", request.calibration, Any{"FILE"},
      "source text, one sentence in each line, that fixes the scales of "
      "activations; default: those of an imported model")
        .If(bergamot(), needs);
    v("source_language", request.source_language, Any{"CODE"},
      "source language, such as en; default: that of the model")
        .If(bergamot(), needs);
    v("target_language", request.target_language, Any{"CODE"},
      "target language")
        .If(bergamot(), needs);
    v.Require({{"out"}});
  }
};

}  // namespace

int RunExport(const Arguments& arguments) {
  std::string folder;
  ExportOptions chosen;
  Options options(
      "export",
      fmt::format(
          "Writes a model for other programs. huggingface: a folder that "
          "Hugging Face's Transformers load with from_pretrained: a translator "
          "as MarianMTModel and MarianTokenizer, a BERT of task pretrain as "
          "BertForPreTraining, or BertForMaskedLM without next sentences, and "
          "BertTokenizer. heed train --model {} trains "
          "translators that can be exported. bergamot: a student (heed "
          "distill) as a folder that Firefox's engine, translateLocally and "
          "heed import read. If a model cannot be exported, all reasons are "
          "listed and nothing is written.",
          ModelForExport(kMarianMtFormat)));
  options.ModelFolder(folder);
  chosen.Visit(options.fields());
  options.Example("heed export model --out model-hf --format huggingface");
  options.Example(
      "heed export small/tuned --out small-ende --format bergamot "
      "--calibrate val.en");
  if (!options.Parse(arguments)) return 0;
  FieldList fields;
  chosen.Visit(fields);
  options.RefuseIdle(fields);
  const Notes notes =
      chosen.bergamot()
          ? ExportBergamot(folder, chosen.out, chosen.request)
          : ExportHuggingFace(folder, chosen.out, chosen.request.overwrite);
  for (const std::string& note : notes) PrintNote("note: {}\n", note);
  Print("{}: written\n", chosen.out);
  return 0;
}

}  // namespace heed
