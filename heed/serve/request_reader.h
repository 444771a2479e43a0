// HTTP/1.1 requests out of bytes as they come, without a socket.
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

/// Reads one request.
class RequestReader {
 public:
  explicit RequestReader(const ReaderLimits& limits);
  ~RequestReader();

  /// Takes what it can of the bytes that were not taken yet, and says how many;
  /// stops once after the head, and at the end of the request.
  /// Throws: HttpError that says why the request is refused: 400, 413, 414,
  /// 431, 501, 505. The connection can then not go on.
  size_t Feed(std::string_view bytes);

  bool started() const { return started_; }
  bool head_done() const { return head_done_; }
  bool done() const { return done_; }
  /// Whether the client waits for leave to send the body.
  bool expects_continue() const { return expects_continue_; }

  /// The whole request; or, to log a refusal, what is known of its head.
  /// ParseTarget was not called.
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

/// The request that `bytes` begin with, its target parsed.
/// Throws: HttpError as RequestReader and ParseTarget, and 400 if the bytes end
/// too early.
HttpRequest ParseRequest(std::string_view bytes,
                         const ReaderLimits& limits = {});

}  // namespace heed

#endif  // HEED_SERVE_REQUEST_READER_H_
