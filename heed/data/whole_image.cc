#include "heed/data/whole_image.h"

#include <zlib.h>

#include <algorithm>
#include <array>
#include <csetjmp>
#include <cstdio>
#include <vector>

// This order is required: each header needs the ones before it.
// clang-format off
#include <jpeglib.h>
#include <jerror.h>
// clang-format on

#include "heed/base/errors.h"

namespace heed {
namespace {

constexpr std::string_view kPngSignature = "\x89PNG\r\n\x1a\n";
constexpr std::string_view kJpegSignature = "\xff\xd8\xff";
constexpr size_t kChunkFrame = 12;  // length, name and checksum of a PNG chunk

int64_t BigEndian(std::string_view bytes, size_t at, size_t count) {
  int64_t value = 0;
  for (size_t i = 0; i < count; ++i) {
    value = value << 8 | static_cast<uint8_t>(bytes[at + i]);
  }
  return value;
}

[[noreturn]] void ThrowTruncated(const std::string& place, const char* type) {
  throw FormatError("{}: a truncated {} file", place, type);
}

struct PngChunk {
  std::string_view name;
  std::string_view content;
};

/// Reads the chunk at `at` and advances `at` to the next one.
PngChunk NextChunk(std::string_view bytes, size_t& at,
                   const std::string& place) {
  if (at + kChunkFrame > bytes.size()) ThrowTruncated(place, "PNG");
  const auto length = static_cast<size_t>(BigEndian(bytes, at, 4));
  if (length > bytes.size() - at - kChunkFrame) ThrowTruncated(place, "PNG");
  const PngChunk chunk = {bytes.substr(at + 4, 4),
                          bytes.substr(at + 8, length)};
  at += kChunkFrame + length;
  return chunk;
}

/// Bytes of an image's rows, each with a filter byte.
int64_t BytesOfRows(int64_t width, int64_t height, int64_t bits) {
  return width < 1 || height < 1 ? 0 : height * (1 + (width * bits + 7) / 8);
}

/// Uncompressed bytes of pixels by a PNG's header.
int64_t ClaimedBytes(std::string_view header, const std::string& place) {
  constexpr std::array<int64_t, 7> kChannels = {1, 0, 3, 1, 2, 0, 4};
  const int64_t width = BigEndian(header, 0, 4);
  const int64_t height = BigEndian(header, 4, 4);
  const int64_t depth = BigEndian(header, 8, 1);
  const auto colour = static_cast<size_t>(BigEndian(header, 9, 1));
  if (colour >= kChannels.size() || kChannels[colour] == 0 || depth < 1 ||
      depth > 16) {
    throw FormatError("{}: a damaged image: colours of no kind", place);
  }
  const int64_t bits = depth * kChannels[colour];
  if (header[12] == 0) return BytesOfRows(width, height, bits);
  // Adam7: seven images, each a subsampled grid of the pixels.
  struct Pass {
    int64_t x, y, across, down;
  };
  constexpr std::array<Pass, 7> kPasses = {{{0, 0, 8, 8},
                                            {4, 0, 8, 8},
                                            {0, 4, 4, 8},
                                            {2, 0, 4, 4},
                                            {0, 2, 2, 4},
                                            {1, 0, 2, 2},
                                            {0, 1, 1, 2}}};
  int64_t bytes = 0;
  for (const Pass& pass : kPasses) {
    bytes += BytesOfRows((width - pass.x + pass.across - 1) / pass.across,
                         (height - pass.y + pass.down - 1) / pass.down, bits);
  }
  return bytes;
}

/// Counts decompressed bytes, up to `max`.
class UnpackedSize {
 public:
  UnpackedSize(int64_t max, const std::string& place)
      : max_(max), place_(place), buffer_(size_t{1} << 16) {
    if (inflateInit(&stream_) != Z_OK) throw IoError("zlib: no memory");
  }
  ~UnpackedSize() { inflateEnd(&stream_); }
  UnpackedSize(const UnpackedSize&) = delete;
  UnpackedSize& operator=(const UnpackedSize&) = delete;

  int64_t size() const { return size_; }

  /// Throws: FormatError if the bytes cannot be decompressed.
  void Add(std::string_view packed) {
    // zlib does not write to its input.
    stream_.next_in =
        const_cast<Bytef*>(reinterpret_cast<const Bytef*>(packed.data()));
    stream_.avail_in = static_cast<uInt>(packed.size());
    while (size_ < max_ && !ended_) {
      stream_.next_out = buffer_.data();
      stream_.avail_out = static_cast<uInt>(buffer_.size());
      const int state = inflate(&stream_, Z_NO_FLUSH);
      if (state != Z_OK && state != Z_STREAM_END && state != Z_BUF_ERROR) {
        throw FormatError("{}: a damaged image: its pixels cannot be unpacked",
                          place_);
      }
      ended_ = state == Z_STREAM_END;
      const auto added =
          static_cast<int64_t>(buffer_.size() - stream_.avail_out);
      size_ += added;
      if (added == 0 && stream_.avail_in == 0) return;
    }
  }

 private:
  int64_t max_;
  const std::string& place_;
  std::vector<Bytef> buffer_;
  z_stream stream_ = {};
  int64_t size_ = 0;
  bool ended_ = false;
};

bool IsStartOfFrame(uint8_t marker) {
  return marker >= 0xc0 && marker <= 0xcf && marker != 0xc4 && marker != 0xc8 &&
         marker != 0xcc;
}

/// Error state of libjpeg: jump target and message.
struct JpegFailure {
  jpeg_error_mgr manager = {};
  std::jmp_buf back = {};
  bool truncated = false;
  std::array<char, JMSG_LENGTH_MAX> message = {};
};

[[noreturn]] void LeaveJpeg(j_common_ptr info) {
  // `manager` is the first member of JpegFailure.
  auto* failure = reinterpret_cast<JpegFailure*>(info->err);
  failure->manager.format_message(info, failure->message.data());
  std::longjmp(failure->back, 1);
}

/// Treats warnings as errors, because libjpeg would continue with wrong pixels.
void HearJpeg(j_common_ptr info, int level) {
  if (level >= 0) return;
  auto* failure = reinterpret_cast<JpegFailure*>(info->err);
  const int code = failure->manager.msg_code;
  failure->truncated = code == JWRN_HIT_MARKER || code == JWRN_JPEG_EOF;
  if (failure->truncated || code == JWRN_HUFF_BAD_CODE ||
      code == JWRN_ARITH_BAD_CODE || code == JWRN_MUST_RESYNC) {
    LeaveJpeg(info);
  }
}

/// Decodes an image at an eighth of its size, row by row, which reads all
/// scans. This function must have no objects with destructors, because libjpeg
/// jumps out of it.
bool ReadsAllScans(std::string_view bytes, JpegFailure& failure) {
  jpeg_decompress_struct info = {};
  info.err = jpeg_std_error(&failure.manager);
  failure.manager.error_exit = LeaveJpeg;
  failure.manager.emit_message = HearJpeg;
  if (setjmp(failure.back) != 0) {
    jpeg_destroy_decompress(&info);
    return false;
  }
  jpeg_create_decompress(&info);
  jpeg_mem_src(&info, reinterpret_cast<const unsigned char*>(bytes.data()),
               bytes.size());
  jpeg_read_header(&info, TRUE);
  info.scale_num = 1;
  info.scale_denom = 8;
  info.dct_method = JDCT_IFAST;
  info.out_color_space = info.jpeg_color_space;
  jpeg_start_decompress(&info);
  const auto width =
      static_cast<JDIMENSION>(info.output_components) * info.output_width;
  JSAMPARRAY row = info.mem->alloc_sarray(reinterpret_cast<j_common_ptr>(&info),
                                          JPOOL_IMAGE, width, 1);
  while (info.output_scanline < info.output_height) {
    jpeg_read_scanlines(&info, row, 1);
  }
  jpeg_finish_decompress(&info);
  jpeg_destroy_decompress(&info);
  return true;
}

}  // namespace

bool IsPng(std::string_view bytes) { return bytes.starts_with(kPngSignature); }

bool IsJpeg(std::string_view bytes) {
  return bytes.starts_with(kJpegSignature);
}

ImageSize PngSize(std::string_view bytes, const std::string& place) {
  size_t at = kPngSignature.size();
  ImageSize size;
  for (bool first = true;; first = false) {
    const PngChunk chunk = NextChunk(bytes, at, place);
    const bool header = chunk.name == "IHDR";
    if (first != header || (header && chunk.content.size() != 13)) {
      throw FormatError(
          "{}: a damaged PNG file: its header is not the first "
          "part",
          place);
    }
    if (header) {
      size = {BigEndian(chunk.content, 0, 4), BigEndian(chunk.content, 4, 4)};
    }
    if (chunk.name == "IEND") return size;
  }
}

void CheckPngPixels(std::string_view bytes, const std::string& place) {
  size_t at = kPngSignature.size();
  const int64_t claimed =
      ClaimedBytes(NextChunk(bytes, at, place).content, place);
  UnpackedSize unpacked(claimed, place);
  while (unpacked.size() < claimed) {
    const PngChunk chunk = NextChunk(bytes, at, place);
    if (chunk.name == "IDAT") unpacked.Add(chunk.content);
    if (chunk.name == "IEND") break;
  }
  if (unpacked.size() >= claimed) return;
  throw FormatError(
      "{}: a truncated PNG file: {} bytes of pixels where its header says {}",
      place, unpacked.size(), claimed);
}

ImageSize JpegSize(std::string_view bytes, const std::string& place) {
  if (bytes.rfind("\xff\xd9") == bytes.npos) ThrowTruncated(place, "JPEG");
  size_t at = 2;
  while (at + 4 <= bytes.size()) {
    if (bytes[at] != '\xff') {
      throw FormatError("{}: a damaged JPEG file", place);
    }
    const auto marker = static_cast<uint8_t>(bytes[at + 1]);
    if (marker == 0xff) {  // fill byte
      ++at;
      continue;
    }
    const auto length = static_cast<size_t>(BigEndian(bytes, at + 2, 2));
    if (IsStartOfFrame(marker)) {
      if (at + 9 > bytes.size()) break;
      return {BigEndian(bytes, at + 7, 2), BigEndian(bytes, at + 5, 2)};
    }
    at += 2 + std::max<size_t>(length, 2);
  }
  ThrowTruncated(place, "JPEG");
}

void CheckJpegPixels(std::string_view bytes, const std::string& place) {
  JpegFailure failure;
  if (ReadsAllScans(bytes, failure)) return;
  if (failure.truncated) {
    throw FormatError("{}: a truncated JPEG file: pixels are missing", place);
  }
  throw FormatError("{}: a damaged image: {}", place, failure.message.data());
}

}  // namespace heed
