// Fuzzes the taking apart of JSON that comes back to its owner: the members of an object or list, put together again,
// are the same value.
#include <algorithm>
#include <boost/json.hpp>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "json_text.h"
#include "raw_json.h"

namespace json = boost::json;

namespace {

// The same but for the last places of numbers: the parser rounds by how much text follows.
bool Same(const json::value& a, const json::value& b) {
  if (a.kind() != b.kind()) return false;
  if (a.is_double()) {
    const double x = a.get_double();
    const double y = b.get_double();
    return x == y || (std::isnan(x) && std::isnan(y)) || std::abs(x - y) <= 1e-9 * std::abs(x);
  }
  if (a.is_array()) {
    return std::equal(a.get_array().begin(), a.get_array().end(), b.get_array().begin(), b.get_array().end(), Same);
  }
  if (!a.is_object()) return a == b;
  if (a.get_object().size() != b.get_object().size()) return false;
  for (const auto& [name, value] : a.get_object()) {
    const json::value* other = b.get_object().if_contains(name);
    if (other == nullptr || !Same(value, *other)) return false;
  }
  return true;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto value = tamis::app::ParseJson(text, "fuzz");
  if (!value.ok()) return 0;
  std::string again;
  if (value->is_object()) {
    tamis::app::ObjectWriter writer({});
    for (const tamis::app::RawField& field : tamis::app::SplitObject(text)) {
      if (field.value.find('\n') != std::string::npos) std::abort();
      writer.AddField(field);
    }
    again = writer.Take();
  } else if (value->is_array()) {
    for (const std::string_view part : tamis::app::SplitList(text)) (again += again.empty() ? "[" : ",") += part;
    again += again.empty() ? "[]" : "]";
  } else {
    return 0;
  }
  const auto same = tamis::app::ParseJson(again, "again");
  if (!same.ok() || !Same(*value, *same)) std::abort();
  return 0;
}
