// heed demo images: digits that are made up, read as a whole and by looks.
#include <fmt/format.h>

#include <filesystem>
#include <string>
#include <vector>

#include "demos/demos.h"
#include "demos/explained_file.h"
#include "demos/trained_in_memory.h"
#include "heed/base/threads.h"
#include "heed/data/drawn_digits.h"
#include "heed/io/file.h"
#include "heed/metrics/classification.h"
#include "heed/tasks/images/images.h"

namespace heed {
namespace {

constexpr int64_t kValidDigits = 500;
constexpr int64_t kTestDigits = 1000;

struct ImagesDemoOptions {
  std::string out = "heed-demo-images";
  int images = 6000;
  int epochs = 8;
  uint64_t seed = 1;
  int threads = 0;

  void Visit(FieldList& v) {
    v("out", out, Any{"DIR"}, "folder for some digits and the pictures");
    v("images", images, Range(100, 1e6), "digits that are learned from");
    v("epochs", epochs, Range(1, 1000), "passes over them");
    v("seed", seed, "random seed of the digits and the weights");
    v("threads", threads, Range(0, 1024), "threads; 0: one per core");
  }
};

}  // namespace

int RunDemoImages(const Arguments& arguments) {
  ImagesDemoOptions demo;
  Options options(
      "demo images",
      "Makes up digits and teaches every classifier of images to read them: as "
      "a whole, or by a few looks at parts of them. Draws what is attended to, "
      "and where a model looks (about a minute).");
  demo.Visit(options.fields());
  options.Example("heed demo images");
  options.Example("heed demo images --images 20000 --epochs 20");
  if (!options.Parse(arguments)) return 0;
  const ThreadLimit limit(demo.threads);
  const int64_t all = demo.images + kValidDigits + kTestDigits;
  const ImageSet digits = DrawDigits({.images = all, .seed = demo.seed});
  images::Data data;
  data.train = digits.Slice(0, demo.images);
  data.valid = digits.Slice(demo.images, demo.images + kValidDigits);
  const ImageSet test = digits.Slice(demo.images + kValidDigits, all);
  fmt::print(
      "{} digits of 28 x 28 pixels teach, {} choose the weights, {} are "
      "tested.\n\n",
      demo.images, kValidDigits, kTestDigits);
  std::filesystem::create_directories(demo.out);
  const std::string png = EncodePng(test.At(0));
  for (int64_t i = 0; i < 10; ++i) {
    WriteFileAtomically(PathIn(demo.out, fmt::format("digit-{}.png", i)),
                        EncodePng(test.At(i)));
  }
  const std::vector<std::string> names = ModelNames<ImageSettings>();
  std::vector<LoadedModel> trained;
  for (const std::string& name : names) {
    trained.push_back(TrainedInMemory<images::Settings>(
        name, data, demo.epochs, /*patience=*/0, demo.seed));
    const auto& model =
        dynamic_cast<const images::Model&>(*trained.back().model);
    fmt::print("{:<10} {:5.1f} % of the test digits are right  ({})\n", name,
               100 * ScoreClasses(AnswersOf(model, test).chosen, test.labels,
                                  std::ssize(test.classes))
                         .accuracy,
               FindModel(name).variants.front().description);
    std::fflush(stdout);
  }
  std::string pictures;
  for (size_t i = 0; i < names.size(); ++i) {
    fmt::print("\n{}", names[i]);
    const std::string path = ShowExplained(
        trained[i], {"digit.png", kImageTypes[0], png}, demo.out, names[i]);
    pictures += (pictures.empty() ? "" : ", ") + path;
  }
  fmt::print(
      "\nThe pictures: {0}\nTen digits are in {1}; images of your own, in a "
      "folder for each class, are learned by\n  heed train --task {2} --images "
      "FOLDER --valid-last 100 --out model\n",
      pictures, demo.out, trained.front().settings->task());
  return 0;
}

}  // namespace heed
