#include "heed/data/captions.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "heed/base/at.h"
#include "heed/base/errors.h"
#include "heed/base/json.h"
#include "heed/base/text.h"
#include "heed/data/image_files.h"

namespace heed {
namespace {

constexpr size_t kBoxNumbers = 5;

/// [word, left, top, right, bottom] in pixels of the file.
std::vector<WordBox> ParseBoxes(const std::string& text, int64_t words,
                                const ImageFormat& own,
                                const std::string& place) {
  const auto json = ParseJson(text, place + ", boxes");
  const auto refuse = [&place] {
    return FormatError(
        "{}: boxes are [[word, left, top, right, bottom], ..], of words of the "
        "caption by number from 0 and pixels of the image",
        place);
  };
  if (!json.is_array()) throw refuse();
  std::vector<WordBox> boxes;
  for (const auto& entry : json) {
    if (!entry.is_array() || entry.size() != kBoxNumbers ||
        !std::ranges::all_of(
            entry, [](const auto& n) { return n.is_number_integer(); })) {
      throw refuse();
    }
    const auto n = entry.get<std::vector<int64_t>>();
    const WordBox box = {n[0], n[1], n[2], n[3], n[4]};
    if (box.word < 0 || box.word >= words || box.left < 0 || box.top < 0 ||
        box.left >= box.right || box.top >= box.bottom ||
        box.right > own.width || box.bottom > own.height) {
      throw refuse();
    }
    boxes.push_back(box);
  }
  return boxes;
}

/// The box where Fitted puts it.
WordBox FittedBox(const WordBox& box, const ImageFormat& own,
                  const FittedPlace& place) {
  const auto moved = [](int64_t at, int64_t from, int64_t to, int64_t begin,
                        bool up) {
    const double scaled = static_cast<double>(at) * static_cast<double>(to) /
                          static_cast<double>(from);
    return begin +
           static_cast<int64_t>(up ? std::ceil(scaled) : std::floor(scaled));
  };
  return {box.word, moved(box.left, own.width, place.width, place.left, false),
          moved(box.top, own.height, place.height, place.top, false),
          moved(box.right, own.width, place.width, place.left, true),
          moved(box.bottom, own.height, place.height, place.top, true)};
}

}  // namespace

CaptionedImages CaptionedImages::Slice(int64_t begin, int64_t end) const {
  CaptionedImages part;
  part.format = format;
  const auto own = PixelsOf(begin, end);
  part.pixels.assign(own.begin(), own.end());
  part.captions.assign(captions.begin() + begin, captions.begin() + end);
  part.boxes.assign(boxes.begin() + begin, boxes.begin() + end);
  return part;
}

CaptionedImages ReadCaptions(const std::string& list,
                             const ImageFormat& format) {
  std::vector<ListedImage> images = ReadImageList(list, "caption");
  if (images.empty()) throw FormatError("{}: no images", list);
  std::vector<ImageFile> files;
  for (const ListedImage& image : images) files.push_back(image.file);
  FilePixels read = ReadImageFiles(files, format);
  CaptionedImages set;
  set.format = read.format;
  set.pixels = std::move(read.pixels);
  for (size_t i = 0; i < images.size(); ++i) {
    const auto& columns = images[i].columns;
    const int64_t words = std::ssize(SplitWhitespace(columns[0]));
    if (columns.size() > 2) {
      throw FormatError(
          "{}: {} columns; a path, a caption and boxes are read, with a tab "
          "between them",
          files[i].place, columns.size() + 1);
    }
    if (words == 0) {
      throw FormatError("{}: a caption without words", files[i].place);
    }
    set.captions.push_back(columns[0]);
    auto& boxes = set.boxes.emplace_back();
    if (columns.size() < 2 || columns[1].empty()) continue;
    const ImageFormat& own = read.own[i];
    const FittedPlace place = PlaceOfFitted(own, set.format);
    for (const WordBox& box :
         ParseBoxes(columns[1], words, own, files[i].place)) {
      boxes.push_back(FittedBox(box, own, place));
    }
  }
  return set;
}

}  // namespace heed
