#include "json_text.h"

#include <fmt/core.h>
#include <fmt/format.h>

#include <boost/json.hpp>

#include "text/utf8.h"

namespace tamis::app {
namespace {

namespace json = boost::json;

constexpr std::size_t kDepthMax = 512;  // lists and objects in each other

json::string_view Key(std::string_view field) { return {field.data(), field.size()}; }

std::string KindName(const json::value& value) {
  const json::string_view name = json::to_string(value.kind());
  return {name.data(), name.size()};
}

}  // namespace

Result<json::value> ParseJson(std::string_view text, const std::string& where) {
  json::parse_options options;
  options.max_depth = kDepthMax;
  json::stream_parser parser(json::storage_ptr(), options);
  boost::system::error_code error;
  const std::size_t used = parser.write_some(text.data(), text.size(), error);
  if (!error && used < text.size()) {
    const std::string_view rest = text.substr(used);
    if (rest.find_first_not_of(" \t\r\n") != std::string_view::npos) {
      return DataLoss(fmt::format("{}: column {}: more text after the JSON value", where, used + 1));
    }
  }
  if (!error) parser.finish(error);
  if (error) return DataLoss(fmt::format("{}: column {}: not JSON: {}", where, used + 1, error.message()));
  return parser.release();
}

Result<json::object> ParseJsonObject(std::string_view text, const std::string& where) {
  TAMIS_ASSIGN_OR_RETURN(json::value value, ParseJson(text, where));
  if (!value.is_object())
    return DataLoss(fmt::format("{}: a JSON object is expected, found {}", where, KindName(value)));
  return std::move(value.get_object());
}

Result<std::optional<std::string>> StringField(const json::object& object, std::string_view field,
                                               const std::string& where) {
  const json::value* value = object.if_contains(Key(field));
  if (value == nullptr || value->is_null()) return std::optional<std::string>();
  if (!value->is_string())
    return DataLoss(fmt::format("{}: \"{}\" is {}; a string is expected", where, field, KindName(*value)));
  return std::optional<std::string>(std::string(value->get_string().data(), value->get_string().size()));
}

Result<std::string> RequiredString(const json::object& object, std::string_view field, const std::string& where) {
  TAMIS_ASSIGN_OR_RETURN(std::optional<std::string> text, StringField(object, field, where));
  if (!text) return DataLoss(fmt::format("{}: there is no field \"{}\"", where, field));
  return *std::move(text);
}

Result<int> CountField(const json::object& object, std::string_view field, const std::string& where) {
  const json::value* value = object.if_contains(Key(field));
  if (value == nullptr || value->is_null()) return 0;
  if (!value->is_int64() || value->get_int64() < 0 || value->get_int64() > 1 << 30) {
    return DataLoss(
        fmt::format("{}: \"{}\" is {}; a whole number from 0 on is expected", where, field, json::serialize(*value)));
  }
  return static_cast<int>(value->get_int64());
}

std::string NumberText(float value) {
  std::string out = fmt::format("{}", value);
  if (out.find_first_of(".e") == std::string::npos)
    out += ".0";  // a reader that tells types apart gets the same one always
  return out;
}

std::string QuotedText(std::string_view text) {
  const std::string repaired = RepairUtf8(text);
  return json::serialize(json::string_view(repaired.data(), repaired.size()));
}

}  // namespace tamis::app
