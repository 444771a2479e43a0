// Data for retrieval: texts, queries and relevance judgements.
#ifndef HEED_DATA_RETRIEVAL_H_
#define HEED_DATA_RETRIEVAL_H_

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "heed/base/at.h"

namespace heed {

/// A collection of texts with ids.
class TextCollection {
 public:
  /// Adds a text. Returns false, and adds nothing, if the id exists.
  bool Add(std::string id, std::string text);

  int64_t size() const { return static_cast<int64_t>(ids_.size()); }
  const std::string& Id(int64_t i) const { return At(ids_, i); }
  const std::vector<std::string>& texts() const { return texts_; }
  /// Index of the text with this id, or −1.
  int64_t Find(const std::string& id) const;

 private:
  std::vector<std::string> ids_;
  std::vector<std::string> texts_;
  std::unordered_map<std::string, int64_t> places_;
};

/// Reads files (plain or gzip) with lines of id, tab, text. Further columns,
/// such as a body after a title, are appended with a space. Tables (see
/// TableFormOf) have the columns id and text. Several files are concatenated.
/// Throws: FormatError with file and line, for a missing tab or id or a
/// duplicate id; as ReadLines.
TextCollection ReadTexts(const std::vector<std::string>& paths);

/// A query with relevant texts. All numbers are indices in their collections.
struct RetrievalQuery {
  int64_t query = 0;
  std::vector<int64_t> positives;
  /// Texts to rank, including the positives; empty: all texts.
  std::vector<int64_t> candidates;
};

/// Reads lines of query id, tab, text id, and optionally tab, 0 or 1. With the
/// third column (on all lines or on none), the texts of a query are its
/// candidates. Returns one query per id, in order of first lines. Throws:
/// FormatError with file and line, for an id that is not in its collection,
/// another third column, or a pair labelled both 0 and 1; as ReadLines.
std::vector<RetrievalQuery> ReadRelevantPairs(
    const std::vector<std::string>& paths, const TextCollection& queries,
    const TextCollection& corpus);

/// Reads lines of query id, tab, ids of relevant texts, tab, ids of candidates,
/// and optionally tab, scores of a search engine (ignored), as in the AskUbuntu
/// data. Ids are separated by spaces. There may be no relevant texts; relevant
/// texts that are not candidates are appended to the candidates. Throws:
/// FormatError with file and line, for an id that is not in its collection, a
/// duplicate query, a query without candidates, or another number of columns;
/// as ReadLines. Format: github.com/taolei87/askubuntu (Lei et al. 2016,
/// arXiv:1512.05726).
std::vector<RetrievalQuery> ReadCandidateLists(
    const std::vector<std::string>& paths, const TextCollection& queries,
    const TextCollection& corpus);

/// Reads lines of question, tab, 0 or 1, tab, text, or tables with the columns
/// question, label and text. A question's texts are its candidates; those with
/// 1 are answers. Questions and texts are added to their collections, with ids
/// q1, q2, ... and q1.1, q1.2, ... Returns one query per question, in order of
/// first lines. Throws: FormatError with file and line, for another number of
/// columns, an empty question or text, or a label other than 0 and 1; as
/// ReadLines. Format: Yao et al. 2013's form of TREC-QA (Wang et al. 2007,
/// D07-1003).
std::vector<RetrievalQuery> ReadAnswers(const std::vector<std::string>& paths,
                                        TextCollection& questions,
                                        TextCollection& texts);

}  // namespace heed

#endif  // HEED_DATA_RETRIEVAL_H_
