// Kinds of FormatError of a file that somebody sent, which a server answers
// with a status each.
#ifndef HEED_BASE_FILE_ERRORS_H_
#define HEED_BASE_FILE_ERRORS_H_

#include "heed/base/errors.h"

namespace heed {

/// A file that is larger than what is read, or says that it is.
class TooLargeError : public FormatError {
 public:
  using FormatError::FormatError;
};

/// A file of a type that is not read, whatever its name says.
class UnsupportedError : public FormatError {
 public:
  using FormatError::FormatError;
};

}  // namespace heed

#endif  // HEED_BASE_FILE_ERRORS_H_
