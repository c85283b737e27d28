// Parsing once, rendering often.
#include "text/prompt_template.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace tamis {
namespace {

constexpr std::array<std::string_view, 4> kPlaceholders = {"", "{instruction}", "{query}", "{document}"};

}  // namespace

Result<PromptTemplate> PromptTemplate::Parse(const ScoringProfile& profile, std::string_view file) {
  PromptTemplate result;
  std::string literal;
  const std::string_view content = profile.content;
  for (std::size_t at = 0; at < content.size();) {
    std::size_t kind = 1;
    while (kind < 4 && !content.substr(at).starts_with(kPlaceholders[kind])) ++kind;
    if (kind == 4) {
      literal.push_back(content[at++]);
      continue;
    }
    if (!literal.empty()) result.parts_.push_back({Kind::kLiteral, std::move(literal)});
    literal.clear();
    result.parts_.push_back({static_cast<Kind>(kind), {}});
    at += kPlaceholders[kind].size();
  }
  if (!literal.empty()) result.parts_.push_back({Kind::kLiteral, std::move(literal)});

  for (std::size_t kind = 1; kind < 4; ++kind) {
    const auto is_kind = [kind](const Part& p) { return p.kind == static_cast<Kind>(kind); };
    const auto count = std::count_if(result.parts_.begin(), result.parts_.end(), is_kind);
    if (count > 1 || (count == 0 && kind > 1)) {
      return InvalidArgument(fmt::format("{}: content: found {} {} times, expected {}", file, kPlaceholders[kind],
                                         count, kind > 1 ? "once" : "at most once"));
    }
    for (const auto& [field, text] : {std::pair{"prefix", &profile.prefix}, std::pair{"suffix", &profile.suffix}}) {
      if (text->find(kPlaceholders[kind]) != std::string::npos) {
        return InvalidArgument(
            fmt::format("{}: {}: found {}, expected it in content only", file, field, kPlaceholders[kind]));
      }
    }
  }
  for (std::size_t i = 0; i < result.parts_.size(); ++i) {
    if (result.parts_[i].kind == Kind::kDocument) result.space_before_document_ = result.EndsWithSpace(i);
    if (result.parts_[i].kind == Kind::kQuery) result.space_before_query_ = result.EndsWithSpace(i);
  }
  return result;
}

bool PromptTemplate::EndsWithSpace(std::size_t part) const {
  if (part == 0 || parts_[part - 1].kind != Kind::kLiteral) return false;
  const std::string& literal = parts_[part - 1].literal;
  if (literal.size() < 2 || literal.back() != ' ') return false;
  const char before = literal[literal.size() - 2];
  return before > ' ' && before < 0x7F;
}

RenderedQuery PromptTemplate::Render(std::string_view instruction, std::string_view query) const {
  RenderedQuery out;
  std::string* side = &out.head;
  bool query_in_head = false;
  for (const Part& part : parts_) {
    switch (part.kind) {
      case Kind::kLiteral: *side += part.literal; break;
      case Kind::kInstruction: *side += instruction; break;
      case Kind::kQuery:
        if (side == &out.head) {
          out.query_begin = out.head.size();
          query_in_head = true;
        }
        *side += query;
        break;
      case Kind::kDocument: side = &out.tail; break;
    }
  }
  if (!query_in_head) out.query_begin = out.head.size();
  return out;
}

}  // namespace tamis
