// Tests of every decoder of the registry, with every kind of source.
#include "heed/models/decoder.h"

#include <gtest/gtest.h>

#include <memory>
#include <ostream>
#include <string>
#include <type_traits>
#include <vector>

#include "heed/models/model_testing.h"
#include "heed/models/registry.h"

namespace heed::decoder_test {
namespace {

constexpr int kWords = 9;      // of a SequenceBatch
constexpr int kFeatures = 10;  // of a vector, and of embeddings

using Make = std::unique_ptr<Decoder> (*)(const std::string& model,
                                          const std::string& preset,
                                          DType dtype);

/// Model of the registry in a role, as small as possible.
template <class Role>
std::unique_ptr<Decoder> Small(const std::string& model,
                               const std::string& preset, DType dtype) {
  ModelChoice<Role> settings;
  settings.Choose(model);
  const std::vector<Field> fields = FieldsOf(*settings);
  SetPresetIfKnown(fields, "units=6 dropout=0");
  SetPresetIfKnown(fields, "embedding=10");
  SetPresetIfKnown(fields, "width=10 heads=2 ff=12 layers=1 dropout=0");
  SetPresetIfKnown(fields, "decoder_layers=2 max_positions=16");
  if (!preset.empty()) SetPreset(fields, preset);
  std::unique_ptr<Decoder> made;
  if constexpr (std::is_same_v<Role, TranslatorSettings>) {
    settings->Fill();
    made = settings->Make(kWords, kWords, 3, dtype);
  } else {
    settings->Fill(12);
    made = settings->Make(kWords, 3, dtype);
  }
  Shake(made->parameters());
  return made;
}

struct Model {
  std::string name;
  std::string preset;
  Make make;
  bool frames;  // true for vectors, false for tokens
};

void PrintTo(const Model& model, std::ostream* out) {
  *out << model.name << " " << model.preset << (model.frames ? " frames" : "");
}

std::vector<Model> All() {
  std::vector<Model> all;
  for (const ModelRow& row : Models()) {
    if (SettingsIn<LanguageModelSettings>(row) != nullptr) {
      all.push_back({row.name, "", Small<LanguageModelSettings>, false});
    }
    if (SettingsIn<TranslatorSettings>(row) == nullptr) continue;
    for (const auto& variant : row.variants) {
      const std::string preset =
          variant.name.empty() ? "" : "variant=" + variant.name;
      for (const bool frames : {false, true}) {
        all.push_back({row.name, preset, Small<TranslatorSettings>, frames});
      }
    }
  }
  return all;
}

class EveryDecoder : public testing::TestWithParam<Model> {
 protected:
  std::unique_ptr<Decoder> MakeModel(DType dtype) const {
    return GetParam().make(GetParam().name, GetParam().preset, dtype);
  }
  /// Batch for a model; prompts of one length if it reads no source.
  SequenceBatch BatchFor(const Decoder& model, DType dtype) const {
    SequenceBatch batch;
    if (!model.reads_source()) {
      batch.source = RandomIds({2, 3}, kWords, 9);
      batch.lengths = Lengths({2, 2, 2});
    }
    if (GetParam().frames) {
      batch.frames = RandomTensor({3, 5, kFeatures}, 4, DType::kF32).To(dtype);
    }
    return batch;
  }
};

INSTANTIATE_TEST_SUITE_P(Models, EveryDecoder, testing::ValuesIn(All()));

double Tolerance(DType dtype) { return dtype == DType::kF64 ? 1e-12 : 2e-5; }

TEST_P(EveryDecoder, StepByStepEqualsAllAtOnce) {
  for (const DType dtype : {DType::kF64, DType::kF32}) {
    const auto model = MakeModel(dtype);
    SequenceBatch batch = BatchFor(*model, dtype);
    if (!model->reads_source()) batch = batch.WithoutSource();
    EXPECT_LT(StepDifference(*model, batch), Tolerance(dtype));
  }
}

TEST_P(EveryDecoder, RowsAndSourcesThatAreMovedGoOnAsIfAlone) {
  for (const DType dtype : {DType::kF64, DType::kF32}) {
    const auto model = MakeModel(dtype);
    ExpectReorderedRowsGoOnAlone(*model, BatchFor(*model, dtype),
                                 Tolerance(dtype));
  }
}

TEST_P(EveryDecoder, SourcesThatAreMovedBeforeTheFirstStepGoOnAsIfAlone) {
  const auto model = MakeModel(DType::kF64);
  Search search(*model, BatchFor(*model, DType::kF64), 1e-12);
  search.Reorder({0, 0, 2, 2}, {0, 2});
  search.Step(21);
  search.Step(22);
}

TEST_P(EveryDecoder, HasTheTopKAndTheRestrictionOfItsScores) {
  const auto model = MakeModel(DType::kF32);
  const SequenceBatch batch = BatchFor(*model, DType::kF32);
  ExpectScoresOfSomeWords(*model, batch, {0, 3, 4, 8}, 1e-5);
  ExpectTopKScores(*model, batch, {0, 1, 2, 3, 5, 8});
}

TEST_P(EveryDecoder, TheLossIsThatOfTheScores) {
  const auto model = MakeModel(DType::kF64);
  const SequenceBatch batch = BatchFor(*model, DType::kF64);
  const auto loss =
      model->Loss({}, batch.inputs(), batch.target_in, batch.target, {});
  EXPECT_NEAR(loss.nll,
              CrossEntropy(LogitsOf(*model, batch), batch.target, {}).nll,
              1e-9);
}

TEST_P(EveryDecoder, RefusesRowsThatItHasNot) {
  const auto model = MakeModel(DType::kF32);
  DecoderState state = StartOf(*model, BatchFor(*model, DType::kF32).inputs());
  ExpectShapeError(
      [&] {
        model->Step({}, Lengths({4, 4}), state);
      },
      {"2 tokens for 3 rows"});
}

std::unique_ptr<Decoder> Translator(const std::string& model,
                                    const std::string& preset = "") {
  return Small<TranslatorSettings>(model, preset, DType::kF64);
}

TEST(Inputs, CellsAreReadRowByRow) {
  const Tensor cells = RandomTensor({3, 2, 3, kFeatures}, 4);
  SequenceBatch batch;
  batch.frames = cells.Reshape({3, 6, kFeatures});
  batch.lengths = Lengths({6, 6, 6});
  for (const char* name : {"bahdanau", "transformer"}) {
    const auto model = Translator(name);
    EXPECT_EQ(
        MaxDifference(
            model->Logits({}, Inputs::Cells(cells), batch.target_in).value(),
            LogitsOf(*model, batch)),
        0);
  }
  ExpectShapeError([&] { Inputs::Cells(cells[0]); }, {"cells", "[B, Y, X, F]"});
}

TEST(Inputs, NodesHaveNoOrderButNeighbours) {
  const auto model = Translator("transformer", "position=none");
  const SequenceBatch batch;
  const Tensor nodes = RandomTensor({3, 5, kFeatures}, 4);
  const auto logits = [&](const Tensor& x, const Mask& neighbours) {
    return model
        ->Logits({}, Inputs::Nodes(x, Lengths({5, 5, 5}), neighbours),
                 batch.target_in)
        .value();
  };
  Tensor turned(nodes.shape(), nodes.dtype());
  for (int64_t b = 0; b < 3; ++b) {
    for (int64_t s = 0; s < 5; ++s) {
      Tensor own = turned[b][s];
      own.CopyFrom(nodes[b][4 - s]);
    }
  }
  EXPECT_LT(MaxDifference(logits(nodes, {}), logits(turned, {})), 1e-12);
  EXPECT_GT(
      MaxDifference(logits(nodes, {}), logits(nodes, SlidingWindow(1, 1))),
      1e-6);
  const auto recurrent = Translator("bahdanau");
  ExpectShapeError(
      [&] {
        recurrent->Encode({}, Inputs::Nodes(nodes, Lengths({5, 5, 5})));
      },
      {"nodes", "no order"});
}

TEST(Inputs, OfAnotherSizeAreRefused) {
  const Tensor frames = RandomTensor({3, 5, kFeatures + 1}, 4);
  for (const char* name : {"bahdanau", "transformer"}) {
    const auto model = Translator(name);
    ExpectShapeError(
        [&] {
          model->Encode({}, Inputs::Frames(frames, Lengths({5, 5, 5})));
        },
        {"encoder", "[B, S, 10]", "[3, 5, 11]"});
    EXPECT_THROW(model->Encode({}, Inputs()), ShapeError);
  }
}

/// An encoding of one model is decoded by another: vectors of a Transformer,
/// and a recurrent decoder that starts from their mean.
TEST(Encoding, IsReadByAnyDecoderOfItsSize) {
  const auto reader = Translator("transformer");
  const SequenceBatch batch;
  const Encoding encoding = reader->Encode({}, batch.inputs());
  const auto writer =
      Translator("bahdanau", "bridge=mean bidirectional=no encoder_units=10");
  DecoderState state = writer->Start({}, encoding);
  EXPECT_EQ(writer->Step({}, batch.target_in[0], state).shape(),
            (Shape{3, kWords}));
  ExpectWeightsOfSources(state.weights, batch);
  const auto other = Translator("transformer", "norm=post");
  DecoderState same = other->Start({}, encoding);
  EXPECT_EQ(other->Step({}, batch.target_in[0], same).shape(),
            (Shape{3, kWords}));
  ExpectShapeError([&] { Translator("bahdanau")->Start({}, encoding); },
                   {"decoder", "bridge 'mean'"});
}

}  // namespace
}  // namespace heed::decoder_test
