// PromptBuilder: a query and a document to the ids that a model scores, as the scoring profile says.
//
// A prompt is PREFIX + CONTENT + SUFFIX, each tokenised by itself; where it would be longer than max_length, CONTENT
// gives way, the document first. What all documents of a query have in common is encoded once where the profile's
// template and the tokenizer make that provably the same as encoding everything whole: where the document follows
// "something and one space", as in the official recipe. Elsewhere every prompt is encoded whole.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tamis/status.h"
#include "text/profile.h"
#include "text/prompt_template.h"
#include "text/tokenizer.h"

namespace tamis {

struct EncodedQuery {
  // The first ids of every document's prompt; empty if the profile's prompts can only be encoded whole.
  std::vector<TokenId> prefix_ids;
  // How many of prefix_ids do not depend on the query (the same for every query with this instruction).
  std::size_t query_independent_tokens = 0;

  int max_length = 0;        // of the whole prompt, in tokens
  int content_room = 0;      // tokens of CONTENT that fit: max_length - |PREFIX| - |SUFFIX|
  int query_tokens = 0;      // tokens of CONTENT without a document
  int document_room = 0;     // tokens left for a document. An estimate, a token or two off, if prefix_ids is empty
  bool query_truncated = false;  // even without a document CONTENT does not fit

  RenderedQuery text;
};

struct EncodedDocument {
  std::vector<TokenId> tail_ids;  // follow EncodedQuery::prefix_ids
  int document_tokens = 0;        // kept
  int truncated_tokens = 0;       // left out
};

// The document's own tokens, nothing left out. What windows are cut by.
struct DocumentTokens {
  std::vector<TokenId> ids;
  std::vector<std::size_t> end_bytes;  // where each ends in the document
};

// Thread-safe after creation.
class PromptBuilder {
 public:
  // `tokenizer` must outlive the builder. `max_length` is the default of EncodeQuery.
  // Errors: InvalidArgument (the profile's template; control tokens spelled out in its content, where they would be
  // plain text; max_length too small for PREFIX and SUFFIX).
  static Result<PromptBuilder> Create(const Tokenizer* tokenizer, ScoringProfile profile, int max_length);

  // `instruction`: none means the profile's default; an empty one stays empty. `max_length`: 0 means the builder's.
  // A query that leaves no room is not an error here: document_room and query_truncated tell.
  // Errors: InvalidArgument (max_length too small for PREFIX and SUFFIX).
  Result<EncodedQuery> EncodeQuery(std::optional<std::string_view> instruction, std::string_view query,
                                   int max_length = 0) const;

  // `max_document_tokens`: at most so many of the document's tokens; 0: as many as fit.
  EncodedDocument EncodeDocument(const EncodedQuery& query, std::string_view document,
                                 int max_document_tokens = 0) const;

  DocumentTokens TokenizeDocument(const EncodedQuery& query, std::string_view document) const;

  // True if queries have prefix_ids.
  bool splits() const { return splits_; }
  const ScoringProfile& profile() const { return profile_; }
  const std::vector<TokenId>& prefix_ids() const { return prefix_ids_; }
  const std::vector<TokenId>& suffix_ids() const { return suffix_ids_; }
  int max_length() const { return max_length_; }

 private:
  PromptBuilder(const Tokenizer* tokenizer, ScoringProfile profile, PromptTemplate prompt_template, int max_length);

  struct Content;  // of one document: all that is not in prefix_ids
  Content EncodeContent(const EncodedQuery& query, std::string_view document, bool offsets_wanted) const;
  Status CheckLength(int max_length) const;

  const Tokenizer* tokenizer_;
  ScoringProfile profile_;
  PromptTemplate template_;
  int max_length_;
  bool splits_;
  std::vector<TokenId> prefix_ids_;
  std::vector<TokenId> suffix_ids_;
};

}  // namespace tamis
