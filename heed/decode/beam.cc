#include "heed/decode/beam.h"

#include <algorithm>
#include <tuple>

#include "heed/decode/generation.h"

namespace heed {
namespace {

// Number of top scores per row. Padding, <s>, suppressed tokens and, for a
// fixed length, end tokens may be among them but are skipped.
int ScoresWanted(const DecodeOptions& options) {
  return options.beam + 3 + static_cast<int>(options.suppressed_ids.size()) +
         static_cast<int>(options.special.other_ends.size());
}

bool Better(const Continuation& a, const Continuation& b) {
  return std::tuple(-a.log_probability, a.parent, a.token) <
         std::tuple(-b.log_probability, b.parent, b.token);
}

class Beam : public Generation {
 public:
  Beam(const Decoder& model, const Inputs& inputs, const DecodeOptions& options,
       const OutputLists& outputs, const SearchHooks& hooks)
      : Generation(model, inputs, options, outputs, hooks, 1,
                   ScoresWanted(options)) {}

 private:
  std::vector<Continuation> Choose(const Sentence& sentence) override {
    const auto& [values, columns, log_sums, first] = top_k();
    std::vector<Continuation> all;
    for (size_t parent = 0; parent < sentence.live.size(); ++parent) {
      const Partial& partial = sentence.live[parent];
      const float* scores = values.row<float>(partial.row);
      const int32_t* column = columns.row<int32_t>(partial.row);
      for (int64_t i = 0; i < values.cols(); ++i) {
        const int32_t token = TokenOf(column[i]);
        if (!MayFollow(token) || IsUnlisted(scores[i])) continue;
        all.push_back(
            {parent, token,
             partial.log_probability + LogProbability(partial.row, scores[i])});
      }
    }
    const size_t kept =
        std::min(all.size(), static_cast<size_t>(options().beam));
    std::partial_sort(all.begin(), all.begin() + static_cast<long>(kept),
                      all.end(), Better);
    all.resize(kept);
    return all;
  }
};

}  // namespace

std::vector<std::vector<Hypothesis>> BeamSearch(const Decoder& model,
                                                const Inputs& inputs,
                                                const DecodeOptions& options,
                                                const OutputLists& outputs,
                                                const SearchHooks& hooks) {
  return Beam(model, inputs, options, outputs, hooks).Run();
}

}  // namespace heed
