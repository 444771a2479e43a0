// Training text that is larger than memory: tokens in files of a folder.
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

/// Options of text that is larger than memory, or of several sources.
struct LargeTextConfig {
  std::string token_files;
  int64_t shuffle_window = 1000000;
  int vocabulary_sample = 200000;
  std::vector<std::string> mix;

  /// `examples`: what is counted, "pairs"; `files`: the option that names them.
  void Visit(FieldList& v, const std::string& examples,
             const std::string& files);
  bool stored() const { return !token_files.empty(); }
  /// Weights of so many files, or none. Throws: ConfigError unless there is a
  /// number for each.
  std::vector<double> Weights(size_t files) const;
};

/// Rows of texts, column by column.
using TextColumns = std::vector<std::vector<std::string>>;

/// What is kept of a text in a folder, so that it is read once: a sample of its
/// rows, sums, vocabularies, and its tokens. Several processes may use a folder
/// at the same time and then share the work; what one that was killed has made
/// is used again.
///
///   FOLDER/text.json             files, rows, sums; FOLDER/sample-COLUMN.txt
///   FOLDER/NAME-SUM/             what costs time to make, see Kept()
///   FOLDER/tokens-SUM/made.json  of what: sums, vocabularies, options
///   FOLDER/tokens-SUM/00000.tokens ...   see SerializeTokens
///   FOLDER/tokens-SUM/files.json         how many, once there are all
class TextStore {
 public:
  /// Reads the files, of rows of so many columns, unless the folder knows them:
  /// their paths, sizes and times. `change` is called with each text first
  /// (lower case). `quiet`: no progress is shown. Throws: ConfigError, IoError,
  /// FormatError.
  TextStore(const LargeTextConfig& config, std::vector<RowFile> files,
            int columns, bool quiet,
            std::function<void(std::string&)> change = {});

  /// Rows for vocabularies: all in their order, or a random sample of them.
  const TextColumns& sample() const { return sample_; }
  /// CheckSumOf of the columns, one after the other.
  std::string CheckSum() const;
  int64_t rows() const;
  int64_t corpora() const { return std::ssize(files_); }

  /// What `make` gives, made once for this name, text and `made_of`: all else
  /// that it depends on.
  ModelFiles Kept(const std::string& name,
                  const nlohmann::ordered_json& made_of,
                  const std::function<ModelFiles()>& make) const;

  /// The tokens of all rows. `encode` makes them of some rows, on several
  /// threads at the same time; `info` has the
  /// sizes of the vocabularies, and `made_of` all that the tokens depend on but
  /// the text. Throws: as `encode`; IoError, FormatError.
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
  int most_sampled_;
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
