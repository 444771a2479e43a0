#include "heed/data/caption_list.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "heed/base/at.h"
#include "heed/base/console.h"
#include "heed/base/errors.h"
#include "heed/base/json_elements.h"
#include "heed/base/text.h"
#include "heed/io/file.h"

namespace heed {
namespace {

using Json = nlohmann::ordered_json;

/// Values of "split" and the split that they belong to.
constexpr std::array<std::pair<std::string_view, CaptionSplit>, 4> kSplits = {
    {{"train", CaptionSplit::kTrain},
     {"restval", CaptionSplit::kTrain},
     {"val", CaptionSplit::kValid},
     {"test", CaptionSplit::kTest}}};

CaptionList ReadCaptionLines(const CaptionFiles& files) {
  CaptionList result;
  std::unordered_map<std::string, int64_t> numbers;
  for (ListedImage& line :
       ReadImageList(files.images, "caption", files.folder)) {
    const std::string& place = line.file.place;
    if (line.columns.size() > 2) {
      throw FormatError(
          "{}: {} columns; expected path, caption and boxes, separated by tabs",
          place, line.columns.size() + 1);
    }
    if (SplitWhitespace(line.columns[0]).empty()) {
      throw FormatError("{}: the caption has no words", place);
    }
    const auto [found, is_new] =
        numbers.emplace(line.file.path, std::ssize(result.images));
    line.columns.resize(2);
    result.captions.push_back({found->second, std::move(line.columns[0]),
                               std::move(line.columns[1]), place});
    if (!is_new) continue;
    result.rows.push_back(result.file_images++);
    result.names.push_back(std::move(line.name));
    result.images.push_back(std::move(line.file));
  }
  if (result.images.empty()) throw FormatError("{}: no images", files.images);
  std::ranges::stable_sort(result.captions, {}, &ListedCaption::image);
  return result;
}

/// An element of "images" of a JSON data set.
class DataSetImage {
 public:
  DataSetImage(const Json& json, std::string place)
      : json_(json), place_(std::move(place)) {
    if (!json.is_object()) Fail("is not an object");
  }

  CaptionSplit Split() const {
    const std::string split = Text(json_, "split");
    const auto found = std::ranges::find(
        kSplits, split, &std::pair<std::string_view, CaptionSplit>::first);
    if (found != kSplits.end()) return found->second;
    Fail(
        fmt::format("split '{}' is unknown; known are train, restval, val, "
                    "test",
                    split));
  }

  /// Path below the folder of the images.
  std::string Path() const {
    const std::string name = Text(json_, "filename");
    if (name.empty()) Fail("has no filename");
    return (std::filesystem::path(Text(json_, "filepath")) / name).string();
  }

  /// Captions; those without words are left out.
  std::vector<std::string> Captions() const {
    const auto sentences = json_.find("sentences");
    if (sentences == json_.end() || !sentences->is_array() ||
        sentences->empty()) {
      Fail("has no sentences");
    }
    std::vector<std::string> captions;
    for (const Json& sentence : *sentences) {
      if (!sentence.is_object()) Fail("a sentence is not an object");
      std::string caption = Caption(sentence);
      if (!SplitWhitespace(caption).empty()) {
        captions.push_back(std::move(caption));
      }
    }
    return captions;
  }

 private:
  [[noreturn]] void Fail(std::string_view problem) const {
    throw FormatError("{}: {}", place_, problem);
  }

  /// A text member; empty if it is missing.
  std::string Text(const Json& json, const char* name) const {
    const auto found = json.find(name);
    if (found == json.end()) return "";
    if (!found->is_string()) Fail(fmt::format("'{}' is not a text", name));
    return found->get<std::string>();
  }

  std::string Caption(const Json& sentence) const {
    const auto tokens = sentence.find("tokens");
    if (tokens == sentence.end()) {
      if (!sentence.contains("raw")) Fail("a sentence has no tokens");
      return Text(sentence, "raw");
    }
    if (!tokens->is_array() || !std::ranges::all_of(*tokens, [](const Json& t) {
          return t.is_string();
        })) {
      Fail("'tokens' is not a list of texts");
    }
    return fmt::format("{}",
                       fmt::join(tokens->get<std::vector<std::string>>(), " "));
  }

  const Json& json_;
  std::string place_;
};

CaptionList ReadDataSet(const CaptionFiles& files, CaptionSplit split) {
  const auto folder = files.folder.empty()
                          ? std::filesystem::path(files.images).parent_path()
                          : std::filesystem::path(files.folder);
  CaptionList result;
  int64_t without_captions = 0;
  const SharedBytes bytes = MapFile(files.images);
  const auto add = [&](int64_t index, const Json& element) {
    const std::string place =
        fmt::format("{}, images[{}]", files.images, index);
    const DataSetImage image(element, place);
    ++result.file_images;
    if (image.Split() != split) return;
    std::string name = image.Path();
    const std::string path = (folder / name).string();
    std::vector<std::string> captions = image.Captions();
    if (captions.empty()) {
      ++without_captions;
      return;
    }
    for (std::string& caption : captions) {
      result.captions.push_back(
          {std::ssize(result.images), std::move(caption), "", ""});
    }
    result.rows.push_back(index);
    result.names.push_back(std::move(name));
    result.images.push_back({path, place + ", " + path});
  };
  ForEachJsonElement(bytes.view(), files.images, "images", add);
  if (without_captions > 0) {
    Warn(fmt::format("{}: left out {} images whose sentences have no words",
                     files.images, without_captions));
  }
  if (!result.images.empty()) return result;
  const auto named = std::ranges::find(
      kSplits, split, &std::pair<std::string_view, CaptionSplit>::second);
  throw FormatError("{}: no image has the split '{}'", files.images,
                    named->first);
}

}  // namespace

bool IsCaptionJson(const std::string& path) {
  return Lowercase(std::filesystem::path(path).extension().string()) == ".json";
}

CaptionList ReadCaptionList(const CaptionFiles& files, CaptionSplit split) {
  return IsCaptionJson(files.images) ? ReadDataSet(files, split)
                                     : ReadCaptionLines(files);
}

}  // namespace heed
