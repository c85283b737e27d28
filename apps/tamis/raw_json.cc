#include "raw_json.h"

#include <algorithm>
#include <boost/json.hpp>
#include <unordered_map>

#include "json_text.h"

namespace tamis::app {
namespace {

constexpr std::string_view kWhiteSpace = " \t\r\n";

std::size_t SkipWhiteSpace(std::string_view text, std::size_t at) {
  const std::size_t next = text.find_first_not_of(kWhiteSpace, at);
  return next == std::string_view::npos ? text.size() : next;
}

// Just after the string that starts at text[at].
std::size_t EndOfString(std::string_view text, std::size_t at) {
  for (++at; at < text.size() && text[at] != '"'; ++at) {
    if (text[at] == '\\') ++at;
  }
  return std::min(at + 1, text.size());
}

// Just after the value that starts at text[at].
std::size_t EndOfValue(std::string_view text, std::size_t at) {
  int depth = 0;
  while (at < text.size()) {
    switch (text[at]) {
      case '"':
        at = EndOfString(text, at);
        if (depth == 0) return at;
        continue;
      case '{':
      case '[': ++depth; break;
      case '}':
      case ']':
        if (depth == 0) return at;  // of what the value stands in
        if (--depth == 0) return at + 1;
        break;
      case ',':
      case ' ':
      case '\t':
      case '\r':
      case '\n':
        if (depth == 0) return at;
        break;
      default: break;
    }
    ++at;
  }
  return at;
}

std::string OnOneLine(std::string_view value) {
  std::string out;
  out.reserve(value.size());
  for (std::size_t at = 0; at < value.size();) {
    const std::size_t end = value[at] == '"' ? EndOfString(value, at) : at + 1;
    if (kWhiteSpace.find(value[at]) == std::string_view::npos) out += value.substr(at, end - at);
    at = end;
  }
  return out;
}

// Calls visit(name, value) for each member, both as they stand in the text.
template <typename Visit>
void ForEachMember(std::string_view text, Visit visit) {
  std::size_t at = SkipWhiteSpace(text, text.find('{') + 1);
  while (at < text.size() && text[at] == '"') {
    const std::size_t name_end = EndOfString(text, at);
    const std::string_view name = text.substr(at, name_end - at);
    at = SkipWhiteSpace(text, text.find(':', name_end) + 1);
    const std::size_t end = EndOfValue(text, at);
    visit(name, text.substr(at, end - at));
    at = SkipWhiteSpace(text, end);
    if (at < text.size() && text[at] == ',') at = SkipWhiteSpace(text, at + 1);
  }
}

}  // namespace

RawFields SplitObject(std::string_view text) {
  RawFields out;
  std::unordered_map<std::string, std::size_t> places;
  ForEachMember(text, [&](std::string_view name, std::string_view value) {
    const auto [place, added] = places.emplace(PlainText(name), out.size());
    if (added) out.push_back({place->first, {}});
    out[place->second].value = OnOneLine(value);
  });
  return out;
}

std::vector<std::string_view> SplitList(std::string_view text) {
  std::vector<std::string_view> out;
  std::size_t at = SkipWhiteSpace(text, text.find('[') + 1);
  while (at < text.size() && text[at] != ']') {
    const std::size_t end = EndOfValue(text, at);
    out.push_back(text.substr(at, end - at));
    at = SkipWhiteSpace(text, end);
    if (at < text.size() && text[at] == ',') at = SkipWhiteSpace(text, at + 1);
  }
  return out;
}

std::string_view FindValue(std::string_view text, std::string_view name) {
  std::string_view found;
  ForEachMember(text, [&](std::string_view n, std::string_view value) {
    if (PlainText(n) == name) found = value;
  });
  return found;
}

std::string PlainText(std::string_view value) {
  if (!value.starts_with('"')) return OnOneLine(value);
  if (value.find('\\') == std::string_view::npos) return std::string(value.substr(1, value.size() - 2));
  const boost::json::string decoded = boost::json::parse({value.data(), value.size()}).as_string();
  return {decoded.data(), decoded.size()};
}

void ObjectWriter::Add(std::string_view name, std::string_view value) {
  if (out_.size() > 1) out_ += ',';
  out_ += QuotedText(name);
  out_ += ':';
  out_ += value;
}

void ObjectWriter::AddField(const RawField& field) {
  std::string name = field.name;
  while (Taken(name)) name.insert(0, "input_");
  Add(name, field.value);
  used_.insert(std::move(name));
}

bool ObjectWriter::Taken(const std::string& name) const {
  return std::find(reserved_.begin(), reserved_.end(), name) != reserved_.end() || used_.contains(name);
}

}  // namespace tamis::app
