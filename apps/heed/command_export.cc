// heed export: converts models for other programs.
#include <fmt/format.h>

#include "apps/heed/commands.h"
#include "heed/base/console.h"
#include "heed/convert/convert.h"
#include "heed/convert/huggingface.h"
#include "heed/models/registry.h"

namespace heed {

int RunExport(const Arguments& arguments) {
  std::string folder;
  std::string out;
  std::string format = "huggingface";
  bool overwrite = false;
  Options options(
      "export",
      fmt::format(
          "Writes a model for other programs. huggingface: a folder that "
          "Hugging Face's Transformers load with from_pretrained: a translator "
          "as MarianMTModel and MarianTokenizer, a BERT of task pretrain as "
          "BertForPreTraining, or BertForMaskedLM without next sentences, and "
          "BertTokenizer. heed train --model {} trains "
          "translators that can be exported; if a model cannot be exported, "
          "all reasons are listed and nothing is written.",
          ModelForExport(kMarianMtFormat)));
  options.ModelFolder(folder);
  options.fields().Section("Output");
  options.fields()("out", out, Any{"DIR"}, "folder to write");
  options.fields()("format", format, OneOf{"huggingface"},
                   "program to export to");
  options.fields()("overwrite", overwrite,
                   "replace an existing model in the output folder");
  options.Example("heed export model --out model-hf --format huggingface");
  options.fields().Require({{"out"}});
  if (!options.Parse(arguments)) return 0;
  for (const std::string& note : ExportHuggingFace(folder, out, overwrite)) {
    PrintNote("note: {}\n", note);
  }
  Print("{}: written\n", out);
  return 0;
}

}  // namespace heed
