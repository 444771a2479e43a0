#include "heed/data/clips.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <numeric>
#include <optional>
#include <tuple>
#include <utility>

#include "heed/base/at.h"
#include "heed/base/errors.h"
#include "heed/base/text.h"
#include "heed/data/image_files.h"

namespace heed {
namespace {

/// The last run of digits in a file's name, without its ending.
std::optional<int64_t> NumberOfFrame(const std::filesystem::path& path) {
  const std::string stem = path.stem().string();
  constexpr const char* kDigits = "0123456789";
  const size_t last = stem.find_last_of(kDigits);
  if (last == stem.npos) return std::nullopt;
  const size_t before = stem.find_last_not_of(kDigits, last);
  const size_t first = before == stem.npos ? 0 : before + 1;
  return ParseInteger<int64_t>(stem.substr(first, last + 1 - first));
}

/// The frames of a clip in the order of their numbers.
std::vector<ImageFile> FramesInFolder(ImageFolder& entries,
                                      const std::filesystem::path& folder,
                                      int64_t min) {
  std::vector<std::pair<int64_t, ImageFile>> numbered;
  for (const auto& path : entries.ImagesIn(folder)) {
    const auto number = NumberOfFrame(path);
    if (!number) {
      throw FormatError("{}: a frame's name has no number", path.string());
    }
    numbered.push_back({*number, {path.string(), path.string()}});
  }
  if (std::ssize(numbered) < min) {
    throw FormatError("{}: {}; a clip needs {} at least", folder.string(),
                      numbered.size() == 1
                          ? "1 frame"
                          : std::to_string(numbered.size()) + " frames",
                      min);
  }
  std::ranges::stable_sort(numbered, {}, &std::pair<int64_t, ImageFile>::first);
  std::vector<ImageFile> files;
  for (auto& [number, file] : numbered) files.push_back(std::move(file));
  return files;
}

/// Throws: FormatError unless all frames have the size of the first one.
void CheckSizes(const std::vector<ImageFile>& files,
                const std::vector<ImageFormat>& own) {
  for (size_t i = 1; i < own.size(); ++i) {
    if (own[i].height == own[0].height && own[i].width == own[0].width) {
      continue;
    }
    throw FormatError("{}: a frame of {} × {} pixels; {} has {} × {}",
                      files[i].place, own[i].width, own[i].height,
                      files[0].place, own[0].width, own[0].height);
  }
}

double MeanDifference(std::span<const uint8_t> a, std::span<const uint8_t> b) {
  int64_t sum = 0;
  for (size_t i = 0; i < a.size(); ++i) sum += std::abs(a[i] - b[i]);
  return static_cast<double>(sum) / static_cast<double>(a.size());
}

/// Copies the frames of a tuple into a strip, [H, 3 W, C].
template <typename Out, typename Convert>
void WriteStrip(const Clips& clips, const FrameTuple& tuple, Out* out,
                const Convert& convert) {
  const ImageFormat& format = clips.format;
  for (int64_t y = 0; y < format.height; ++y) {
    for (const int64_t frame : tuple.frames) {
      const auto row = clips.PixelsOf(frame).subspan(
          static_cast<size_t>(y * format.width * format.channels),
          static_cast<size_t>(format.width * format.channels));
      for (int64_t x = 0; x < format.width; ++x) {
        const int64_t from = tuple.mirrored ? format.width - 1 - x : x;
        for (int64_t c = 0; c < format.channels; ++c) {
          *out++ = convert(At(row, from * format.channels + c));
        }
      }
    }
  }
}

}  // namespace

void Clips::AddClip(int64_t frames) {
  const int64_t begin = begins.back();
  const int64_t end = begin + frames;
  begins.push_back(end);
  for (int64_t i = begin; i < end; ++i) {
    motion.push_back(i + 1 < end ? MeanDifference(PixelsOf(i), PixelsOf(i + 1))
                                 : 0);
  }
}

Clips Clips::Slice(int64_t begin, int64_t end) const {
  Clips part;
  part.format = format;
  const int64_t first = heed::At(begins, begin);
  const auto own = PixelsOf(first, heed::At(begins, end));
  part.pixels.assign(own.begin(), own.end());
  for (int64_t clip = begin; clip < end; ++clip) part.AddClip(FramesOf(clip));
  return part;
}

Clips ReadClips(const std::string& folder, const ImageFormat& format,
                int64_t min) {
  std::vector<ImageFile> files;
  std::vector<int64_t> lengths;
  ImageFolder entries(folder);
  for (const auto& entry : entries.Folders()) {
    std::vector<ImageFile> own = FramesInFolder(entries, entry, min);
    lengths.push_back(std::ssize(own));
    std::ranges::move(own, std::back_inserter(files));
  }
  if (files.empty()) {
    throw FormatError(
        "{}: no clips; a folder has a folder for each clip, with numbered "
        "frames as PNG or JPEG files",
        folder);
  }
  entries.WarnOfSkipped();
  const bool of_first = format.height == 0;
  FilePixels read = ReadImageFiles(files, format);
  if (of_first) CheckSizes(files, read.own);
  Clips clips;
  clips.format = read.format;
  clips.pixels = std::move(read.pixels);
  for (const int64_t length : lengths) clips.AddClip(length);
  return clips;
}

FrameTuple DrawTuple(const Clips& clips, int64_t clip, int64_t spacing,
                     bool in_order, Rng& rng) {
  const int64_t reach = (kWindowFrames - 1) * spacing;
  const int64_t places = clips.FramesOf(clip) - reach;
  const int64_t begin = At(clips.begins, clip);
  std::vector<double> sums;  // of the motion in the windows up to each place
  for (int64_t place = 0; place < places; ++place) {
    const auto from = clips.motion.begin() + begin + place;
    sums.push_back((sums.empty() ? 0 : sums.back()) +
                   std::accumulate(from, from + reach, 0.0));
  }
  // Where nothing moves every place is as good.
  const double drawn = rng.Uniform();
  const int64_t place =
      sums.back() > 0
          ? std::ranges::upper_bound(sums, drawn * sums.back()) - sums.begin()
          : static_cast<int64_t>(drawn * static_cast<double>(places));
  const auto frame = [&](int64_t number) {
    return begin + std::min(place, places - 1) + number * spacing;
  };
  const int64_t outside = rng.Below(2) == 0 ? 0 : kWindowFrames - 1;
  FrameTuple tuple;
  tuple.in_order = in_order;
  tuple.frames = {frame(1), frame(in_order ? 2 : outside), frame(3)};
  if (rng.Below(2) == 1) std::swap(tuple.frames.front(), tuple.frames.back());
  return tuple;
}

ImageFormat StripFormat(const ImageFormat& frame) {
  return {frame.height, kTupleFrames * frame.width, frame.channels};
}

Image StripOf(const Clips& clips, const FrameTuple& tuple) {
  const ImageFormat format = StripFormat(clips.format);
  Image strip = {format.height, format.width, format.channels, {}};
  strip.pixels.resize(static_cast<size_t>(format.size()));
  WriteStrip(clips, tuple, strip.pixels.data(),
             [](uint8_t pixel) { return pixel; });
  return strip;
}

Tensor StripBatch(const Clips& clips, std::span<const FrameTuple> tuples) {
  const ImageFormat format = StripFormat(clips.format);
  Tensor strips(
      {std::ssize(tuples), format.height, format.width, format.channels});
  float* out = strips.data<float>();
  for (const FrameTuple& tuple : tuples) {
    WriteStrip(clips, tuple, out,
               [](uint8_t pixel) { return static_cast<float>(pixel) / 255; });
    out += format.size();
  }
  return strips;
}

}  // namespace heed
