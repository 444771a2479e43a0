// Generators of images, sounds and graphs.
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <numeric>
#include <string>
#include <vector>

#include "course/data/drawn_digits.h"
#include "course/data/generators.h"
#include "course/data/moving_sprites.h"
#include "course/data/planted_graph.h"
#include "course/data/scenes.h"
#include "course/data/spoken_digits.h"
#include "heed/base/at.h"
#include "heed/base/errors.h"
#include "heed/data/shuffle.h"
#include "heed/data/sound.h"

namespace heed {
namespace {

// Seed offsets that keep validation and test data apart from training data.
constexpr uint64_t kSpriteSeeds[] = {0, 0x76616c6964, 0x74657374};
constexpr uint64_t kVoiceSeeds[] = {0, 1, 1000};

std::string Numbered(const DataPart& part, const char* what, int64_t i) {
  return fmt::format("{}/{}-{:05}", part.name, what, i + 1);
}

void WriteScenes(const Generator& made, const WriteFunction& write) {
  for (const DataPart& part : made.Parts()) {
    const CaptionedImages set =
        DrawScenes({.scenes = part.count, .seed = made.seed + part.number});
    std::string list;
    for (int64_t i = 0; i < set.size(); ++i) {
      const std::string name = Numbered(part, "scene", i) + ".png";
      write(name, EncodePng(set.At(i)));
      auto boxes = nlohmann::ordered_json::array();
      for (const WordBox& box : At(set.boxes, i)) {
        boxes.push_back({box.word, box.left, box.top, box.right, box.bottom});
      }
      list += name + '\t' + At(set.captions, i) + '\t' + boxes.dump() + '\n';
    }
    write(part.name + ".tsv", list);
  }
}

void WriteDigits(const Generator& made, const WriteFunction& write) {
  const ImageSet all =
      DrawDigits({.images = made.sizes.all(), .seed = made.seed});
  for (const DataPart& part : made.Parts()) {
    std::string list;
    for (int64_t i = 0; i < part.count; ++i) {
      const std::string name = Numbered(part, "digit", i) + ".png";
      write(name, EncodePng(all.At(part.first + i)));
      const int32_t label = At(all.labels, part.first + i);
      list += name + '\t' + At(all.classes, label) + '\n';
    }
    write(part.name + ".tsv", list);
  }
}

void WriteSprites(const Generator& made, int side, const WriteFunction& write) {
  for (const DataPart& part : made.Parts()) {
    const Clips clips =
        DrawMovingSprites(
            {part.count, side, made.seed ^ kSpriteSeeds[part.number]})
            .clips;
    for (int64_t i = 0; i < clips.frames(); ++i) {
      write(fmt::format("{}/frame-{}.png",
                        Numbered(part, "clip", i / kWindowFrames),
                        i % kWindowFrames),
            EncodePng(clips.At(i)));
    }
  }
}

std::string WriteRecording(const std::string& name, const Recording& one,
                           int rate, const WriteFunction& write) {
  write(name, EncodeWav(one.samples, rate));
  return fmt::format("{}\t{}\t{}\n", name, one.text, one.speaker);
}

/// Writes single digits, and some digit strings of the test set to listen to
/// and to transcribe.
void WriteVoices(const Generator& made, const WriteFunction& write) {
  constexpr int64_t kStrings = 6;
  for (const DataPart& part : made.Parts()) {
    const uint64_t seed = made.seed + kVoiceSeeds[part.number];
    const Recordings recordings =
        MakeSpokenDigits({.speakers = part.count, .seed = seed});
    std::string list;
    for (int64_t i = 0; i < recordings.size(); ++i) {
      list += WriteRecording(Numbered(part, "digit", i) + ".wav",
                             At(recordings.all, i), recordings.rate, write);
    }
    write(part.name + ".tsv", list);
    if (part.name != "test") continue;
    StringOptions options;
    options.seed = seed;
    const WordStrings strings(recordings, options);
    list.clear();
    for (int64_t i = 0; i < kStrings; ++i) {
      list += WriteRecording(fmt::format("strings-{}.wav", i + 1),
                             strings.At(i), recordings.rate, write);
    }
    write("strings.tsv", list);
  }
}

/// Writes a graph. Its ads belong to no split but the training one.
void WriteGraph(const Generator& made, PlantedGraphOptions planted,
                const WriteFunction& write) {
  constexpr int kTaughtOfClass = 20;
  constexpr int64_t kValidNodes = 100;
  planted.nodes = made.sizes.train;
  planted.seed = made.seed;
  planted.ads = planted.ads_of_node > 0 ? planted.nodes / 3 : 0;
  const NodeGraph graph = PlantedGraph(planted);
  std::vector<int32_t> order(static_cast<size_t>(planted.nodes));
  std::iota(order.begin(), order.end(), 0);
  Rng rng(made.seed + 1);
  Shuffle(order, rng);
  std::vector<int> taught(graph.classes.size(), 0);
  std::vector<int32_t> train, others;
  for (const int32_t node : order) {
    const int32_t of_class = At(graph.labels, node);
    if (++At(taught, of_class) <= kTaughtOfClass) {
      train.push_back(node);
    } else if (of_class < planted.classes) {
      others.push_back(node);
    }
  }
  if (others.size() < 2) {
    throw ConfigError(
        "--count: {} nodes leave none for the test; choose 200 or more",
        made.sizes.train);
  }
  const auto middle =
      others.begin() + std::min(kValidNodes, std::ssize(others) / 2);
  const GraphFiles files = SerializeGraph(graph);
  write("edges.tsv", files.edges);
  write("features.txt", files.features);
  write("labels.txt", files.labels);
  write("train.idx", SerializeNodes(train));
  write("valid.idx", SerializeNodes({others.begin(), middle}));
  write("test.idx", SerializeNodes({middle, others.end()}));
}

}  // namespace

Generator SceneData() {
  return {"scenes",
          "images of a few shapes, captions, and boxes of the things that they "
          "name",
          "scenes",
          "caption",
          "images={}/train.tsv valid_images={}/valid.tsv",
          "images={}/test.tsv",
          {20000, 1000, 1000},
          WriteScenes};
}

Generator DigitData() {
  return {"digits",
          "grey images of digits",
          "images",
          "images",
          "images={}/train.tsv valid_images={}/valid.tsv colours=grey",
          "images={}/test.tsv",
          {6000, 500, 1000},
          WriteDigits};
}

Generator SpriteData(int side) {
  return {"sprites",
          "clips of a sprite that moves over a textured ground",
          "clips",
          "order",
          "frames={}/train valid_frames={}/valid colours=grey",
          "frames={}/test",
          {4000, 500, 500},
          [side](const Generator& made, const WriteFunction& write) {
            WriteSprites(made, side, write);
          }};
}

Generator VoiceData() {
  return {"voices",
          "recordings of digits by synthetic voices",
          "speakers",
          "speech",
          "recordings={}/train.tsv strings=1200 longest=6",
          "recordings={}/test.tsv strings=100",
          {12, 4, 4},
          WriteVoices};
}

Generator GraphData() {
  const auto planted =
      std::make_shared<PlantedGraphOptions>(PlantedGraphOptions{.edges = 800});
  return {
      "graph",
      "a graph of pages that link to pages of their topic and to ads, which "
      "use the words of any topic; 20 nodes of each class for training, 100 "
      "pages for validation, the other pages for the test",
      "nodes",
      "nodes",
      "edges={}/edges.tsv features={}/features.txt labels={}/labels.txt "
      "train={}/train.idx valid={}/valid.idx",
      "nodes={}/test.idx",
      {600, 0, 0},
      [planted](const Generator& made, const WriteFunction& write) {
        WriteGraph(made, *planted, write);
      },
      [planted](FieldList& v) {
        v("edges", planted->edges, Range(0, 100000), "edges between pages");
        v("ads", planted->ads_of_node, Range(0, 1000),
          "ads that each page links to; 0: the graph has no ads, otherwise a "
          "third of the nodes are ads");
      }};
}

}  // namespace heed
