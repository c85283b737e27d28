#include "builtin/builtin_model.h"

// The assembler's names.
// NOLINTBEGIN(readability-identifier-naming)
extern "C" {
extern const char tamis_builtin_config_begin[];
extern const char tamis_builtin_config_end[];
extern const char tamis_builtin_tokenizer_begin[];
extern const char tamis_builtin_tokenizer_end[];
extern const char tamis_builtin_weights_begin[];
extern const char tamis_builtin_weights_end[];
extern const char tamis_builtin_notice_begin[];
extern const char tamis_builtin_notice_end[];
}
// NOLINTEND(readability-identifier-naming)

namespace tamis {
namespace {

std::string_view Between(const char* begin, const char* end) { return {begin, static_cast<std::size_t>(end - begin)}; }

}  // namespace

BuiltinModel GetBuiltinModel() {
  const std::string_view weights = Between(tamis_builtin_weights_begin, tamis_builtin_weights_end);
  return {"tamis-mini", Between(tamis_builtin_config_begin, tamis_builtin_config_end),
          Between(tamis_builtin_tokenizer_begin, tamis_builtin_tokenizer_end), std::as_bytes(std::span(weights))};
}

std::string_view BuiltinNotice() { return Between(tamis_builtin_notice_begin, tamis_builtin_notice_end); }

}  // namespace tamis
