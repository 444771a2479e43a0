// Texts to find, queries to find them with, and which of them answer which.
#ifndef HEED_DATA_RETRIEVAL_H_
#define HEED_DATA_RETRIEVAL_H_

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "heed/base/at.h"

namespace heed {

/// Texts with names.
class TextCollection {
 public:
  /// False, and nothing is added, if the id is there already.
  bool Add(std::string id, std::string text);

  int64_t size() const { return static_cast<int64_t>(ids_.size()); }
  const std::string& Id(int64_t i) const { return At(ids_, i); }
  const std::vector<std::string>& texts() const { return texts_; }
  /// The place of the text, or −1.
  int64_t Find(const std::string& id) const;

 private:
  std::vector<std::string> ids_;
  std::vector<std::string> texts_;
  std::unordered_map<std::string, int64_t> places_;
};

/// Files, which add up, of lines of id, tab, text, plain or gzip (or tables,
/// see TableFormOf, with columns id and text, of pairs query and text, of lists
/// query, relevant and candidates); further
/// columns (a body behind a title) are part of the text, behind a space.
/// Throws: FormatError that names file and line of one without a tab or an id,
/// and of an id that comes twice; and as ReadLines.
TextCollection ReadTexts(const std::vector<std::string>& paths);

/// What answers one query. All are places in their collections.
struct RetrievalQuery {
  int64_t query = 0;
  std::vector<int64_t> positives;
  /// What is to be ranked, positives among it; empty: all texts.
  std::vector<int64_t> candidates;
};

/// Lines of query id, tab, text id and perhaps tab, 0 or 1. With that third
/// column (on all lines, or on none) the texts of a query's lines are its
/// candidates. One query for each id, in the order of their first lines.
/// Throws: FormatError that names file and line of an id that is not in its
/// collection, of another third column, and of a pair that is said to be both
/// 0 and 1; and as ReadLines.
std::vector<RetrievalQuery> ReadRelevantPairs(
    const std::vector<std::string>& paths, const TextCollection& queries,
    const TextCollection& corpus);

/// Lines of query id, tab, ids of the relevant texts, tab, ids of candidates
/// and perhaps tab, scores of a search engine (left out), as in the AskUbuntu
/// set; ids stand between spaces. There may be no relevant ones; those that are
/// not among the candidates come behind them.
/// Throws: FormatError that names file and line of an id that is not in its
/// collection, of a query that comes twice, of one without candidates and of
/// another number of columns; and as ReadLines.
/// Format: github.com/taolei87/askubuntu (Lei et al. 2016, arXiv:1512.05726).
std::vector<RetrievalQuery> ReadCandidateLists(
    const std::vector<std::string>& paths, const TextCollection& queries,
    const TextCollection& corpus);

/// Lines of question, tab, 0 or 1, tab, text, or tables with these columns
/// (question, label, text): texts that a question chooses from, of which those
/// with 1 answer it. Both are added to their collections, as q1, q2, ... and as
/// q1.1, q1.2, ... One query for each question, in the order of their first
/// lines.
/// Throws: FormatError that names file and line of another number of columns,
/// of an empty question or text, and of a label that is neither 0 nor 1; and as
/// ReadLines.
/// Format: Yao et al. 2013's form of TREC-QA (Wang et al. 2007, D07-1003).
std::vector<RetrievalQuery> ReadAnswers(const std::vector<std::string>& paths,
                                        TextCollection& questions,
                                        TextCollection& texts);

}  // namespace heed

#endif  // HEED_DATA_RETRIEVAL_H_
