// Configuration of attention-sum readers.
#ifndef HEED_MODELS_ATTENTION_SUM_ATTENTION_SUM_CONFIG_H_
#define HEED_MODELS_ATTENTION_SUM_ATTENTION_SUM_CONFIG_H_

#include <array>

#include "heed/models/settings.h"
#include "heed/nn/recurrent.h"

namespace heed {

/// Query of the attention to a passage.
enum class PassageQuery : uint8_t { kQuestion, kBlind };
constexpr auto WordsOf(PassageQuery) { return std::array{"question", "blind"}; }

/// Resolved configuration of an AttentionSum.
struct ResolvedAttentionSum {
  int64_t embedding = 0;
  EncoderOptions reader;  // of passages and questions, without its inputs
  int64_t hops = 1;
  bool rereads = false;
  PassageQuery query = PassageQuery::kQuestion;
  double dropout = 0;
  bool variational = false;
  Init matrix_init;
};

/// User-facing configuration of an AttentionSum.
struct AttentionSumConfig : RecurrentNumbers {
  int embedding = 64;
  Named<Cell> cell = Cell::kGru;
  int units = 64;
  int hops = 1;
  Named<YesNo> reread = YesNo::kYes;
  Named<PassageQuery> query = PassageQuery::kQuestion;

  void Visit(FieldList& v);
  ResolvedAttentionSum Resolve() const;
};

}  // namespace heed

#endif  // HEED_MODELS_ATTENTION_SUM_ATTENTION_SUM_CONFIG_H_
