// PromptTemplate: a profile's content, cut at its placeholders.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "tamis/status.h"
#include "text/profile.h"

namespace tamis {

// What stands before the document and what stands after it, for one query.
struct RenderedQuery {
  std::string head;
  std::string tail;
  std::size_t query_begin = 0;  // byte of the query in head; head.size() if the query is not in it
};

class PromptTemplate {
 public:
  // Checks {document} and {query} (once each), {instruction} (at most once), and that prefix and suffix hold none of
  // them. Errors: InvalidArgument naming the field.
  static Result<PromptTemplate> Parse(const ScoringProfile& profile, std::string_view file_name);

  // Placeholders inside the texts themselves stay as they are.
  RenderedQuery Render(std::string_view instruction, std::string_view query) const;

  // True if the literal text before the placeholder ends with one space after something that is not white space: a
  // place where encoding can be split (Tokenizer::SpaceStartsPiece).
  bool SpaceBeforeDocument() const { return space_before_document_; }
  bool SpaceBeforeQuery() const { return space_before_query_; }

 private:
  enum class Kind { kLiteral, kInstruction, kQuery, kDocument };
  struct Part {
    Kind kind;
    std::string literal;
  };

  bool EndsWithSpace(std::size_t part) const;

  std::vector<Part> parts_;
  bool space_before_document_ = false;
  bool space_before_query_ = false;
};

}  // namespace tamis
