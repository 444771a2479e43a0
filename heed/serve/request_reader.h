// Incremental parser of HTTP/1.1 requests, independent of sockets.
#ifndef HEED_SERVE_REQUEST_READER_H_
#define HEED_SERVE_REQUEST_READER_H_

#include <cstddef>
#include <memory>
#include <string_view>

#include "heed/serve/http.h"

namespace heed {

/// Units: bytes
struct ReaderLimits {
  size_t max_head = 16384;  ///< request line and headers
  size_t max_body = 1 << 20;
};

/// Parses one request.
class RequestReader {
 public:
  explicit RequestReader(const ReaderLimits& limits);
  ~RequestReader();

  /// Parses further bytes and returns how many were consumed. Stops once after
  /// the head, and at the end of the request. Throws: HttpError with the cause:
  /// 400, 413, 414, 417, 431, 501, 505. The connection must then be closed.
  size_t Feed(std::string_view bytes);

  bool started() const { return started_; }
  bool head_done() const { return head_done_; }
  bool done() const { return done_; }
  /// True if the client waits for "100 Continue" before it sends the body.
  bool expects_continue() const { return expects_continue_; }

  /// The complete request; after a refusal the known part of its head, for the
  /// log. The caller must call ParseTarget.
  HttpRequest Take();

 private:
  struct Impl;

  void CheckHead();

  const ReaderLimits limits_;
  std::unique_ptr<Impl> impl_;
  bool started_ = false;
  bool head_done_ = false;
  bool done_ = false;
  bool expects_continue_ = false;
};

/// Parses the request at the beginning of `bytes`, with its target. Throws:
/// HttpError as RequestReader and ParseTarget, and 400 if the bytes end too
/// early.
HttpRequest ParseRequest(std::string_view bytes,
                         const ReaderLimits& limits = {});

}  // namespace heed

#endif  // HEED_SERVE_REQUEST_READER_H_
