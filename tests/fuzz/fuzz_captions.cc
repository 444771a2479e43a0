// Lists of images with captions and boxes or with classes, and names of frames.
// The first byte selects the kind. The named images exist.
#include <algorithm>
#include <string>

#include "heed/base/text.h"
#include "heed/data/captions.h"
#include "heed/data/clips.h"
#include "heed/data/image.h"
#include "heed/data/image_set.h"
#include "tests/fuzz/fuzz.h"

namespace heed::fuzz {
namespace {

constexpr ImageFormat kFormat = {6, 5, 1};
constexpr size_t kMaxFrames = 12;

const std::string& Picture() {
  static const std::string png =
      EncodePng({4, 8, 1, std::vector<uint8_t>(32, 90)});
  return png;
}

std::string ListWithImages(std::string_view list, const char* name = "list") {
  static const Folder folder;
  static const bool written = [] {
    folder.Put("a.png", Picture());
    folder.Put("b.png", Picture());
    return true;
  }();
  Require(written, "images");
  return folder.Put(name, list);
}

/// `kind`: c for a list, j for a JSON data set.
void ReadListOfCaptions(uint8_t kind, std::string_view list) {
  const CaptionedImages set = ReadCaptions(
      {ListWithImages(list, kind == 'j' ? "set.json" : "list"), ""},
      CaptionSplit::kTrain, kFormat);
  Require(set.size() > 0 && set.boxes.size() == set.captions.size() &&
              set.image_of.size() == set.captions.size(),
          "captions");
  Require(std::ssize(set.pixels) == set.size() * kFormat.size(), "pixels");
  for (size_t at = 0; at < set.captions.size(); ++at) {
    const int64_t words = std::ssize(SplitWhitespace(set.captions[at]));
    for (const WordBox& box : set.boxes[at]) {
      Require(box.word >= 0 && box.word < words, "a word of the caption");
      Require(box.left >= 0 && box.left < box.right &&
                  box.right <= kFormat.width && box.top >= 0 &&
                  box.top < box.bottom && box.bottom <= kFormat.height,
              "a box in the image");
    }
  }
}

void ReadListOfClasses(std::string_view list) {
  const ImageSet set = ReadImages({ListWithImages(list), ""}, kFormat, {});
  Require(!set.labels.empty() && !set.classes.empty(), "labels");
  for (const int32_t label : set.labels) {
    Require(label >= 0 && label < std::ssize(set.classes), "a class");
  }
}

/// Reads frame names of one clip, one per line.
void ReadFrameNames(std::string_view names) {
  static const Folder folder;
  folder.Clear();
  const std::filesystem::path clip = folder.path() + "/clip";
  std::filesystem::create_directory(clip);
  size_t frames = 0;
  for (const std::string_view line : SplitAt(names, "\n")) {
    std::string name(line.substr(0, 100));
    std::ranges::replace(name, '/', '_');
    std::ranges::replace(name, '\0', '_');
    if (name.empty() || name == "." || name == "..") continue;
    if (++frames > kMaxFrames) break;
    folder.Put("clip/" + name, Picture());
  }
  const Clips clips = ReadClips(folder.path(), kFormat, 1);
  Require(clips.size() == 1 && clips.FramesOf(0) > 0, "a clip of frames");
  Require(std::ssize(clips.motion) == clips.frames(), "motion of each frame");
}

void ReadImageTexts(uint8_t kind, std::string_view text) {
  switch (kind) {
    case 'c':
    case 'j':
      return ReadListOfCaptions(kind, text);
    case 'f':
      return ReadFrameNames(text);
    default:
      return ReadListOfClasses(text);
  }
}

}  // namespace
}  // namespace heed::fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  return heed::fuzz::ReadKind(data, size, heed::fuzz::ReadImageTexts);
}
