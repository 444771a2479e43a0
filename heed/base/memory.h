// Whether there is memory, for what does not ask.
#ifndef HEED_BASE_MEMORY_H_
#define HEED_BASE_MEMORY_H_

#include <cstddef>

namespace heed {

/// Before a call of a library that ends the process, or crashes, when it gets
/// no memory (GLib, Pango, librsvg; the code that oneDNN generates): sees
/// whether the process may have so many bytes more, and gives them back.
/// Throws: std::bad_alloc.
void RequireMemory(size_t bytes);

}  // namespace heed

#endif  // HEED_BASE_MEMORY_H_
