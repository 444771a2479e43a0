// Libraries that are loaded where they are first needed.
#ifndef HEED_BASE_SHARED_LIBRARY_H_
#define HEED_BASE_SHARED_LIBRARY_H_

#include <string>

namespace heed {

/// A shared library that is not linked, so that a start which does not need it
/// takes no time to load it and what it stands on. Stays loaded until the
/// process ends. What its headers declare becomes members of a struct:
///
///   struct Cairo {
///     SharedLibrary library{"libcairo.so.2", "libcairo2"};
///     HEED_FUNCTION(library, cairo_create);
///   };
class SharedLibrary {
 public:
  /// `name` as the dynamic linker looks for it; `package` is what has it.
  /// Throws: IoError, with the package to install, if it cannot be loaded;
  /// std::bad_alloc if there is no memory for it.
  SharedLibrary(std::string name, const std::string& package);

  /// The address of a function, as a pointer of any type.
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

  /// A function of the library or of one that it brings.
  /// Throws: IoError if none has that name.
  Function operator[](const char* function) const;

 private:
  std::string name_;
  void* handle_ = nullptr;
};

}  // namespace heed

/// A member of a struct as above: a function of a SharedLibrary.
// NOLINTNEXTLINE(bugprone-macro-parentheses): a name that is declared has none.
#define HEED_FUNCTION(library, name) decltype(&::name) name = (library)[#name]

#endif  // HEED_BASE_SHARED_LIBRARY_H_
