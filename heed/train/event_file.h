// Event files of TensorBoard.
//
// A file is a sequence of records: length (u64), masked CRC-32C of the length,
// data, masked CRC-32C of the data, all little-endian. The data is a protobuf
//   Event   { double wall_time = 1; int64 step = 2;
//             string file_version = 3; Summary summary = 5; }
//   Summary { repeated Value value = 1; }
//   Value   { string tag = 1; float simple_value = 2; }
#ifndef HEED_TRAIN_EVENT_FILE_H_
#define HEED_TRAIN_EVENT_FILE_H_

#include <cstdint>
#include <string>
#include <string_view>

#include "heed/metrics/metrics.h"

namespace heed {

/// CRC-32C (Castagnoli).
uint32_t Crc32c(std::string_view bytes);

/// First record of every event file.
std::string EventFileHeader(double wall_time);

/// Record of the metrics of one step.
std::string EventRecord(double wall_time, int64_t step, const Metrics& metrics);

/// Prefix of `file` before the first record that is damaged, truncated, or of a
/// step after `last_step`.
std::string_view EventsUpTo(std::string_view file, int64_t last_step);

}  // namespace heed

#endif  // HEED_TRAIN_EVENT_FILE_H_
