// Encoding in two parts or whole, and the arithmetic of room.
//
// Why splitting is exact: no piece of text holds a space after something that is not white space
// (Tokenizer::SpaceStartsPiece), where a piece ends depends only on text after its start, and normalisation never looks
// across an ASCII space. prompt_test.cc compares both ways on hostile texts.
#include "text/prompt.h"

#include <fmt/format.h>

#include <algorithm>

namespace tamis {

// The ids of everything after prefix_ids and before the suffix: some that belong to the template and query, the
// document's, and again some of the template's.
struct PromptBuilder::Content {
  std::vector<TokenId> ids;
  std::vector<std::size_t> end_bytes;
  std::size_t head_bytes = 0;  // the document starts here
  std::size_t document_begin = 0;  // tokens [document_begin, document_end) are the document's
  std::size_t document_end = 0;
};

PromptBuilder::PromptBuilder(const Tokenizer* tokenizer, ScoringProfile profile, PromptTemplate prompt_template,
                             int max_length)
    : tokenizer_(tokenizer),
      profile_(std::move(profile)),
      template_(std::move(prompt_template)),
      max_length_(max_length),
      splits_(tokenizer->SpaceStartsPiece() && template_.SpaceBeforeDocument()) {
  tokenizer_->EncodeWithAddedTokens(profile_.prefix, &prefix_ids_);
  tokenizer_->EncodeWithAddedTokens(profile_.suffix, &suffix_ids_);
}

Result<PromptBuilder> PromptBuilder::Create(const Tokenizer* tokenizer, ScoringProfile profile, int max_length) {
  const std::string where = fmt::format("profile {}", profile.name);
  TAMIS_ASSIGN_OR_RETURN(PromptTemplate parsed, PromptTemplate::Parse(profile, where));
  if (tokenizer->ContainsAddedToken(profile.content)) {
    return InvalidArgument(fmt::format(
        "{}: content holds a control token, which would be read as plain text; expected it in prefix or suffix",
        where));
  }
  PromptBuilder builder(tokenizer, std::move(profile), std::move(parsed), max_length);
  TAMIS_RETURN_IF_ERROR(builder.CheckLength(max_length));
  return builder;
}

Status PromptBuilder::CheckLength(int max_length) const {
  const std::size_t frame = prefix_ids_.size() + suffix_ids_.size();
  if (max_length >= 0 && static_cast<std::size_t>(max_length) >= frame) return OkStatus();
  return InvalidArgument(fmt::format("max_length: found {}, expected at least the {} tokens of profile {}'s own text",
                                     max_length, frame, profile_.name));
}

Result<EncodedQuery> PromptBuilder::EncodeQuery(std::optional<std::string_view> instruction, std::string_view query,
                                                int max_length) const {
  EncodedQuery out;
  out.max_length = max_length == 0 ? max_length_ : max_length;
  TAMIS_RETURN_IF_ERROR(CheckLength(out.max_length));
  out.content_room = out.max_length - static_cast<int>(prefix_ids_.size() + suffix_ids_.size());
  out.text = template_.Render(instruction.value_or(profile_.default_instruction), query);

  std::vector<TokenId> ids;
  const std::string_view head = out.text.head;
  const std::string_view shared = splits_ ? head.substr(0, head.size() - 1) : head;
  const bool splits_at_query = splits_ && template_.SpaceBeforeQuery() && out.text.query_begin < head.size();
  const std::size_t cut = splits_at_query ? out.text.query_begin - 1 : 0;
  tokenizer_->Encode(shared.substr(0, cut), &ids);
  out.query_independent_tokens = ids.size();
  tokenizer_->Encode(shared.substr(cut), &ids);
  const std::size_t shared_tokens = ids.size();
  tokenizer_->Encode(out.text.tail, &ids);

  out.query_tokens = static_cast<int>(ids.size());
  out.document_room = std::max(0, out.content_room - out.query_tokens);
  out.query_truncated = out.query_tokens > out.content_room;
  if (splits_) {
    const auto kept = std::min(shared_tokens, static_cast<std::size_t>(out.content_room));
    out.prefix_ids = prefix_ids_;
    out.prefix_ids.insert(out.prefix_ids.end(), ids.begin(), ids.begin() + static_cast<std::ptrdiff_t>(kept));
    out.query_independent_tokens = prefix_ids_.size() + std::min(out.query_independent_tokens, kept);
  } else {
    out.query_independent_tokens = 0;
  }
  return out;
}

PromptBuilder::Content PromptBuilder::EncodeContent(const EncodedQuery& query, std::string_view document,
                                                    bool offsets_wanted) const {
  const std::string_view head = splits_ ? std::string_view(" ") : std::string_view(query.text.head);
  std::string text;
  text.reserve(head.size() + document.size() + query.text.tail.size());
  text.append(head).append(document).append(query.text.tail);

  Content content;
  content.head_bytes = head.size();
  if (splits_ && query.text.tail.empty() && !offsets_wanted) {
    tokenizer_->Encode(text, &content.ids);
    content.document_end = content.ids.size();
    return content;
  }
  tokenizer_->EncodeWithOffsets(text, &content.ids, &content.end_bytes);
  // Tokens that reach into the document are the document's. With a split, so is the space before it.
  const auto& ends = content.end_bytes;
  const auto begin = splits_ ? ends.begin() : std::upper_bound(ends.begin(), ends.end(), head.size());
  content.document_begin = static_cast<std::size_t>(begin - ends.begin());
  content.document_end = ends.size();
  if (!query.text.tail.empty()) {
    const std::size_t document_end = head.size() + document.size();
    const auto last = std::upper_bound(begin, ends.end(), document_end);
    const bool straddles = last != ends.end() && (last == begin || last[-1] < document_end);
    content.document_end = static_cast<std::size_t>(last - ends.begin()) + (straddles ? 1 : 0);
  }
  if (document.empty() && !splits_) content.document_end = content.document_begin;
  return content;
}

EncodedDocument PromptBuilder::EncodeDocument(const EncodedQuery& query, std::string_view document,
                                              int max_document_tokens) const {
  const Content content = EncodeContent(query, document, false);
  const std::size_t before = content.document_begin, after = content.ids.size() - content.document_end;
  const std::size_t tokens = content.document_end - content.document_begin;
  // The room for all that follows prefix_ids.
  std::size_t room = static_cast<std::size_t>(query.content_room);
  if (splits_) room -= query.prefix_ids.size() - prefix_ids_.size();

  std::size_t kept = std::min(tokens, room - std::min(room, before + after));
  if (max_document_tokens > 0) kept = std::min(kept, static_cast<std::size_t>(max_document_tokens));
  const bool left = profile_.truncation_side == TruncationSide::kLeft;
  const auto ids = content.ids.begin();
  const auto offset = [](std::size_t n) { return static_cast<std::ptrdiff_t>(n); };
  const auto document_begin = ids + offset(left ? content.document_end - kept : content.document_begin);

  EncodedDocument out;
  if (!splits_) out.tail_ids = prefix_ids_;
  const std::size_t start = out.tail_ids.size();
  out.tail_ids.insert(out.tail_ids.end(), ids, ids + offset(before));
  out.tail_ids.insert(out.tail_ids.end(), document_begin, document_begin + offset(kept));
  out.tail_ids.insert(out.tail_ids.end(), ids + offset(content.document_end), content.ids.end());
  if (out.tail_ids.size() - start > room) out.tail_ids.resize(start + room);
  out.tail_ids.insert(out.tail_ids.end(), suffix_ids_.begin(), suffix_ids_.end());
  out.document_tokens = static_cast<int>(kept);
  out.truncated_tokens = static_cast<int>(tokens - kept);
  return out;
}

DocumentTokens PromptBuilder::TokenizeDocument(const EncodedQuery& query, std::string_view document) const {
  const Content content = EncodeContent(query, document, true);
  DocumentTokens out;
  for (std::size_t i = content.document_begin; i < content.document_end; ++i) {
    out.ids.push_back(content.ids[i]);
    const std::size_t end = std::max(content.end_bytes[i], content.head_bytes) - content.head_bytes;
    out.end_bytes.push_back(std::min(end, document.size()));
  }
  return out;
}

}  // namespace tamis
