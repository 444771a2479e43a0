// Trains a small model with attention to write digits in reverse, and
// translates with it: the whole of Heed's library in one page.
#include <algorithm>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <string>
#include <vector>

#include "heed/base/rng.h"
#include "heed/decode/translator.h"
#include "heed/models/recurrent/recurrent_config.h"
#include "heed/render/heatmap_terminal.h"
#include "heed/tasks/translate/translation.h"

namespace {

// Pairs such as "4 0 7" and "7 0 4".
heed::ParallelText MakePairs(int count, uint64_t seed) {
  heed::Rng rng(seed);
  heed::ParallelText text;
  for (int i = 0; i < count; ++i) {
    std::string digits;
    const uint64_t length = 3 + rng.Below(6);
    for (uint64_t k = 0; k < length; ++k) {
      digits += k > 0 ? " " : "";
      digits += static_cast<char>('0' + rng.Below(10));
    }
    text.source.push_back(digits);
    text.target.emplace_back(digits.rbegin(), digits.rend());
  }
  return text;
}

int Run() {
  heed::translate::Config config;
  config.data.vocabulary = "words";
  config.model.As<heed::RecurrentConfig>().embedding = 32;
  config.model.As<heed::RecurrentConfig>().units = 64;
  config.optimizer.learning_rate = 5e-3;
  config.optimizer.label_smoothing = 0;
  config.data.batch_sentences = 50;
  config.run.epochs = 8;
  config.run.out =
      (std::filesystem::temp_directory_path() / "heed-reverse").string();
  config.run.overwrite = true;
  heed::translate::TrainTranslation(config,
                                    {MakePairs(4000, 1), MakePairs(200, 2)});

  const heed::translate::Model model =
      heed::translate::ReadTranslationModel(config.run.out);
  const heed::translate::EvaluationResult result =
      heed::translate::Evaluate(model, MakePairs(200, 3), {});
  std::printf("exact match: %.1f %%, BLEU %.2f\n", result.exact_match,
              result.bleu);

  heed::DecodeOptions options;
  options.keep_attention = true;
  const heed::Translator translator(*model.model, model.vocabularies.source,
                                    model.vocabularies.target, false, options);
  const std::vector<std::string> lines = {"1 9 8 4 2 0"};
  const heed::Translation best = translator.Translate(lines)[0][0];
  std::printf("%s -> %s\n%s", lines[0].c_str(), best.text.c_str(),
              heed::TerminalHeatmap(
                  {best.source_pieces, best.target_pieces, best.attention, ""},
                  heed::DetectTerminal())
                  .c_str());
  return result.exact_match > 90 ? 0 : 1;
}

}  // namespace

int main() {
  try {
    return Run();
  } catch (const std::exception& error) {
    std::fprintf(stderr, "reverse: %s\n", error.what());
    return 1;
  }
}
