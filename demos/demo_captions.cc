// heed demo captions: scenes that are drawn, and what is said of them.
#include <fmt/format.h>

#include <filesystem>
#include <string>
#include <vector>

#include "apps/heed/tasks.h"
#include "demos/demos.h"
#include "demos/explained_file.h"
#include "demos/trained_in_memory.h"
#include "heed/base/threads.h"
#include "heed/data/scenes.h"
#include "heed/io/file.h"
#include "heed/models/caption/show_attend_tell.h"
#include "heed/tasks/caption/caption.h"

namespace heed {
namespace {

constexpr int64_t kValidScenes = 200;
constexpr int64_t kTestScenes = 500;
constexpr int64_t kShownScenes = 3;
constexpr int64_t kWrittenScenes = 10;

struct CaptionsDemoOptions {
  std::string out = "heed-demo-captions";
  Named<CaptionLook> look = CaptionLook::kSoft;
  int scenes = 6000;
  int epochs = 8;
  int filters = 16;
  uint64_t seed = 1;
  int threads = 0;

  void Visit(FieldList& v) {
    v("out", out, Any{"DIR"}, "folder for some scenes and the pictures");
    v("look", look, "soft: at all cells, weighted; hard: at one that is drawn");
    v("scenes", scenes, Range(100, 1e6), "scenes that are learned from");
    v("epochs", epochs, Range(1, 1000), "passes over them");
    v("filters", filters, Range(1, 1024), "filters of the first convolution");
    v("seed", seed, "random seed of the scenes and the weights");
    v("threads", threads, Range(0, 1024), "threads; 0: one per core");
  }
};

/// Scenes as files, and the list that names them, whose path it returns.
std::string WriteScenes(const std::string& folder, const CaptionedImages& set) {
  std::string list;
  for (int64_t i = 0; i < set.size(); ++i) {
    const auto at = static_cast<size_t>(i);
    const std::string name = fmt::format("scene-{}.png", i + 1);
    WriteFileAtomically(PathIn(folder, name), EncodePng(set.At(i)));
    auto boxes = nlohmann::ordered_json::array();
    for (const WordBox& box : set.boxes[at]) {
      boxes.push_back({box.word, box.left, box.top, box.right, box.bottom});
    }
    list += name + '\t' + set.captions[at] + '\t' + boxes.dump() + '\n';
  }
  std::string path = PathIn(folder, "scenes.tsv");
  WriteFileAtomically(path, list);
  return path;
}

}  // namespace

int RunDemoCaptions(const Arguments& arguments) {
  CaptionsDemoOptions demo;
  Options options(
      "demo captions",
      "Draws scenes of a few shapes and teaches a network to say what they "
      "show. Measures whether it looks at what it names, and draws where it "
      "looked at each word (about a minute).");
  demo.Visit(options.fields());
  options.Example("heed demo captions");
  options.Example("heed demo captions --look hard --scenes 20000");
  if (!options.Parse(arguments)) return 0;
  const ThreadLimit limit(demo.threads);
  const int64_t all = demo.scenes + kValidScenes + kTestScenes;
  const CaptionedImages scenes = DrawScenes({.scenes = all, .seed = demo.seed});
  caption::Data data;
  data.train = scenes.Slice(0, demo.scenes);
  data.valid = scenes.Slice(demo.scenes, demo.scenes + kValidScenes);
  const CaptionedImages test = scenes.Slice(demo.scenes + kValidScenes, all);
  fmt::print(
      "{} scenes teach, {} choose the weights, {} are tested. The first of "
      "these: {}\n",
      demo.scenes, kValidScenes, kTestScenes, test.captions.front());
  std::fflush(stdout);
  std::filesystem::create_directories(demo.out);
  const std::string list = WriteScenes(demo.out, test.Slice(0, kWrittenScenes));
  const LoadedModel loaded = TrainedInMemory<caption::Settings>(
      ModelNames<CaptionerSettings>().front(), data, demo.epochs,
      /*patience=*/0, demo.seed,
      fmt::format("look={} filters={}", demo.look.word(), demo.filters));
  const auto& model = dynamic_cast<const caption::Model&>(*loaded.model);
  fmt::print("\n{}", ReportText(caption::MeasureCaptions(model, test, {})));
  std::string pictures;
  for (int64_t i = 0; i < kShownScenes; ++i) {
    const std::string path = ShowExplained(
        loaded, {"scene.png", kImageTypes[0], EncodePng(test.At(i))}, demo.out,
        fmt::format("caption-{}", i + 1));
    pictures += (pictures.empty() ? "" : ", ") + path;
  }
  fmt::print(
      "\nThe pictures: {}\nScenes and their captions are in {}; images of your "
      "own, in such a list, are learned by\n  heed train --task {} --images "
      "LIST --valid-last 100 --out model\n",
      pictures, list, loaded.settings->task());
  return 0;
}

}  // namespace heed
