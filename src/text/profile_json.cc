// A user's profile file -> ScoringProfile.
#include <fmt/format.h>

#include <boost/json.hpp>
#include <string>
#include <utility>

#include "text/profile.h"
#include "text/prompt_template.h"

namespace tamis {
namespace {

namespace json = boost::json;

constexpr std::size_t kFileBytesMax = 1 << 20;

std::string View(const json::string& text) { return {text.data(), text.size()}; }

template <typename Enum>
using Names = std::initializer_list<std::pair<std::string_view, Enum>>;

class ProfileReader {
 public:
  explicit ProfileReader(std::string_view file) : file_(file) {}

  Result<ScoringProfile> Read(const json::object& root) {
    TAMIS_RETURN_IF_ERROR(ReadBase(root));
    for (const auto& [key, value] : root) {
      const std::string_view name(key.data(), key.size());
      if (name != "base") TAMIS_RETURN_IF_ERROR(ReadField(name, value));
    }
    if (!has_base_ && root.if_contains("head") == nullptr) return Fault("head", "nothing", "a head or a base");
    if (!has_base_ && root.if_contains("content") == nullptr)
      return Fault("content", "nothing", "a template or a base");
    if (profile_.name.empty()) return Fault("name", "nothing", "a name");
    TAMIS_RETURN_IF_ERROR(Check());
    return std::move(profile_);
  }

 private:
  Status Fault(std::string_view field, std::string_view found, std::string_view expected) const {
    return InvalidArgument(fmt::format("{}: {}: found {}, expected {}", file_, field, found, expected));
  }
  Status Wrong(std::string_view field, const json::value& found, std::string_view expected) const {
    std::string text = json::serialize(found);
    if (text.size() > 100) text = text.substr(0, 100) + "...";
    return Fault(field, std::string_view(text), expected);
  }

  Status ReadBase(const json::object& root) {
    const json::value* base = root.if_contains("base");
    if (base == nullptr) return OkStatus();
    const ScoringProfile* found = base->is_string() ? FindBuiltInProfile(View(base->get_string())) : nullptr;
    if (found == nullptr) {
      std::string names;
      for (const ScoringProfile& p : BuiltInProfiles()) names += (names.empty() ? "" : ", ") + p.name;
      return Wrong("base", *base, "one of " + names);
    }
    profile_ = *found;
    profile_.name.clear();
    has_base_ = true;
    return OkStatus();
  }

  Status ReadField(std::string_view name, const json::value& value) {
    for (const auto& [field, text] : {std::pair{"name", &profile_.name}, std::pair{"prefix", &profile_.prefix},
                                      std::pair{"content", &profile_.content}, std::pair{"suffix", &profile_.suffix},
                                      std::pair{"default_instruction", &profile_.default_instruction}}) {
      if (name == field) return ReadText(name, value, text);
    }
    if (name == "head") return ReadHead(value);
    if (name == "activation") {
      return ReadName(name, value,
                      {{"sigmoid", Activation::kSigmoid}, {"none", Activation::kNone}, {"exp", Activation::kExp}},
                      &profile_.activation);
    }
    if (name == "truncation_side") {
      return ReadName(name, value, {{"right", TruncationSide::kRight}, {"left", TruncationSide::kLeft}},
                      &profile_.truncation_side);
    }
    return Fault(name, "a field", "none of this name (docs/profiles.md lists the fields)");
  }

  Status ReadText(std::string_view field, const json::value& value, std::string* text) {
    if (!value.is_string()) return Wrong(field, value, "a string");
    *text = View(value.get_string());
    return OkStatus();
  }

  template <typename Enum>
  Status ReadName(std::string_view field, const json::value& value, Names<Enum> names, Enum* found) {
    std::string expected;
    for (const auto& [name, number] : names) {
      if (value.is_string() && View(value.get_string()) == name) {
        *found = number;
        return OkStatus();
      }
      expected += fmt::format("{}\"{}\"", expected.empty() ? "" : " or ", name);
    }
    return Wrong(field, value, expected);
  }

  Status ReadHead(const json::value& value) {
    if (!value.is_object()) return Wrong("head", value, "an object");
    const json::value* type = value.get_object().if_contains("type");
    ScoringHead head;
    TAMIS_RETURN_IF_ERROR(ReadName(
        "head.type", type != nullptr ? *type : json::value(),
        {{"label_pair", HeadKind::kLabelPair}, {"label", HeadKind::kLabel}, {"score", HeadKind::kScore}}, &head.kind));
    for (const auto& [key, field] : value.get_object()) {
      const std::string name = fmt::format("head.{}", std::string_view(key.data(), key.size()));
      if (name == "head.type") continue;
      TAMIS_RETURN_IF_ERROR(ReadHeadField(name, field, &head));
    }
    const auto missing = [](const Label& label) { return label.text.empty() && !label.id.has_value(); };
    if (head.kind == HeadKind::kLabelPair && missing(head.positive))
      return Fault("head.positive", "nothing", "a label");
    if (head.kind == HeadKind::kLabelPair && missing(head.negative))
      return Fault("head.negative", "nothing", "a label");
    if (head.kind == HeadKind::kLabel && missing(head.positive)) return Fault("head.label", "nothing", "a label");
    profile_.head = head;
    return OkStatus();
  }

  Status ReadHeadField(std::string_view name, const json::value& value, ScoringHead* head) {
    const bool pair = head->kind == HeadKind::kLabelPair, single = head->kind == HeadKind::kLabel;
    if ((pair && name == "head.positive") || (single && name == "head.label")) {
      return ReadLabel(name, value, &head->positive);
    }
    if (pair && name == "head.negative") return ReadLabel(name, value, &head->negative);
    if ((pair || single) && name == "head.first_token") {
      if (!value.is_bool()) return Wrong(name, value, "true or false");
      head->positive.first_token = head->negative.first_token = value.get_bool();
      return OkStatus();
    }
    if (single && name == "head.output") {
      return ReadName(name, value, {{"logit", LabelOutput::kLogit}, {"log_probability", LabelOutput::kLogProbability}},
                      &head->output);
    }
    return Fault(name, "a field", "none of this name in a head of this type");
  }

  Status ReadLabel(std::string_view field, const json::value& value, Label* label) {
    if (value.is_string() && !value.get_string().empty()) {
      label->text = View(value.get_string());
      return OkStatus();
    }
    if (!value.is_int64() || value.get_int64() < 0 || value.get_int64() > INT32_MAX) {
      return Wrong(field, value, "a text that is one token, or a token id");
    }
    label->id = static_cast<TokenId>(value.get_int64());
    return OkStatus();
  }

  Status Check() const {
    TAMIS_RETURN_IF_ERROR(PromptTemplate::Parse(profile_, file_).status());
    const bool log_probability =
        profile_.head.kind == HeadKind::kLabel && profile_.head.output == LabelOutput::kLogProbability;
    if (profile_.activation == Activation::kExp && !log_probability) {
      return Fault("activation", "\"exp\"", "\"sigmoid\" or \"none\": exp is for a label's log_probability");
    }
    if (profile_.activation == Activation::kSigmoid && log_probability) {
      return Fault("activation", "\"sigmoid\"", "\"exp\" or \"none\": a log_probability is not a logit");
    }
    return OkStatus();
  }

  std::string file_;
  ScoringProfile profile_;
  bool has_base_ = false;
};

}  // namespace

Result<ScoringProfile> ParseProfile(std::string_view text, std::string_view file) {
  if (text.size() > kFileBytesMax) {
    return InvalidArgument(fmt::format("{}: {} bytes, expected at most {}", file, text.size(), kFileBytesMax));
  }
  json::error_code error;
  const json::value root = json::parse(json::string_view(text.data(), text.size()), error);
  if (error) return InvalidArgument(fmt::format("{}: not JSON: {}", file, error.message()));
  if (!root.is_object()) return InvalidArgument(fmt::format("{}: found no object, expected a profile", file));
  return ProfileReader(file).Read(root.get_object());
}

}  // namespace tamis
