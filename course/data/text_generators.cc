// Generators of texts and tables.
#include <string>
#include <vector>

#include "course/data/compressions.h"
#include "course/data/dates.h"
#include "course/data/generators.h"
#include "course/data/paraphrases.h"
#include "course/data/patients.h"
#include "course/data/planted_reviews.h"
#include "course/data/stories.h"

namespace heed {
namespace {

/// Writes one file per part.
void WriteParts(const Generator& made, const WriteFunction& write,
                const char* ending,
                const std::function<std::string(const DataPart&)>& text_of) {
  for (const DataPart& part : made.Parts()) {
    write(part.name + ending, text_of(part));
  }
}

/// Returns a writer of parallel text as two-column tables. `make` returns the
/// task for the sizes of its parts and a seed.
template <typename Make>
auto PairWriter(Make make) {
  return [make](const Generator& made, const WriteFunction& write) {
    const auto task = make(static_cast<int>(made.sizes.train),
                           static_cast<int>(made.sizes.valid),
                           static_cast<int>(made.sizes.test), made.seed);
    const ParallelText* parts[] = {&task.train, &task.valid, &task.test};
    WriteParts(made, write, ".tsv", [&](const DataPart& part) {
      const ParallelText& text = *parts[part.number];
      std::string lines;
      for (size_t i = 0; i < text.source.size(); ++i) {
        lines += text.source[i] + '\t' + text.target[i] + '\n';
      }
      return lines;
    });
  };
}

}  // namespace

Generator DateData() {
  return {"dates",
          "dates in many human formats, and as YYYY-MM-DD",
          "dates",
          "translate",
          "tsv={}/train.tsv valid_tsv={}/valid.tsv vocabulary=characters "
          "lowercase=true",
          "tsv={}/test.tsv",
          {20000, 500, 2000},
          PairWriter(MakeDateTask)};
}

Generator CompressionData(const std::shared_ptr<bool>& names) {
  return {"compressions",
          "long sentences, and three-word summaries of who did what",
          "sentences",
          "translate",
          "tsv={}/train.tsv valid_tsv={}/valid.tsv vocabulary=words "
          "metric=rouge_l",
          "tsv={}/test.tsv rouge=true lead_words=8",
          {8000, 300, 1000},
          PairWriter([names](int train, int valid, int test, uint64_t seed) {
            return MakeCompressionTask(train, valid, test, seed, *names);
          }),
          [names](FieldList& v) {
            v("names", *names,
              "people have made-up names, other ones in each part");
          }};
}

Generator StoryData() {
  return {"stories",
          "sentences for autocompletion, whose end depends on their start",
          "stories",
          "autocomplete",
          "texts={}/train.txt valid_texts={}/valid.txt",
          "texts={}/test.txt",
          {8000, 150, 500},
          [](const Generator& made, const WriteFunction& write) {
            WriteParts(made, write, ".txt", [&](const DataPart& part) {
              std::string lines;
              for (const std::string& story : MakeStories(
                       static_cast<int>(part.count), made.seed + part.number)) {
                lines += story + '\n';
              }
              return lines;
            });
          }};
}

Generator FactData(std::shared_ptr<FactOptions> how) {
  return {"facts",
          "stories about people, places and things, with questions",
          "stories",
          "read",
          "passages={}/train.jsonl valid_passages={}/valid.jsonl",
          "passages={}/test.jsonl",
          {6000, 1000, 1000},
          [how](const Generator& made, const WriteFunction& write) {
            WriteParts(made, write, ".jsonl", [&](const DataPart& part) {
              return FactFile(*how, made.seed, part.first, part.count);
            });
          },
          [how](FieldList& v) {
            v("facts", how->facts, Range(1, 3),
              "sentences needed to answer a question");
          }};
}

Generator DocumentData(std::shared_ptr<PlantedOptions> how) {
  return {"documents",
          "documents of praise or blame; one word decides the label",
          "documents",
          "classify",
          "format=docs texts={}/train.txt valid_texts={}/valid.txt",
          "texts={}/test.txt",
          {2000, 300, 300},
          [how](const Generator& made, const WriteFunction& write) {
            WriteParts(made, write, ".txt", [&](const DataPart& part) {
              return PlantedFile(*how, made.seed,
                                 static_cast<int64_t>(part.far_first()),
                                 part.count);
            });
          },
          [how](FieldList& v) {
            v("sentences", how->sentences, Range(3, 10000),
              "maximum number of sentences of a document");
            v("words", how->words, Range(3, 10000),
              "maximum number of words of a sentence");
          }};
}

Generator QuestionData() {
  const auto remarks = std::make_shared<int>(4);
  return {"questions",
          "questions with twenty texts each, one of which is a paraphrase; a "
          "tenth for validation and a tenth for the test",
          "questions",
          "retrieve",
          "answers={}/train.tsv valid_answers={}/valid.tsv",
          "answers={}/test.tsv",
          {1000, 0, 0},
          [remarks](const Generator& made, const WriteFunction& write) {
            const ParaphraseTask task = MakeParaphrases(
                static_cast<int>(made.sizes.train), made.seed, *remarks);
            write("train.tsv", AnswerLines(task, task.train));
            write("valid.tsv", AnswerLines(task, task.valid));
            write("test.tsv", AnswerLines(task, task.test));
          },
          [remarks](FieldList& v) {
            v("remarks", *remarks, Range(0, 100),
              "further sentences of a text, around what it asks");
          }};
}

Generator ReviewData() {
  return {"reviews",
          "reviews, one of which decides how a user rates an item",
          "users",
          "ratings",
          "reviews={}/train.tsv valid_reviews={}/valid.tsv "
          "columns=user,item,rating,review,time,decides",
          "reviews={}/test.tsv columns=user,item,rating,review,time,decides",
          {500, 2000, 2000},
          [](const Generator& made, const WriteFunction& write) {
            PlantedReviewOptions how;
            how.users = made.sizes.train;
            const PlantedReviews world(how, made.seed);
            WriteParts(made, write, ".tsv", [&](const DataPart& part) {
              std::string lines = "user\titem\trating\treview\ttime\tdecides\n";
              for (const Review& review :
                   part.number == 0
                       ? world.reviews()
                       : world.OtherPairs(part.count, part.number)) {
                lines += ReviewLine(review) + '\n';
              }
              return lines;
            });
          }};
}

Generator PatientData() {
  const auto how = std::make_shared<PatientOptions>();
  return {
      "patients",
      "patients with visits, and the known effect of each code of each visit",
      "patients",
      "visits",
      "patients={}/train.jsonl valid_patients={}/valid.jsonl",
      "patients={}/test.jsonl",
      {10000, 2000, 2000},
      [how](const Generator& made, const WriteFunction& write) {
        const PatientWorld world(*how, made.seed);
        WriteParts(made, write, ".jsonl", [&](const DataPart& part) {
          std::string lines;
          for (const VisitRecord& record :
               world.Make(part.count, part.far_first()).records) {
            lines += VisitLine(record) + '\n';
          }
          return lines;
        });
      },
      [how](FieldList& v) {
        v("decay", how->decay, Range(0.1, 1000),
          "visits after which the effect of a code falls to 1/e");
      }};
}

std::vector<Generator> AllGenerators() {
  return {DateData(),     CompressionData(), StoryData(),  FactData(),
          DocumentData(), QuestionData(),    ReviewData(), PatientData(),
          GraphData(),    DigitData(),       SceneData(),  SpriteData(),
          VoiceData()};
}

}  // namespace heed
