// Whether there is memory, for what does not ask, and how much was taken.
#ifndef HEED_BASE_MEMORY_H_
#define HEED_BASE_MEMORY_H_

#include <cstddef>
#include <cstdint>

namespace heed {

/// Before a call of a library that ends the process, or crashes, when it gets
/// no memory (GLib, Pango, librsvg; the code that oneDNN generates): sees
/// whether the process may have so many bytes more, and gives them back.
/// Throws: std::bad_alloc.
void RequireMemory(size_t bytes);

/// The most memory that the process had at once since ResetPeakMemory, or since
/// it started: what it read of its libraries and files is among it.
/// Units: bytes; 0 where the system does not say.
int64_t PeakMemory();
/// Does nothing where the system does not allow it.
void ResetPeakMemory();

}  // namespace heed

#endif  // HEED_BASE_MEMORY_H_
