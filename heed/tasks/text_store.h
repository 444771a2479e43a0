// Training text that is larger than memory, as token files in a folder.
#ifndef HEED_TASKS_TEXT_STORE_H_
#define HEED_TASKS_TEXT_STORE_H_

#include <cstdint>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "heed/base/config.h"
#include "heed/data/corpus.h"
#include "heed/data/row_reader.h"
#include "heed/data/token_files.h"
#include "heed/train/model_folder.h"

namespace heed {

/// Options of a text that is larger than memory or has several sources.
struct LargeTextConfig {
  std::string token_files;
  int64_t shuffle_window = 1000000;
  int vocabulary_sample = 200000;
  std::vector<std::string> mix;

  /// `examples`: name of an example in the help, "pairs"; `files`: the option
  /// that names the text files.
  void Visit(FieldList& v, const std::string& examples,
             const std::string& files);
  bool stored() const { return !token_files.empty(); }
  /// Mixing weights of the files, or none. Throws: ConfigError unless there is
  /// one weight per file.
  std::vector<double> Weights(size_t files) const;
};

/// Rows of texts, column by column.
using TextColumns = std::vector<std::vector<std::string>>;

/// On-disk cache of a text, so that it is read only once: a sample of its rows,
/// checksums, vocabularies and tokens. Several processes can use a folder at
/// the same time and share the work. Files that a killed process completed are
/// used again.
///
///   FOLDER/text.json             files, rows, sums; FOLDER/sample-COLUMN.txt
///   FOLDER/NAME-SUM/             cached files, see Kept()
///   FOLDER/tokens-SUM/made.json  key: sums, vocabularies, options
///   FOLDER/tokens-SUM/00000.tokens ...   see SerializeTokens
///   FOLDER/tokens-SUM/files.json         number of files, once complete
class TextStore {
 public:
  /// Reads the files, whose rows have `columns` columns, unless the folder
  /// already has them (equal paths, sizes and times). `change` edits each text
  /// first (such as lower-casing). `quiet`: no progress is shown. Throws:
  /// ConfigError, IoError, FormatError.
  TextStore(const LargeTextConfig& config, std::vector<RowFile> files,
            int columns, bool quiet,
            std::function<void(std::string&)> change = {});

  /// Rows to learn vocabularies from: all in order, or a random sample.
  const TextColumns& sample() const { return sample_; }
  /// ComputeChecksum of the columns, one after the other.
  std::string Checksum() const;
  int64_t rows() const;
  int64_t corpora() const { return std::ssize(files_); }

  /// Returns the cached result of `make`, which runs once for this name, text
  /// and `made_of`. `made_of` holds everything else that the result depends on.
  ModelFiles Kept(const std::string& name,
                  const nlohmann::ordered_json& made_of,
                  const std::function<ModelFiles()>& make) const;

  /// The tokens of all rows. `encode` encodes some rows and is called from
  /// several threads at the same time. `info` has the sizes of the
  /// vocabularies, and `made_of` everything besides the text that the tokens
  /// depend on. Throws: as `encode`; IoError, FormatError.
  TokenFiles Tokens(
      const nlohmann::ordered_json& made_of, TokenFileInfo info,
      const std::function<Corpus(const TextColumns&)>& encode) const;

 private:
  nlohmann::ordered_json Key() const;
  bool ReadKnown();
  void ReadFiles();
  void EncodeChunks(const std::string& folder, const TokenFileInfo& info,
                    const std::function<Corpus(const TextColumns&)>& encode,
                    std::vector<std::string>& paths) const;

  std::string folder_;
  int max_sampled_;
  std::vector<RowFile> files_;
  size_t columns_;
  bool quiet_;
  std::function<void(std::string&)> change_;
  TextColumns sample_;
  std::vector<uint32_t> sums_;    // of the columns
  std::vector<int64_t> rows_of_;  // of the files
};

}  // namespace heed

#endif  // HEED_TASKS_TEXT_STORE_H_
