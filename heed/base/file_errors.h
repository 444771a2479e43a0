// Subclasses of FormatError for uploaded files, which a server maps to HTTP
// statuses.
#ifndef HEED_BASE_FILE_ERRORS_H_
#define HEED_BASE_FILE_ERRORS_H_

#include "heed/base/errors.h"

namespace heed {

/// File that exceeds the size limit, or declares a size above it.
class TooLargeError : public FormatError {
 public:
  using FormatError::FormatError;
};

/// File of an unsupported type, whatever its extension.
class UnsupportedError : public FormatError {
 public:
  using FormatError::FormatError;
};

}  // namespace heed

#endif  // HEED_BASE_FILE_ERRORS_H_
