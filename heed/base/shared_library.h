// Shared libraries loaded on first use.
#ifndef HEED_BASE_SHARED_LIBRARY_H_
#define HEED_BASE_SHARED_LIBRARY_H_

#include <string>

namespace heed {

/// Shared library that is loaded at run time, so that programs which do not use
/// it start faster. Stays loaded until the process ends. Declared functions
/// become members of a struct:
///
///   struct Cairo {
///     SharedLibrary library{"libcairo.so.2", "libcairo2"};
///     HEED_FUNCTION(library, cairo_create);
///   };
class SharedLibrary {
 public:
  /// Loads `name`, as the dynamic linker finds it; `package` contains it.
  /// Throws: IoError, with the package to install, if it cannot be loaded;
  /// std::bad_alloc if memory is insufficient.
  SharedLibrary(std::string name, const std::string& package);

  /// Address of a function, convertible to any function pointer.
  class Function {
   public:
    explicit Function(void* address) : address_(address) {}
    template <typename F>
    operator F*() const {  // NOLINT(google-explicit-constructor)
      return reinterpret_cast<F*>(address_);
    }

   private:
    void* address_;
  };

  /// Looks up a function of the library or of its dependencies. Throws: IoError
  /// if there is none of this name.
  Function operator[](const char* function) const;

 private:
  std::string name_;
  void* handle_ = nullptr;
};

}  // namespace heed

/// Declares a struct member that is a function of a SharedLibrary.
// NOLINTNEXTLINE(bugprone-macro-parentheses): a name that is declared has none.
#define HEED_FUNCTION(library, name) decltype(&::name) name = (library)[#name]

#endif  // HEED_BASE_SHARED_LIBRARY_H_
