// JSON text taken apart without changing it: what a user's fields hold comes back as it was written, digit by digit.
#pragma once

#include <string>
#include <string_view>
#include <unordered_set>
#include <utility>
#include <vector>

namespace tamis::app {

// One member of an object.
struct RawField {
  std::string name;   // decoded
  std::string value;  // JSON text, on one line: only white space between tokens is left out
};
using RawFields = std::vector<RawField>;

// The members of an object in their order; of a repeated name the last value, at the first one's place.
// REQUIRES: `text` is one valid JSON object (ParseJson() took it).
RawFields SplitObject(std::string_view text);

// The elements of a list, as they stand in `text`.
// REQUIRES: `text` is one valid JSON list.
std::vector<std::string_view> SplitList(std::string_view text);

// The value of a member of an object, as it stands in `text`; empty if there is none. REQUIRES: as SplitObject().
std::string_view FindValue(std::string_view text, std::string_view name);

// What a value reads as outside of JSON: a string's characters, the JSON text of anything else.
std::string PlainText(std::string_view value);

// Writes one object. Names that are reserved for the writer's own members are given to a user's fields only with
// "input_" in front, so that nothing is lost and nothing is said twice.
class ObjectWriter {
 public:
  explicit ObjectWriter(std::vector<std::string_view> reserved) : reserved_(std::move(reserved)) {}

  // A member of ours. `value` is JSON text.
  void Add(std::string_view name, std::string_view value);
  // A user's.
  void AddField(const RawField& field);

  std::string Take() { return std::move(out_) + "}"; }

 private:
  bool Taken(const std::string& name) const;

  std::string out_ = "{";
  std::vector<std::string_view> reserved_;
  std::unordered_set<std::string> used_;  // by fields of the user's
};

}  // namespace tamis::app
