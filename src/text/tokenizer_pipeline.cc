// The checks, on small documents read with Boost.JSON.
#include "text/tokenizer_pipeline.h"

#include <fmt/format.h>

#include <boost/json.hpp>
#include <limits>
#include <string>
#include <utility>

#include "text/pretokenizer.h"

namespace tamis {
namespace {

namespace json = boost::json;

constexpr std::size_t kShownBytesMax = 200;

std::string Shown(std::string_view slice) {
  if (slice.empty()) return "nothing";
  if (slice.size() <= kShownBytesMax) return std::string(slice);
  return fmt::format("{}...", slice.substr(0, kShownBytesMax));
}

Result<json::value> Parse(std::string_view slice, std::string_view field, std::string_view file) {
  if (slice.empty()) return json::value(nullptr);
  json::error_code error;
  json::value value = json::parse(json::string_view(slice.data(), slice.size()), error);
  if (error) return DataLoss(fmt::format("{}: {}: {}", file, field, error.message()));
  return value;
}

Status Refuse(std::string_view file, std::string_view field, std::string_view found, std::string_view expected) {
  return Unimplemented(fmt::format("{}: {}: found {}, expected {}", file, field, Shown(found), expected));
}

// True if `object` holds nothing beyond `expected`, and what it holds equals it.
bool Matches(const json::value& value, const json::object& expected) {
  const json::object* object = value.if_object();
  return object != nullptr && *object == expected;
}

json::object SplitStep() {
  return {{"type", "Split"},
          {"pattern", {{"Regex", json::string_view(kQwenSplitPattern.data(), kQwenSplitPattern.size())}}},
          {"behavior", "Isolated"},
          {"invert", false}};
}

// ByteLevel changes bytes to characters; trim_offsets only concerns offsets, which tamis computes by itself.
bool IsByteLevelStep(const json::value& value) {
  const json::object* object = value.if_object();
  if (object == nullptr) return false;
  json::object copy = *object;
  copy.erase("trim_offsets");
  return copy == json::object{{"type", "ByteLevel"}, {"add_prefix_space", false}, {"use_regex", false}};
}

constexpr std::string_view kNull = "null";

}  // namespace

std::string_view* ModelOptionSlices::Find(std::string_view name) {
  if (name == "type") return &type;
  if (name == "dropout") return &dropout;
  if (name == "unk_token") return &unk_token;
  if (name == "continuing_subword_prefix") return &continuing_subword_prefix;
  if (name == "end_of_word_suffix") return &end_of_word_suffix;
  if (name == "fuse_unk") return &fuse_unk;
  if (name == "byte_fallback") return &byte_fallback;
  if (name == "ignore_merges") return &ignore_merges;
  return nullptr;
}

Result<BpeOptions> CheckModelOptions(const ModelOptionSlices& s, std::string_view file) {
  if (s.type != "\"BPE\"") return Refuse(file, "model.type", s.type, "\"BPE\"");
  const auto absent = [](std::string_view slice) { return slice.empty() || slice == kNull; };
  const auto absent_or = [&](std::string_view slice, std::string_view value) {
    return absent(slice) || slice == value;
  };
  if (!absent(s.dropout)) return Refuse(file, "model.dropout", s.dropout, kNull);
  if (!absent(s.unk_token)) return Refuse(file, "model.unk_token", s.unk_token, kNull);
  for (const auto& [field, slice] : {std::pair{"model.continuing_subword_prefix", s.continuing_subword_prefix},
                                     std::pair{"model.end_of_word_suffix", s.end_of_word_suffix}}) {
    if (!absent_or(slice, "\"\"")) return Refuse(file, field, slice, "\"\" or null");
  }
  // fuse_unk says what becomes of unknown characters: a byte-level vocabulary has none.
  if (!absent_or(s.byte_fallback, "false")) return Refuse(file, "model.byte_fallback", s.byte_fallback, "false");
  if (!absent_or(s.ignore_merges, "false") && s.ignore_merges != "true") {
    return Refuse(file, "model.ignore_merges", s.ignore_merges, "true or false");
  }
  return BpeOptions{.ignore_merges = s.ignore_merges == "true"};
}

Result<bool> CheckNormalizer(std::string_view slice, std::string_view file) {
  TAMIS_ASSIGN_OR_RETURN(const json::value value, Parse(slice, "normalizer", file));
  if (value.is_null()) return false;
  if (!Matches(value, {{"type", "NFC"}})) return Refuse(file, "normalizer", slice, R"({"type": "NFC"} or null)");
  return true;
}

Status CheckPreTokenizer(std::string_view slice, std::string_view file) {
  TAMIS_ASSIGN_OR_RETURN(const json::value value, Parse(slice, "pre_tokenizer", file));
  const json::object* object = value.if_object();
  const json::value* steps = object != nullptr ? object->if_contains("pretokenizers") : nullptr;
  const json::value* type = object != nullptr ? object->if_contains("type") : nullptr;
  if (steps == nullptr || type == nullptr || *type != "Sequence" || !steps->is_array() || object->size() != 2) {
    return Refuse(file, "pre_tokenizer", slice, "a Sequence of Split and ByteLevel");
  }
  const json::array& list = steps->get_array();
  if (list.size() != 2) { return Refuse(file, "pre_tokenizer.pretokenizers", slice, "two steps, Split and ByteLevel"); }
  if (!Matches(list[0], SplitStep())) {
    return Refuse(file, "pre_tokenizer.pretokenizers[0]", json::serialize(list[0]), json::serialize(SplitStep()));
  }
  if (!IsByteLevelStep(list[1])) {
    return Refuse(file, "pre_tokenizer.pretokenizers[1]", json::serialize(list[1]),
                  "ByteLevel with add_prefix_space and use_regex false");
  }
  return OkStatus();
}

Result<std::vector<AddedToken>> ReadAddedTokens(std::string_view slice, std::size_t tokens_max, std::string_view file) {
  TAMIS_ASSIGN_OR_RETURN(const json::value value, Parse(slice, "added_tokens", file));
  std::vector<AddedToken> tokens;
  if (value.is_null()) return tokens;
  if (!value.is_array())
    return DataLoss(fmt::format("{}: added_tokens: found {}, expected an array", file, Shown(slice)));
  if (value.get_array().size() > tokens_max) {
    return ResourceExhausted(
        fmt::format("{}: {} added_tokens, expected at most {}", file, value.get_array().size(), tokens_max));
  }
  for (const json::value& entry : value.get_array()) {
    const std::string field = fmt::format("added_tokens[{}]", tokens.size());
    const json::object* object = entry.if_object();
    const json::value* content = object != nullptr ? object->if_contains("content") : nullptr;
    const json::value* id = object != nullptr ? object->if_contains("id") : nullptr;
    if (content == nullptr || !content->is_string() || content->get_string().empty() || id == nullptr ||
        !id->is_int64() || id->get_int64() < 0 || id->get_int64() > std::numeric_limits<TokenId>::max()) {
      return DataLoss(fmt::format("{}: {}: found {}, expected an object with a content and an id", file, field,
                                  Shown(json::serialize(entry))));
    }
    for (const char* flag : {"single_word", "lstrip", "rstrip"}) {
      const json::value* on = object->if_contains(flag);
      if (on != nullptr && *on != false) {
        return Refuse(file, fmt::format("{}.{}", field, flag), json::serialize(*on), "false");
      }
    }
    tokens.push_back({std::string(content->get_string()), static_cast<TokenId>(id->get_int64())});
  }
  return tokens;
}

}  // namespace tamis
