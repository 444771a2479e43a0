// List of all parts of the algebra, for the command and for tests that cover
// every part.
#ifndef HEED_ATTENTION_CATALOGUE_H_
#define HEED_ATTENTION_CATALOGUE_H_

#include <string>
#include <vector>

namespace heed {

struct CataloguePart {
  std::string kind;  // score, modifier, mask or normalizer
  std::string name;
  std::string usage;  // with its arguments: "window(before = 8, after = -1)"
  std::string formula;
  /// "fused": a fused kernel computes it, also in training; "fused, trains
  /// composed"; "composed": single ops. An attention is fused if all its parts
  /// are.
  std::string runs;
  std::string source;
};

const std::vector<CataloguePart>& AttentionCatalogue();

}  // namespace heed

#endif  // HEED_ATTENTION_CATALOGUE_H_
