#include "heed/tasks/run.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <functional>

#include "heed/base/errors.h"
#include "heed/base/testing.h"
#include "heed/io/file.h"
#include "heed/models/recurrent/recurrent_config.h"
#include "heed/tasks/pretrained.h"
#include "heed/tasks/translate/testing.h"
#include "heed/train/model_folder.h"

namespace heed {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

RunLimits Epochs(int epochs) {
  RunLimits limits;
  limits.epochs = epochs;
  return limits;
}

RunLimits Steps(int64_t steps) {
  RunLimits limits;
  limits.steps = steps;
  return limits;
}

class RunTest : public testing::Test {
 protected:
  std::string Out(const std::string& name) const { return folder_.Path(name); }
  std::string Weights(const std::string& out) const {
    return ReadFile(Out(out) + "/model.safetensors");
  }

  static translate::Settings Small() {
    const translate::Config config = translate::TinyConfig("");
    translate::Settings settings(config.model, config.data);
    settings.model.As<RecurrentConfig>().embedding = 3;
    settings.model.As<RecurrentConfig>().units = 4;
    return settings;
  }
  translate::Settings OnFiles() const {
    translate::Settings settings = Small();
    translate::DataConfig& data = settings.data;
    data.train.source = {folder_.Put("source", AsLines(train_.source))};
    data.train.target = {folder_.Put("target", AsLines(train_.target))};
    data.valid.source = {folder_.Put("valid_source", AsLines(valid_.source))};
    data.valid.target = {folder_.Put("valid_target", AsLines(valid_.target))};
    return settings;
  }
  TrainingConfig Into(const std::string& out) const {
    const translate::Config config = translate::TinyConfig(Out(out));
    return {config.optimizer, config.run};
  }
  TrainResult TrainInto(const std::string& out) const {
    translate::Settings settings = OnFiles();
    return Train(settings, Into(out));
  }

  /// A run that is prolonged by new limits has the same files as a run that had
  /// these limits from the start.
  void ExpectProlonged(const translate::Settings& settings,
                       TrainingConfig training,
                       const std::function<void(RunConfig&)>& end,
                       const RunLimits& limits) const {
    translate::Settings whole = settings;
    training.run.out = Out("whole");
    training.run.overwrite = true;
    Train(whole, training);
    training.run.out = Out("short");
    end(training.run);
    translate::Settings ended = settings;
    const int64_t step = Train(ended, training).step;
    EXPECT_GT(Resume(Out("short"), true, limits).step, step);
    for (const char* file : {"model.safetensors", "training.safetensors"}) {
      EXPECT_EQ(ReadFile(Out("whole/") + file), ReadFile(Out("short/") + file))
          << file;
    }
    // The settings are equal too, so that the next resumption knows the limits.
    Json wanted = ReadModelSettings(Out("whole"));
    wanted["out"] = Out("short");
    EXPECT_EQ(ReadModelSettings(Out("short")), wanted);
  }
  /// Rewrites the config.json of a model with changed settings.
  void Rewrite(const std::string& out,
               const std::function<void(Json&)>& change) const {
    ModelDescription description = ReadModelConfig(Out(out));
    change(description.settings);
    WriteModelConfig(Out(out), description);
  }

  TemporaryFolder folder_;
  ParallelText train_ = ReversedLetters(96, 1);
  ParallelText valid_ = ReversedLetters(16, 2);
};

TEST_F(RunTest, TranslatorLearnsToReverse) {
  translate::Settings settings = Small();
  RecurrentConfig& config = settings.model.As<RecurrentConfig>();
  config.embedding = 12;
  config.units = 32;
  config.dropout = 0;
  TrainingConfig training = Into("model");
  training.run.epochs = 60;
  training.optimizer.label_smoothing = 0;
  const TrainResult result =
      TrainOn(settings, translate::WithLinks({train_, valid_}, settings.data),
              training);
  EXPECT_EQ(result.step, 60 * 6);
  EXPECT_TRUE(result.validated);
  EXPECT_LT(result.best, 0.1);
  EXPECT_EQ(ReadModel(Out("model")).metadata.at("heed.step"),
            std::to_string(result.best_step));
}

TEST_F(RunTest, ReadsTheModelThatTrainingLeft) {
  TrainInto("model");
  const LoadedModel loaded = ReadModel(Out("model"));
  EXPECT_EQ(loaded.task().name, "translate");
  EXPECT_EQ(loaded.training.run.epochs, 2);
  EXPECT_EQ(loaded.training.run.out, Out("model"));
  const auto& settings =
      dynamic_cast<const translate::Settings&>(*loaded.settings);
  EXPECT_EQ(settings.model.As<RecurrentConfig>().units, 4);
  EXPECT_EQ(settings.data.batch_sentences, 16);
  EXPECT_EQ(loaded.metadata.at("heed.step"), "12");
  EXPECT_EQ(loaded.model->Files(), ReadModelConfig(Out("model")).files);
  const std::string file = Out("model/model.safetensors");
  const auto tensors = ReadTensors(file).tensors;
  const auto& parameters = loaded.model->parameters().all();
  EXPECT_EQ(tensors.size(), parameters.size());
  for (const auto& p : parameters) {
    EXPECT_EQ(FindTensor(tensors, p->name(), file).ToVector<float>(),
              p->value().ToVector<float>())
        << p->name();
  }
}

TEST_F(RunTest, FileThatIsMissingOrDamagedIsNamed) {
  TrainInto("model");
  for (const char* file : {"config.json", "source.vocabulary.txt",
                           "target.vocabulary.txt", "model.safetensors"}) {
    const std::string path = Out("model/") + file;
    const std::string bytes = ReadFile(path);
    const auto read = [&] { ReadModel(Out("model")); };
    fs::remove(path);
    const std::string missing = MessageOf<IoError>(read);
    EXPECT_NE(missing.find(Out("model")), std::string::npos) << missing;
    EXPECT_NE(missing.find(file), std::string::npos) << missing;
    for (size_t place : {bytes.size() / 3, bytes.size() / 2}) {
      std::string damaged = bytes;
      damaged[place] = static_cast<char>(damaged[place] ^ 1);
      WriteFileAtomically(path, damaged);
      EXPECT_NE(MessageOf<FormatError>(read).find(path), std::string::npos);
      WriteFileAtomically(path, bytes.substr(0, place));
      EXPECT_NE(MessageOf<FormatError>(read).find(path), std::string::npos);
    }
    WriteFileAtomically(path, bytes);
  }
  EXPECT_NO_THROW(ReadModel(Out("model")));
}

TEST_F(RunTest, SettingsThatNobodyKnowsAreNamed) {
  TrainInto("model");
  const std::string path = Out("model/config.json");
  const auto error = [&](const std::function<void(Json&)>& change) {
    const std::string old = ReadFile(path);
    Rewrite("model", change);
    std::string message =
        MessageOf<FormatError>([&] { ReadModel(Out("model")); });
    WriteFileAtomically(path, old);
    return message;
  };
  EXPECT_EQ(error([](Json& json) { json.erase("task"); }),
            path + ": no \"task\"");
  EXPECT_TRUE(error([](Json& json) { json["task"] = "translat"; })
                  .starts_with(path + ": unknown task 'translat', did you mean "
                                      "'translate'? (valid: translate, "));
  for (const char* key : {"model", "vocabulary", "unitz"}) {
    const std::string message =
        error([&](Json& json) { json[key] = "nonsense"; });
    EXPECT_TRUE(message.starts_with(path)) << message;
    EXPECT_NE(message.find(key), std::string::npos) << message;
  }
}

TEST_F(RunTest, WeightsOfAnotherModelAreRefused) {
  TrainInto("model");
  translate::Settings settings = OnFiles();
  settings.model.As<RecurrentConfig>().units = 5;
  Train(settings, Into("other"));
  fs::copy(Out("other/model.safetensors"), Out("model/model.safetensors"),
           fs::copy_options::overwrite_existing);
  const std::string error =
      MessageOf<FormatError>([&] { ReadModel(Out("model")); });
  EXPECT_TRUE(error.starts_with(Out("model/model.safetensors"))) << error;
  EXPECT_NE(error.find("expected"), std::string::npos) << error;
}

TEST_F(RunTest, ModelIsReadOnItsWayToItsPlace) {
  TrainInto("model");
  const std::string ready = Out("model/.ready");
  fs::create_directory(ready);
  for (const char* file : {"config.json", "source.vocabulary.txt",
                           "target.vocabulary.txt", "model.safetensors"}) {
    fs::rename(Out("model/") + file, ready + "/" + file);
    EXPECT_EQ(ReadModel(Out("model")).metadata.at("heed.step"), "12") << file;
  }
}

TEST_F(RunTest, ResumesToTheFilesOfALongerRun) {
  TrainingConfig training = Into("");
  training.run.epochs = 5;
  ExpectProlonged(
      OnFiles(), training, [](RunConfig& run) { run.epochs = 2; }, Epochs(5));
  training.run.steps = 11;
  ExpectProlonged(
      OnFiles(), training, [](RunConfig& run) { run.steps = 4; }, Steps(11));
}

TEST_F(RunTest, ResumesInTheMiddleOfAnEpoch) {
  TrainingConfig training = Into("");
  training.run.validate_every = 2;
  training.run.ema = 0.9;
  training.optimizer.accumulate = 4;
  ExpectProlonged(
      OnFiles(), training, [](RunConfig& run) { run.steps = 3; }, Steps(0));
}

TEST_F(RunTest, ResumesBpeDropoutToTheSameWeights) {
  translate::Settings settings = OnFiles();
  settings.data.vocabulary = "bpe";
  settings.data.joint_vocabulary = true;
  // Four letters, the space, and the space with each letter.
  settings.data.source_vocabulary_size = kSpecialTokens + 9;
  TrainingConfig training = Into("without");
  training.run.validate_every = 2;
  translate::Settings without = settings;
  Train(without, training);
  settings.data.bpe_dropout = 0.3;
  ExpectProlonged(
      settings, training, [](RunConfig& run) { run.steps = 5; }, Steps(0));
  EXPECT_NE(Weights("whole"), Weights("without"));
}

TEST_F(RunTest, PatienceIsProlongedByPatience) {
  translate::Settings settings = OnFiles();
  TrainingConfig training = Into("model");
  training.optimizer.learning_rate = 0;
  training.run.epochs = 20;
  training.run.patience = 2;
  EXPECT_EQ(Train(settings, training).step, 3 * 6);
  EXPECT_EQ(Resume(Out("model"), true, Epochs(30)).step, 3 * 6);
  RunLimits patience;
  patience.patience = 4;
  EXPECT_EQ(Resume(Out("model"), true, patience).step, 5 * 6);
}

TEST_F(RunTest, ResumeOfAFinishedRunChangesNothing) {
  TrainInto("model");
  std::vector<std::string> before;
  const auto files = {"config.json", "model.safetensors",
                      "training.safetensors"};
  for (const char* file : files) {
    before.push_back(ReadFile(Out("model/") + file));
  }
  EXPECT_EQ(Resume(Out("model"), true).step, 12);
  size_t i = 0;
  for (const char* file : files) {
    EXPECT_EQ(ReadFile(Out("model/") + file), before[i++]) << file;
  }
}

TEST_F(RunTest, ResumeBeforeTheFirstCheckpointStartsAgain) {
  TrainInto("start");
  for (const char* start : {"", "start"}) {
    translate::Settings settings = OnFiles();
    if (start != std::string()) TakeSettings(settings, Out(start));
    TrainingConfig training = Into("model");
    training.run.overwrite = true;
    training.run.seed = 3;
    Train(settings, training);
    const std::string weights = Weights("model");
    for (const char* file : {"model.safetensors", "training.safetensors"}) {
      fs::remove(Out("model/") + file);
    }
    Resume(Out("model"), true);
    EXPECT_EQ(Weights("model"), weights) << start;
  }
}

TEST_F(RunTest, ResumeWithoutCheckpointKeepsTheModel) {
  TrainInto("model");
  fs::remove(Out("model/training.safetensors"));
  const std::string weights = Weights("model");
  EXPECT_THROW(Resume(Out("model"), true), ConfigError);
  EXPECT_EQ(Weights("model"), weights);
}

TEST_F(RunTest, ResumeRefusesTextThatHasChanged) {
  TrainInto("model");
  for (const char* file :
       {"source", "target", "valid_source", "valid_target"}) {
    const std::string old = ReadFile(folder_.Path(file));
    folder_.Put(file, "a" + old.substr(1) == old ? "b" + old.substr(1)
                                                 : "a" + old.substr(1));
    EXPECT_NE(MessageOf<FormatError>([&] {
                Resume(Out("model"), true);
              }).find("not what this run began with"),
              std::string::npos)
        << file;
    folder_.Put(file, old);
  }
  EXPECT_NO_THROW(Resume(Out("model"), true));
}

TEST_F(RunTest, ResumeNeedsExamplesInFiles) {
  translate::Settings settings = Small();
  TrainOn(settings, translate::WithLinks({train_, {}}, settings.data),
          Into("model"));
  EXPECT_NE(MessageOf<ConfigError>([&] {
              Resume(Out("model"), true);
            }).find("generated examples"),
            std::string::npos);
}

TEST_F(RunTest, FilesAreFoundFromAnyFolder) {
  translate::Settings settings = OnFiles();
  settings.data.train.source = {fs::relative(folder_.Path("source"))};
  Train(settings, Into("model"));
  const std::string path =
      ReadModelSettings(Out("model"))["source"][0].get<std::string>();
  EXPECT_TRUE(fs::path(path).is_absolute()) << path;
  EXPECT_TRUE(fs::equivalent(path, folder_.Path("source"))) << path;
}

TEST_F(RunTest, StreamIsReadOnceAndKept) {
  TrainInto("files");
  translate::Settings settings = OnFiles();
  const std::string source = AsLines(train_.source);
  int ends[2] = {};
  ASSERT_EQ(pipe(ends), 0);
  ASSERT_EQ(write(ends[1], source.data(), source.size()),
            static_cast<ssize_t>(source.size()));
  close(ends[1]);
  settings.data.train.source = {fmt::format("/dev/fd/{}", ends[0])};
  TrainingConfig training = Into("stream");
  training.run.steps = 5;
  Train(settings, training);
  close(ends[0]);
  EXPECT_EQ(ReadFile(Out("stream/input/1-source")), source);
  // The copy moves with the folder.
  fs::rename(Out("stream"), Out("moved"));
  Resume(Out("moved"), true, Steps(0));
  EXPECT_EQ(Weights("moved"), Weights("files"));
  fs::remove(Out("moved/input/1-source"));
  EXPECT_NE(MessageOf<IoError>([&] {
              Resume(Out("moved"), true);
            }).find(Out("moved/input/1-source")),
            std::string::npos);
}

TEST_F(RunTest, StandardInputIsOneFileOnly) {
  translate::Settings settings = OnFiles();
  settings.data.train.source = settings.data.train.target = {"-"};
  EXPECT_EQ(MessageOf<ConfigError>([&] { Train(settings, Into("model")); }),
            "standard input ('-') can be read only once");
  EXPECT_FALSE(fs::exists(Out("model")));
}

TEST_F(RunTest, AnotherModelIsTheBeginning) {
  TrainInto("first");
  translate::Settings settings;
  TakeSettings(settings, Out("first"));
  EXPECT_EQ(settings.model.As<RecurrentConfig>().units, 4);
  EXPECT_EQ(settings.data.vocabulary, "words");
  EXPECT_TRUE(settings.data.train.source.empty());
  TrainingConfig training;
  training.run = Into("second").run;
  training.optimizer.learning_rate = 0;
  TrainOn(settings,
          translate::WithLinks({ReversedLetters(48, 7), {}}, settings.data),
          training);
  const std::string second = Out("second/model.safetensors");
  const auto tensors = ReadTensors(second).tensors;
  for (const NamedTensor& t :
       ReadTensors(Out("first/model.safetensors")).tensors) {
    EXPECT_EQ(t.value.ToVector<float>(),
              FindTensor(tensors, t.name, second).ToVector<float>())
        << t.name;
  }
  EXPECT_EQ(ReadModelConfig(Out("first")).files,
            ReadModelConfig(Out("second")).files);
}

TEST_F(RunTest, ModelsThatDoNotFitAreNamed) {
  TrainInto("first");
  translate::Settings settings = OnFiles();
  TakeSettings(settings, Out("first"));
  settings.model.As<RecurrentConfig>().units = 5;
  EXPECT_NE(MessageOf<FormatError>([&] {
              Train(settings, Into("second"));
            }).find(Out("first/model.safetensors") + ": tensor '"),
            std::string::npos);
  EXPECT_FALSE(fs::exists(Out("second")));
  for (const TaskRow& row : Tasks()) {
    const TaskRow& mine = TaskNamed(settings.task());
    if (row.name == mine.name || row.settings()->CanStartFrom(mine)) continue;
    EXPECT_NE(MessageOf<ConfigError>(
                  [&] { TakeSettings(*row.settings(), Out("first")); })
                  .find("a model for task '" + settings.task() + "', which '" +
                        row.name + "' cannot start from"),
              std::string::npos)
        << row.name;
  }
}

TEST_F(RunTest, TrainingStartsFromTheNumbersOfAQuantisedModel) {
  translate::Settings settings = OnFiles();
  RecurrentConfig& config = settings.model.As<RecurrentConfig>();
  config.embedding = config.units = 16;
  Train(settings, Into("model"));
  const LoadedModel loaded = ReadModel(Out("model"), "int8");
  WriteTensors(Out("model/model.safetensors"),
               loaded.model->parameters().Tensors(), loaded.metadata);
  EXPECT_NO_THROW(ReadModel(Out("model")));
  TakeSettings(settings, Out("model"));
  testing::internal::CaptureStderr();
  Train(settings, Into("second"));
  EXPECT_NE(testing::internal::GetCapturedStderr().find(
                Out("model") + ": a quantised model (int8); training starts "
                               "from its rounded weights"),
            std::string::npos);
  const LoadedModel trained = ReadModel(Out("second"));
  for (const auto& parameter : trained.model->parameters().all()) {
    EXPECT_FALSE(parameter->quantized()) << parameter->name();
  }
}

TEST_F(RunTest, ResumingAModelWithoutATrainingSaysWhatItIs) {
  translate::Settings settings = OnFiles();
  RecurrentConfig& config = settings.model.As<RecurrentConfig>();
  config.embedding = config.units = 16;
  Train(settings, Into("model"));
  fs::remove(Out("model/training.safetensors"));
  // The error comes before the examples, now deleted, are read.
  for (const std::string& file : settings.data.train.source) fs::remove(file);
  const auto error = [&] {
    return MessageOf<ConfigError>([&] { Resume(Out("model"), true); });
  };
  EXPECT_NE(error().find("is a model alone, without the state of a training"),
            std::string::npos)
      << error();
  const auto write = [&](const LoadedModel& loaded, Metadata metadata) {
    WriteTensors(Out("model/model.safetensors"),
                 loaded.model->parameters().Tensors(), metadata);
  };
  write(ReadModel(Out("model")), {{kImportedKey, "Marian"}});
  EXPECT_NE(error().find("is a model imported from Marian"), std::string::npos);
  EXPECT_NE(error().find("heed train --pretrained " + Out("model") + " --out"),
            std::string::npos);
  write(ReadModel(Out("model"), "int8"), {{kImportedKey, "Marian"}});
  EXPECT_NE(error().find("is a quantised model (int8)"), std::string::npos);
}

TEST_F(RunTest, UnknownMeasureIsReportedBeforeAnythingIsMade) {
  translate::Settings settings = OnFiles();
  TrainingConfig training = Into("model");
  training.run.metric = "los";
  EXPECT_TRUE(
      MessageOf<ConfigError>([&] { Train(settings, training); })
          .starts_with("metric: 'los' is not measured here, did you mean "
                       "'loss'?"));
  EXPECT_FALSE(fs::exists(Out("model")));
}

TEST_F(RunTest, BadTextLeavesTheOldModel) {
  TrainInto("model");
  const std::string weights = Weights("model");
  translate::Settings settings = OnFiles();
  TrainingConfig training = Into("model");
  training.run.overwrite = true;
  settings.data.max_length = 1;
  EXPECT_NE(MessageOf<ConfigError>([&] {
              Train(settings, training);
            }).find("no training pair is left"),
            std::string::npos);
  EXPECT_EQ(Weights("model"), weights);
}

TEST_F(RunTest, FailureLeavesNoEmptyFolders) {
  translate::Settings settings = OnFiles();
  settings.data.train.source = {folder_.Path("missing")};
  EXPECT_THROW(Train(settings, Into("a/b/c")), IoError);
  EXPECT_FALSE(fs::exists(Out("a")));
  translate::Settings empty = Small();
  EXPECT_THROW(
      TrainOn(empty, translate::WithLinks({{{" "}, {" "}}, {}}, empty.data),
              Into("a/b/c/")),
      ConfigError);
  EXPECT_FALSE(fs::exists(Out("a")));
}

TEST_F(RunTest, FolderThatCannotBeMadeFailsBeforeTheTextIsRead) {
  translate::Settings settings = OnFiles();
  settings.data.train.source = {folder_.Path("missing")};
  TrainingConfig training = Into("model");
  training.run.out = folder_.Put("file", "content") + "/model";
  EXPECT_NE(MessageOf<IoError>([&] {
              Train(settings, training);
            }).find(training.run.out),
            std::string::npos);
  training.run.out = folder_.Path("file");
  EXPECT_NE(MessageOf<IoError>([&] {
              Train(settings, training);
            }).find(training.run.out),
            std::string::npos);
  EXPECT_EQ(ReadFile(folder_.Path("file")), "content");
  training.run.out = "";
  EXPECT_THROW(Train(settings, training), ConfigError);
}

TEST_F(RunTest, FolderIsWrittenByOneAtATime) {
  TrainInto("model");
  translate::Settings settings = OnFiles();
  TrainingConfig training = Into("model");
  training.run.overwrite = true;
  const OutFolder out(Out("model"));
  for (const std::string& error :
       {MessageOf<ConfigError>([&] { Train(settings, training); }),
        MessageOf<ConfigError>([&] { Resume(Out("model"), true); })}) {
    EXPECT_NE(error.find("is being written by process"), std::string::npos)
        << error;
  }
}

}  // namespace
}  // namespace heed
