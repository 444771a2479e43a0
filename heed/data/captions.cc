#include "heed/data/captions.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "heed/base/at.h"
#include "heed/base/errors.h"
#include "heed/base/json.h"
#include "heed/base/text.h"
#include "heed/data/caption_list.h"
#include "heed/data/image_features.h"
#include "heed/io/file.h"

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

std::vector<std::vector<std::string>> CaptionedImages::References() const {
  std::vector<std::vector<std::string>> references(static_cast<size_t>(size()));
  for (size_t i = 0; i < captions.size(); ++i) {
    heed::At(references, image_of[i]).push_back(captions[i]);
  }
  return references;
}

CaptionedImages CaptionedImages::Slice(int64_t begin, int64_t end) const {
  CaptionedImages part;
  part.format = format;
  if (features.empty()) {
    const auto own = PixelsOf(begin, end);
    part.pixels.assign(own.begin(), own.end());
  } else {
    part.features.assign(features.begin() + begin, features.begin() + end);
  }
  for (size_t i = 0; i < captions.size(); ++i) {
    if (image_of[i] < begin || image_of[i] >= end) continue;
    part.image_of.push_back(image_of[i] - begin);
    part.captions.push_back(captions[i]);
    part.boxes.push_back(boxes[i]);
  }
  return part;
}

Tensor CaptionedImages::Batch(std::span<const int64_t> images) const {
  if (features.empty()) return ImageBatch(*this, images);
  Tensor batch(
      {std::ssize(images), format.height, format.width, format.channels});
  float* next = batch.data<float>();
  for (const int64_t i : images) {
    next =
        std::copy_n(heed::At(features, i).data<float>(), format.size(), next);
  }
  return batch;
}

uint32_t SourceChecksum(const CaptionedImages& set) {
  if (set.features.empty()) return PixelChecksum(set);
  std::string sums;
  for (const Tensor& one : set.features) {
    const auto* bytes = reinterpret_cast<const char*>(one.data<float>());
    sums += fmt::format(
        "{:08x}",
        Crc32({bytes, static_cast<size_t>(one.numel()) * sizeof(float)}));
  }
  return Crc32(sums);
}

CaptionedImages ReadCaptions(const CaptionFiles& files, CaptionSplit split,
                             ImageFeatures& features) {
  CaptionList listed = ReadCaptionList(files, split);
  CaptionedImages set;
  set.format = features.format();
  set.features = features.Of(listed);
  for (ListedCaption& caption : listed.captions) {
    set.boxes.emplace_back();
    set.image_of.push_back(caption.image);
    set.captions.push_back(std::move(caption.text));
  }
  return set;
}

CaptionedImages ReadCaptions(const CaptionFiles& files, CaptionSplit split,
                             const ImageFormat& format) {
  CaptionList listed = ReadCaptionList(files, split);
  FilePixels read = ReadImageFiles(listed.images, format);
  CaptionedImages set;
  set.format = read.format;
  set.pixels = std::move(read.pixels);
  for (ListedCaption& caption : listed.captions) {
    auto& boxes = set.boxes.emplace_back();
    if (!caption.boxes.empty()) {
      const ImageFormat& own = At(read.own, caption.image);
      const FittedPlace place = PlaceOfFitted(own, set.format);
      const int64_t words = std::ssize(SplitWhitespace(caption.text));
      for (const WordBox& box :
           ParseBoxes(caption.boxes, words, own, caption.place)) {
        boxes.push_back(FittedBox(box, own, place));
      }
    }
    set.image_of.push_back(caption.image);
    set.captions.push_back(std::move(caption.text));
  }
  return set;
}

}  // namespace heed
