// Status and Result<T>: how every tamis function that can fail for an expected reason reports it.
//
// A message names the file, tensor or field concerned, what was found and what was expected.
// No public function throws. Both types are values: copyable, movable, safe to pass between threads.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "tamis/export.h"

namespace tamis {

enum class StatusCode : std::uint8_t {
  kOk,
  kInvalidArgument,     // the caller's input is wrong (a field, an option, a document)
  kNotFound,            // a file, model, preset or name that does not exist
  kDataLoss,            // a file that is truncated, corrupt or inconsistent
  kUnimplemented,       // a well-formed model or option that this build cannot run
  kFailedPrecondition,  // the machine or configuration does not allow it (missing ISA, missing library)
  kResourceExhausted,   // a limit: memory, queue, body size
  kCancelled,           // the caller gave up
  kDeadlineExceeded,    // the time allowed ran out
  kInternal,            // a fault of tamis itself
};

// The code in words, such as "invalid argument".
TAMIS_EXPORT std::string_view StatusCodeName(StatusCode code);

class [[nodiscard]] Status {
 public:
  Status() = default;  // ok
  Status(StatusCode code, std::string message) : code_(code), message_(std::move(message)) {}

  bool ok() const { return code_ == StatusCode::kOk; }
  StatusCode code() const { return code_; }
  const std::string& message() const { return message_; }

 private:
  StatusCode code_ = StatusCode::kOk;
  std::string message_;
};

inline Status OkStatus() { return {}; }
inline Status InvalidArgument(std::string message) { return {StatusCode::kInvalidArgument, std::move(message)}; }
inline Status NotFound(std::string message) { return {StatusCode::kNotFound, std::move(message)}; }
inline Status DataLoss(std::string message) { return {StatusCode::kDataLoss, std::move(message)}; }
inline Status Unimplemented(std::string message) { return {StatusCode::kUnimplemented, std::move(message)}; }
inline Status FailedPrecondition(std::string message) { return {StatusCode::kFailedPrecondition, std::move(message)}; }
inline Status ResourceExhausted(std::string message) { return {StatusCode::kResourceExhausted, std::move(message)}; }
inline Status Internal(std::string message) { return {StatusCode::kInternal, std::move(message)}; }

// Either a value or the Status that says why there is none.
// REQUIRES for value(), operator* and operator->: ok().
template <typename T>
class [[nodiscard]] Result {
 public:
  Result(T value) : value_(std::move(value)) {}            // NOLINT(google-explicit-constructor)
  Result(Status status) : status_(std::move(status)) {}    // NOLINT(google-explicit-constructor)

  bool ok() const { return value_.has_value(); }
  const Status& status() const { return status_; }

  T& value() & { return *value_; }
  const T& value() const& { return *value_; }
  T&& value() && { return *std::move(value_); }
  T& operator*() & { return *value_; }
  const T& operator*() const& { return *value_; }
  T&& operator*() && { return *std::move(value_); }
  T* operator->() { return &*value_; }
  const T* operator->() const { return &*value_; }

 private:
  std::optional<T> value_;
  Status status_;
};

}  // namespace tamis

#define TAMIS_CONCAT_INNER(a, b) a##b
#define TAMIS_CONCAT(a, b) TAMIS_CONCAT_INNER(a, b)

// Returns from the current function with the Status of `expression` unless it is ok.
#define TAMIS_RETURN_IF_ERROR(expression)                                      \
  do {                                                                         \
    if (::tamis::Status status_ = (expression); !status_.ok()) return status_; \
  } while (false)

// Evaluates `expression` (a Result<T>); returns its Status on failure, else moves the value to `lhs`.
#define TAMIS_ASSIGN_OR_RETURN(lhs, expression)                                               \
  auto TAMIS_CONCAT(result_, __LINE__) = (expression);                                        \
  if (!TAMIS_CONCAT(result_, __LINE__).ok()) return TAMIS_CONCAT(result_, __LINE__).status(); \
  lhs = *std::move(TAMIS_CONCAT(result_, __LINE__))
