// JSON as the program reads and writes it: one object a line, numbers that read back as they were.
#pragma once

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "tamis/status.h"

namespace tamis::app {

// Parses one JSON value; `where` ("file:12") begins the message of an error.
// Errors: DataLoss with the place in the text.
Result<boost::json::value> ParseJson(std::string_view text, const std::string& where);

// Parses one object.
Result<boost::json::object> ParseJsonObject(std::string_view text, const std::string& where);

// A string field. Errors: DataLoss, naming field and kind found, if it is missing (and `required`) or not a string.
// Null counts as missing.
Result<std::optional<std::string>> StringField(const boost::json::object& object, std::string_view field,
                                               const std::string& where);
Result<std::string> RequiredString(const boost::json::object& object, std::string_view field, const std::string& where);

// A whole number from 0 on; 0 where it is missing or null.
Result<int> CountField(const boost::json::object& object, std::string_view field, const std::string& where);

// The shortest decimal that reads back as the same float; a number in JSON.
std::string NumberText(float value);
// A JSON string with its quotes. Bytes that are not UTF-8 become U+FFFD.
std::string QuotedText(std::string_view text);

}  // namespace tamis::app
