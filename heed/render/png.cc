#include "heed/render/png.h"

#include <cairo.h>
#include <librsvg/rsvg.h>

#include <cmath>
#include <cstdint>
#include <memory>

#include "heed/base/errors.h"
#include "heed/base/memory.h"
#include "heed/base/shared_library.h"

namespace heed {
namespace {

constexpr double kMaxPixelsAside = 30000;  // Cairo's limit is 32767
constexpr double kMaxPixels = 4e8;

/// librsvg with GLib and Cairo, loaded on demand, because loading takes longer
/// than the rest of the program start.
struct Rsvg {
  SharedLibrary library{"librsvg-2.so.2", "librsvg2-2"};
  HEED_FUNCTION(library, rsvg_handle_new_from_data);
  HEED_FUNCTION(library, rsvg_handle_get_intrinsic_size_in_pixels);
  HEED_FUNCTION(library, rsvg_handle_render_document);
  HEED_FUNCTION(library, g_object_unref);
  HEED_FUNCTION(library, g_error_free);
  HEED_FUNCTION(library, cairo_create);
  HEED_FUNCTION(library, cairo_destroy);
  HEED_FUNCTION(library, cairo_image_surface_create);
  HEED_FUNCTION(library, cairo_status);
  HEED_FUNCTION(library, cairo_status_to_string);
  HEED_FUNCTION(library, cairo_surface_destroy);
  HEED_FUNCTION(library, cairo_surface_status);
  HEED_FUNCTION(library, cairo_surface_write_to_png_stream);
};

const Rsvg& Library() {
  static const Rsvg library;
  return library;
}

struct Unref {
  void operator()(RsvgHandle* handle) const {
    Library().g_object_unref(handle);
  }
  void operator()(GError* error) const { Library().g_error_free(error); }
  void operator()(cairo_surface_t* surface) const {
    Library().cairo_surface_destroy(surface);
  }
  void operator()(cairo_t* context) const { Library().cairo_destroy(context); }
};
template <typename T>
using Owned = std::unique_ptr<T, Unref>;

Owned<RsvgHandle> Parse(std::string_view svg) {
  GError* raw_error = nullptr;
  Owned<RsvgHandle> handle(Library().rsvg_handle_new_from_data(
      reinterpret_cast<const guint8*>(svg.data()), svg.size(), &raw_error));
  const Owned<GError> error(raw_error);
  if (handle) return handle;
  throw FormatError("png: not an SVG picture: {}",
                    error ? error->message : "unknown reason");
}

void CheckCairo(cairo_status_t status) {
  if (status == CAIRO_STATUS_SUCCESS) return;
  throw IoError("png: {}", Library().cairo_status_to_string(status));
}

// Memory of the fonts, and of a Pango thread with its stack and its arena.
constexpr size_t kForFonts = size_t{1} << 28;

size_t BytesOf(double pixels) {
  return 2 * sizeof(uint32_t) * static_cast<size_t>(pixels);
}

// Called from C, so it returns an error instead of throwing.
cairo_status_t Append(void* png, const unsigned char* data,
                      unsigned int size) noexcept {
  try {
    static_cast<std::string*>(png)->append(reinterpret_cast<const char*>(data),
                                           size);
  } catch (const std::bad_alloc&) {
    return CAIRO_STATUS_NO_MEMORY;
  }
  return CAIRO_STATUS_SUCCESS;
}

}  // namespace

std::string SvgToPng(std::string_view svg, double scale) {
  if (!(scale >= 0.1 && scale <= 10)) {
    throw ConfigError("png: scale {} is not in 0.1 to 10", scale);
  }
  RequireMemory(kForFonts);
  const Owned<RsvgHandle> handle = Parse(svg);
  double width = 0;
  double height = 0;
  if (Library().rsvg_handle_get_intrinsic_size_in_pixels(handle.get(), &width,
                                                         &height) == 0 ||
      !(width > 0) || !(height > 0)) {
    throw FormatError("png: the SVG picture has no size in pixels");
  }
  const double columns = std::ceil(width * scale);
  const double rows = std::ceil(height * scale);
  if (columns > kMaxPixelsAside || rows > kMaxPixelsAside ||
      columns * rows > kMaxPixels) {
    throw IoError(
        "png: {:.0f}×{:.0f} pixels are too many; write SVG, or "
        "explain a shorter text",
        columns, rows);
  }
  RequireMemory(kForFonts + BytesOf(columns * rows));
  const Owned<cairo_surface_t> surface(Library().cairo_image_surface_create(
      CAIRO_FORMAT_ARGB32, static_cast<int>(columns), static_cast<int>(rows)));
  CheckCairo(Library().cairo_surface_status(surface.get()));
  const Owned<cairo_t> context(Library().cairo_create(surface.get()));
  const RsvgRectangle viewport = {0, 0, columns, rows};
  GError* raw_error = nullptr;
  const bool drawn =
      Library().rsvg_handle_render_document(handle.get(), context.get(),
                                            &viewport, &raw_error) != 0;
  const Owned<GError> error(raw_error);
  if (!drawn) {
    throw FormatError("png: the picture cannot be drawn: {}",
                      error ? error->message : "unknown reason");
  }
  CheckCairo(Library().cairo_status(context.get()));
  std::string png;
  CheckCairo(
      Library().cairo_surface_write_to_png_stream(surface.get(), Append, &png));
  return png;
}

}  // namespace heed
