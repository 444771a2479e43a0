// Import of other programs' models into Heed's folders, and export.
#ifndef HEED_CONVERT_CONVERT_H_
#define HEED_CONVERT_CONVERT_H_

#include <memory>
#include <set>
#include <string>
#include <vector>

#include "heed/convert/mapped_vocabulary.h"
#include "heed/convert/source_weights.h"
#include "heed/data/shortlist.h"
#include "heed/tasks/task.h"

namespace heed {

struct Imported {
  std::unique_ptr<TaskSettings> settings;
  std::unique_ptr<TaskModel> model;   // with weights
  Notes notes;                        // messages for the user
  std::string program;                // source program, such as "Marian"
  std::string family = {};            // family of models: "gpt2"
  std::string licence = {};           // its licence file; "": there is none
  std::set<std::string> dtypes = {};  // of the source's matrices: "F32"
  std::shared_ptr<const Shortlist> shortlist = {};  // null: none
};

/// Options of heed import.
struct ImportRequest {
  /// Marian: vocabularies of source and target, or one for both. Empty: those
  /// in the decoder's configuration.
  std::vector<std::string> vocabularies = {};
  /// Marian: SentencePiece models of source and target, or one for both, whose
  /// pieces are in the vocabularies. Empty: source.spm and target.spm beside
  /// the model. {"none"}: texts are already split into pieces.
  std::vector<std::string> subwords = {};
  /// Options of the model's configuration to ignore.
  std::vector<std::string> ignored = {};
  /// BERT and its kin: import without its head, for pre-training and
  /// fine-tuning.
  bool encoder_only = false;
  /// BERT and its kin for sequence classification: inputs are pairs of texts.
  bool pairs = false;
  WeightStorage storage = {};
};

/// Imports `source`: a Marian model (see ImportMarian) or a folder of Hugging
/// Face (see ImportHuggingFace). Throws: IoError, FormatError, ConfigError.
Imported Import(const std::string& source, const ImportRequest& request = {});

/// Imports a model of Marian (Junczys-Dowmunt et al. 2018, arXiv:1804.00344) of
/// type transformer, s2s or amun (the latter two with their default, a
/// conditional GRU), with the settings stored in it; also the students of
/// browsermt and Firefox, whose int8 bytes stay. `source`: model.npz, model.bin
/// or the folder of a package (see FindMarianFiles). The result
/// computes Marian's scores and translations, except for differences in the
/// notes. Throws: IoError; FormatError with the file and the unsupported
/// option, tensor or token (see MarianModelOptions for known options).
Imported ImportMarian(const std::string& source,
                      const ImportRequest& request = {});

/// Imports a folder of Hugging Face Transformers with config.json,
/// model.safetensors and tokenizer files. MarianMT becomes a model for task
/// translate; GPT-2 and OPT for task lm; BERT and its kin with a head for token
/// or sequence classification for task tag or classify; any other of them for
/// task pretrain; a folder of sentence-transformers for task retrieve. Missing
/// pre-training heads are initialised randomly, with a note. Pickles
/// (pytorch_model.bin) are never read. Throws: IoError; FormatError with the
/// file and the unsupported setting, tensor or token.
Imported ImportHuggingFace(const std::string& folder,
                           const ImportRequest& request = {});

/// Folders of models in `source` that are imported one by one; empty if
/// `source` itself is a model.
std::vector<std::string> FoldersToImport(const std::string& source);

/// Throws: ConfigError if `out` is the folder `source`.
void CheckOutIsOther(const std::string& source, const std::string& out);

/// Writes a model folder for ReadModel. Throws: IoError; ConfigError if the
/// folder holds a model and `overwrite` is false.
void WriteImported(const std::string& folder, bool overwrite, Imported& model);
/// Imports `source` into a model folder. Weights of Hugging Face are written
/// one by one: the model that is returned has only their shapes. Throws: as
/// Import and WriteImported.
Imported ImportInto(const std::string& folder, bool overwrite,
                    const std::string& source, ImportRequest request);

/// Options of an export for Firefox's engine.
struct BergamotRequest {
  /// Source text, one sentence in each line, from which multipliers of
  /// activations are measured; "": those of an imported model.
  std::string calibration = {};
  std::string source_language = {};  ///< "": that of the model
  std::string target_language = {};
  bool overwrite = false;
};

/// Reads a student (decoder_recurrence ssru) and writes the files of a release
/// for Firefox and translateLocally, which Import() reads, too. Returns
/// messages for the user. Throws: as ReadModel; IoError; ConfigError with a
/// setting that has no equivalent, without multipliers or languages, or if
/// `out` holds a model that may not be replaced.
Notes ExportBergamot(const std::string& folder, const std::string& out,
                     const BergamotRequest& request);

/// Reads a model folder and writes config.json, model.safetensors and tokenizer
/// files. A Transformer for task translate becomes MarianMTModel with
/// MarianTokenizer; a BERT for task pretrain becomes BertForPreTraining, or
/// BertForMaskedLM without next sentences, with BertTokenizer. Returns messages
/// for the user. Throws: as ReadModel; IoError; ConfigError with a setting that
/// has no equivalent, or if `out` holds a model and `overwrite` is false.
Notes ExportHuggingFace(const std::string& folder, const std::string& out,
                        bool overwrite);

}  // namespace heed

#endif  // HEED_CONVERT_CONVERT_H_
