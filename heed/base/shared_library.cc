#include "heed/base/shared_library.h"

#include <dlfcn.h>

#include <utility>

#include "heed/base/errors.h"
#include "heed/base/memory.h"

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
/// Fontconfig's fonts are kept by librsvg for each thread; LeakSanitizer does
/// not look into the thread storage of libraries that are loaded later.
extern "C" const char* __lsan_default_suppressions() {  // NOLINT
  return "leak:libfontconfig\n";
}
#endif
#endif

namespace heed {
namespace {

/// Address space for a library and its dependencies.
constexpr size_t kForLibraries = size_t{1} << 26;

}  // namespace

SharedLibrary::SharedLibrary(std::string name, const std::string& package)
    : name_(std::move(name)) {
  RequireMemory(kForLibraries);
  handle_ = dlopen(name_.c_str(), RTLD_LAZY);
  if (handle_ != nullptr) return;
  throw IoError("{} cannot be loaded ({}): install the package {}", name_,
                dlerror(), package);
}

SharedLibrary::Function SharedLibrary::operator[](const char* function) const {
  void* address = dlsym(handle_, function);
  if (address == nullptr) {
    throw IoError("{} has no function {}: it is another version", name_,
                  function);
  }
  return Function(address);
}

}  // namespace heed
