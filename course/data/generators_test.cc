#include "course/data/generators.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <string>

#include "heed/base/errors.h"
#include "heed/base/testing.h"
#include "heed/io/file.h"
#include "heed/tasks/task.h"

namespace heed {
namespace {

/// Returns the generator with few examples, or with its minimum.
Generator Few(const Generator& made) {
  return made.unit == "speakers" ? made.Sized({2, 1, 1})
         : made.sizes.valid == 0 ? made.Sized({200, 0, 0})
                                 : made.Sized({200, 8, 9});
}

using Files = std::map<std::string, std::string>;

/// Returns the files of a generator by their paths in the folder.
Files FilesOf(const Generator& generator) {
  const TemporaryFolder folder;
  generator.WriteTo(folder.path().string());
  Files files;
  for (const auto& entry :
       std::filesystem::recursive_directory_iterator(folder.path())) {
    if (!entry.is_regular_file()) continue;
    files[entry.path().lexically_relative(folder.path()).string()] =
        ReadFile(entry.path().string());
  }
  return files;
}

class EachGenerator : public testing::TestWithParam<Generator> {};

INSTANTIATE_TEST_SUITE_P(Generators, EachGenerator,
                         testing::ValuesIn(AllGenerators()),
                         [](const auto& info) { return info.param.name; });

TEST_P(EachGenerator, WritesWhatItsTaskReads) {
  const Generator made = Few(GetParam());
  const TemporaryFolder folder;
  made.WriteTo(folder.path().string());
  const auto task = TaskNamed(made.task).settings();
  FieldList settings;
  task->VisitAll(settings);
  TrainingConfig training;
  training.run.out = "model";
  task->VisitTraining(settings, training);
  SetFromText(settings.fields(), made.train, folder.path().string());
  EXPECT_NO_THROW(CheckGiven(settings));
  EXPECT_NO_THROW(task->ReadDataset());
  const auto options = task->EvaluateOptions();
  FieldList tested;
  options->Visit(tested);
  SetFromText(tested.fields(), made.evaluation, folder.path().string());
  EXPECT_NO_THROW(CheckGiven(tested));
}

TEST_P(EachGenerator, EqualOptionsLeadToEqualFiles) {
  Generator made = Few(GetParam());
  const Files first = FilesOf(made);
  EXPECT_EQ(FilesOf(made), first);
  made.seed = 7;
  EXPECT_NE(FilesOf(made), first);
  // The three parts differ.
  for (const std::string ending : {".tsv", ".txt", ".jsonl", ".idx"}) {
    const auto train = first.find("train" + ending);
    if (train == first.end()) continue;
    EXPECT_NE(train->second, first.at("valid" + ending));
    EXPECT_NE(first.at("test" + ending), first.at("valid" + ending));
  }
}

TEST(Generator, OffersItsSizesBySeveralNames) {
  Generator scenes = SceneData();
  FieldList list;
  scenes.Visit(list);
  FindField(list.fields(), "scenes")->SetText({"12"}, "scenes");
  EXPECT_EQ(scenes.sizes.train, 12);
  EXPECT_EQ(scenes.Sizes(),
            "12 scenes for training, 1000 for validation, 1000 for the test");
  Generator graph = GraphData();
  FieldList of_graph;
  graph.Visit(of_graph);
  EXPECT_EQ(FindField(of_graph.fields(), "valid"), nullptr);
  graph.sizes.train = 40;
  const TemporaryFolder folder;
  EXPECT_THROW(graph.WriteTo(folder.path().string()), ConfigError);
}

TEST(Settings, AreOneText) {
  int units = 0;
  std::vector<std::string> files;
  bool lowercase = false;
  FieldList list;
  list("units", units, "");
  list("files", files, "");
  list("lowercase", lowercase, "");
  const SettingsText text =
      "units=3 files={}/a.txt,{}/b.txt lowercase=true units=4";
  SetFromText(list.fields(), text, "my folder");
  EXPECT_EQ(units, 4);
  EXPECT_EQ(files,
            (std::vector<std::string>{"my folder/a.txt", "my folder/b.txt"}));
  EXPECT_TRUE(lowercase);
  EXPECT_EQ(OptionsText("batch_size=2 units=3 lowercase=true units=4", "x"),
            " --batch-size 2 --lowercase --units 4");
  EXPECT_THROW(SetFromText(list.fields(), "unit=3", "x"), ConfigError);
}

}  // namespace
}  // namespace heed
