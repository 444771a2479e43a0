#include "heed/tasks/autocomplete.h"
#include "heed/tasks/classify.h"
#include "heed/tasks/forecast.h"
#include "heed/tasks/language.h"
#include "heed/tasks/pretrain.h"
#include "heed/tasks/retrieve.h"
#include "heed/tasks/slots.h"
#include "heed/tasks/tag.h"
#include "heed/tasks/task.h"
#include "heed/tasks/translation.h"

namespace heed {

const std::vector<TaskInfo>& Tasks() {
  static const std::vector<TaskInfo> tasks = {
      {"translate", "from one text to another, line by line",
       [] { return std::make_unique<TranslationTask>(); }},
      {"classify", "labels of texts and of pairs of texts",
       [] { return std::make_unique<ClassifyTask>(); }},
      {"tag", "a tag for each word: parts of speech, names, slots",
       [] { return std::make_unique<TagTask>(); }},
      {"slots", "a slot for each word and the intent of the sentence",
       [] { return std::make_unique<SlotsTask>(); }},
      {"lm", "predict, continue and complete plain text",
       [] { return std::make_unique<LanguageTask>(); }},
      {"autocomplete", "the word that is being typed, after each character",
       [] { return std::make_unique<AutocompleteTask>(); }},
      {"forecast", "forecasts of time series, compared with naive ones",
       [] { return std::make_unique<ForecastTask>(); }},
      {"retrieve", "texts that answer a query, compared with BM25",
       [] { return std::make_unique<RetrievalTask>(); }},
      {"pretrain",
       "masked language model and next sentence prediction, as BERT",
       [] { return std::make_unique<PretrainTask>(); }},
  };
  return tasks;
}

}  // namespace heed
