// Models of other programs into Heed's folders, and back.
#ifndef HEED_CONVERT_CONVERT_H_
#define HEED_CONVERT_CONVERT_H_

#include <memory>
#include <string>
#include <vector>

#include "heed/convert/mapped_vocabulary.h"
#include "heed/tasks/task.h"

namespace heed {

struct Imported {
  std::unique_ptr<TaskSettings> settings;
  std::unique_ptr<TaskModel> model;  // with weights
  Notes notes;                       // what the user should know
  std::string program;               // what it was a model of: "Marian"
};

/// Options of heed import.
struct ImportRequest {
  /// Marian: vocabularies of source and target, or one for both; none: those
  /// that the decoder's configuration names.
  std::vector<std::string> vocabularies = {};
  /// Marian: SentencePiece models of source and target, or one for both, whose
  /// pieces the vocabularies number; none: source.spm and target.spm beside the
  /// model. {"none"}: texts come in pieces already.
  std::vector<std::string> subwords = {};
  /// Options of the model's configuration that are not looked at.
  std::vector<std::string> ignored = {};
  /// BERT: without its head, for pre-training and fine-tuning.
  bool encoder_only = false;
  /// BERT for sequence classification: it reads pairs of texts.
  bool pairs = false;
};

/// Reads what `source` is: a model of Marian's (see ImportMarian) or a folder
/// of Hugging Face's (see ImportHuggingFace). Throws: IoError, FormatError,
/// ConfigError.
Imported Import(const std::string& source, const ImportRequest& request = {});

/// Reads a model of Marian (Junczys-Dowmunt et al. 2018, arXiv:1804.00344) of
/// type transformer, s2s or amun (with a conditional GRU, which is what they
/// are by default), with the settings that stand in it. `source`: model.npz,
/// model.bin or the folder of a package (see FindMarianFiles). The result
/// scores and writes as Marian does, but for what the notes say. Throws:
/// IoError; FormatError that names the file and the option, tensor or token
/// that Heed does not understand (see MarianModelOptions for the options that
/// are known).
Imported ImportMarian(const std::string& source,
                      const ImportRequest& request = {});

/// Reads a folder of Hugging Face's Transformers with config.json,
/// model.safetensors and the tokenizer's files: a MarianMT model into task
/// translate, a BERT with a head for token or sequence classification into task
/// tag or classify, any other BERT into task pretrain. What a BERT has not
/// (heads of pre-training) starts fresh, and a note says so. Pickles
/// (pytorch_model.bin) are never read. Throws: IoError; FormatError that names
/// the file and the setting, tensor or token that Heed does not understand.
Imported ImportHuggingFace(const std::string& folder,
                           const ImportRequest& request = {});

/// Throws: ConfigError if `out` is the folder `source`.
void CheckOutIsOther(const std::string& source, const std::string& out);

/// Writes the model folder that ReadModel reads. Throws: IoError; ConfigError
/// if a model stands there and is not to be overwritten.
void WriteImported(const std::string& folder, bool overwrite, Imported& model);

/// Reads a model folder and writes config.json, model.safetensors and the
/// tokenizer's files: of a Transformer for task translate as MarianMTModel and
/// MarianTokenizer, of a BERT for task pretrain as BertForPreTraining and
/// BertTokenizer. Gives what the user should know. Throws: as ReadModel;
/// ConfigError that names a setting that they have not, or if a model stands in
/// `out` and is not to be overwritten; IoError.
Notes ExportHuggingFace(const std::string& folder, const std::string& out,
                        bool overwrite);

}  // namespace heed

#endif  // HEED_CONVERT_CONVERT_H_
