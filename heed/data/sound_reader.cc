#include "heed/data/sound_reader.h"

#include <sndfile.h>
#define OV_EXCLUDE_STATIC_CALLBACKS
#include <vorbis/vorbisfile.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <utility>
#include <vector>

#include "heed/base/errors.h"
#include "heed/base/shared_library.h"

namespace heed {
namespace {

constexpr int kFramesAtOnce = 16384;

/// Functions of libsndfile with its codecs, and of libvorbisfile.
struct SndfileAndVorbis {
  SharedLibrary sndfile{"libsndfile.so.1", "libsndfile1"};
  HEED_FUNCTION(sndfile, sf_close);
  HEED_FUNCTION(sndfile, sf_error);
  HEED_FUNCTION(sndfile, sf_open_virtual);
  HEED_FUNCTION(sndfile, sf_readf_float);
  HEED_FUNCTION(sndfile, sf_strerror);
  SharedLibrary vorbisfile{"libvorbisfile.so.3", "libvorbisfile3"};
  HEED_FUNCTION(vorbisfile, ov_clear);
  HEED_FUNCTION(vorbisfile, ov_info);
  HEED_FUNCTION(vorbisfile, ov_open_callbacks);
  HEED_FUNCTION(vorbisfile, ov_read_float);
};

const SndfileAndVorbis& SoundLibraries() {
  static const SndfileAndVorbis libraries;
  return libraries;
}

/// Bytes as a file for the libraries.
struct ReadBytes {
  std::string_view bytes;
  int64_t at = 0;
};

int64_t ReadFromBytes(void* to, int64_t count, ReadBytes* from) {
  count = std::clamp<int64_t>(count, 0, std::ssize(from->bytes) - from->at);
  std::memcpy(to, from->bytes.data() + from->at, static_cast<size_t>(count));
  from->at += count;
  return count;
}

[[noreturn]] void ThrowDamaged(const std::string& place, const char* type,
                               const char* why) {
  throw FormatError("{}: a damaged {} file: {}", place, type, why);
}

sf_count_t SizeOfBytes(void* user) {
  return std::ssize(static_cast<ReadBytes*>(user)->bytes);
}

sf_count_t SeekBytes(sf_count_t offset, int whence, void* user) {
  auto& from = *static_cast<ReadBytes*>(user);
  const sf_count_t size = std::ssize(from.bytes);
  const sf_count_t base = whence == SEEK_CUR   ? from.at
                          : whence == SEEK_END ? size
                                               : 0;
  // Refuses positions outside of the file.
  if (offset > size - base || offset < -base) return -1;
  from.at = base + offset;
  return from.at;
}

sf_count_t ReadSndfileBytes(void* to, sf_count_t count, void* user) {
  return ReadFromBytes(to, count, static_cast<ReadBytes*>(user));
}

sf_count_t WriteNothing(const void*, sf_count_t, void*) { return 0; }
sf_count_t PlaceInBytes(void* user) {
  return static_cast<ReadBytes*>(user)->at;
}

/// Reader of all formats except Vorbis, with libsndfile.
class SndfileReader : public SoundReader {
 public:
  SndfileReader(std::string_view bytes, const char* type, std::string place)
      : from_{bytes}, type_(type), place_(std::move(place)) {
    SF_VIRTUAL_IO io = {SizeOfBytes, SeekBytes, ReadSndfileBytes, WriteNothing,
                        PlaceInBytes};
    file_.reset(
        SoundLibraries().sf_open_virtual(&io, SFM_READ, &info_, &from_));
    if (file_ == nullptr)
      ThrowDamaged(place_, type_, SoundLibraries().sf_strerror(nullptr));
  }

  int rate() const override { return info_.samplerate; }
  int channels() const override { return info_.channels; }
  std::optional<int64_t> frames() const override {
    if (info_.frames == SF_COUNT_MAX) return std::nullopt;
    return info_.frames;
  }

  std::span<const float> Next() override {
    const auto channels = static_cast<size_t>(info_.channels);
    samples_.resize(kFramesAtOnce * channels);
    const sf_count_t got = SoundLibraries().sf_readf_float(
        file_.get(), samples_.data(), kFramesAtOnce);
    if (SoundLibraries().sf_error(file_.get()) != SF_ERR_NO_ERROR) {
      ThrowDamaged(place_, type_, SoundLibraries().sf_strerror(file_.get()));
    }
    return std::span(samples_).first(
        static_cast<size_t>(std::max<sf_count_t>(got, 0)) * channels);
  }

 private:
  struct Close {
    void operator()(SNDFILE* file) const { SoundLibraries().sf_close(file); }
  };

  ReadBytes from_;
  const char* type_;
  std::string place_;
  SF_INFO info_ = {};
  std::unique_ptr<SNDFILE, Close> file_;
  std::vector<float> samples_;
};

size_t ReadVorbisBytes(void* to, size_t size, size_t count, void* user) {
  return static_cast<size_t>(ReadFromBytes(
      to, static_cast<int64_t>(size * count), static_cast<ReadBytes*>(user)));
}

/// Reader of Ogg Vorbis without seeking to find the length. libsndfile 1.2
/// leaks memory for files with damaged headers.
class VorbisReader : public SoundReader {
 public:
  VorbisReader(std::string_view bytes, std::string place)
      : from_{bytes}, place_(std::move(place)) {
    const ov_callbacks read = {ReadVorbisBytes, nullptr, nullptr, nullptr};
    if (SoundLibraries().ov_open_callbacks(&from_, &file_, nullptr, 0, read) !=
        0) {
      ThrowDamaged(place_, "Ogg", "no header of Vorbis");
    }
  }
  ~VorbisReader() override { SoundLibraries().ov_clear(&file_); }
  VorbisReader(const VorbisReader&) = delete;
  VorbisReader& operator=(const VorbisReader&) = delete;

  int rate() const override {
    return static_cast<int>(SoundLibraries().ov_info(&file_, -1)->rate);
  }
  int channels() const override {
    return SoundLibraries().ov_info(&file_, -1)->channels;
  }
  std::optional<int64_t> frames() const override { return std::nullopt; }

  std::span<const float> Next() override {
    float** channels_of = nullptr;
    const long got = SoundLibraries().ov_read_float(&file_, &channels_of,
                                                    kFramesAtOnce, nullptr);
    if (got < 0) ThrowDamaged(place_, "Ogg", "a gap in its samples");
    const auto count = static_cast<size_t>(channels());
    samples_.resize(static_cast<size_t>(got) * count);
    for (size_t c = 0; c < count && got > 0; ++c) {
      for (size_t i = 0; i < static_cast<size_t>(got); ++i) {
        samples_[i * count + c] = channels_of[c][i];
      }
    }
    return samples_;
  }

 private:
  ReadBytes from_;
  std::string place_;
  // ov_info takes no const pointer, but changes nothing.
  mutable OggVorbis_File file_ = {};
  std::vector<float> samples_;
};

/// True if the first packet of an Ogg file is Vorbis.
bool IsVorbis(std::string_view bytes) {
  constexpr size_t kHeader = 27;
  if (!bytes.starts_with("OggS") || bytes.size() < kHeader) return false;
  const size_t packet = kHeader + static_cast<uint8_t>(bytes[kHeader - 1]);
  return packet < bytes.size() &&
         bytes.substr(packet).starts_with("\x01vorbis");
}

}  // namespace

std::unique_ptr<SoundReader> MakeSoundReader(std::string_view bytes,
                                             const char* type,
                                             const std::string& place) {
  if (IsVorbis(bytes)) return std::make_unique<VorbisReader>(bytes, place);
  return std::make_unique<SndfileReader>(bytes, type, place);
}

}  // namespace heed
