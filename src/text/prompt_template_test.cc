#include "text/prompt_template.h"

#include <gtest/gtest.h>

namespace tamis {
namespace {

PromptTemplate Parse(std::string content) {
  ScoringProfile profile;
  profile.content = std::move(content);
  auto parsed = PromptTemplate::Parse(profile, "p");
  EXPECT_TRUE(parsed.ok()) << parsed.status().message();
  return *std::move(parsed);
}

TEST(PromptTemplate, PlaceholdersInsideTextsStay) {
  const RenderedQuery r = Parse("i={instruction} q={query} d={document}!").Render("{query}", "{document}{");
  EXPECT_EQ(r.head, "i={query} q={document}{ d=");
  EXPECT_EQ(r.tail, "!");
  EXPECT_EQ(r.query_begin, 12u);
}

TEST(PromptTemplate, ADocumentMayComeFirst) {
  const RenderedQuery r = Parse("{document} <- {query}").Render("", "q");
  EXPECT_EQ(r.head, "");
  EXPECT_EQ(r.tail, " <- q");
  EXPECT_EQ(r.query_begin, 0u);
}

TEST(PromptTemplate, KnowsWhereEncodingCanBeSplit) {
  EXPECT_TRUE(Parse("{query} : {document}").SpaceBeforeDocument());
  EXPECT_FALSE(Parse("{query}:{document}").SpaceBeforeDocument());
  EXPECT_FALSE(Parse("{query}\n {document}").SpaceBeforeDocument());
  EXPECT_FALSE(Parse("{query} {document}").SpaceBeforeDocument());
  EXPECT_FALSE(Parse("{query}:  {document}").SpaceBeforeDocument());
  EXPECT_FALSE(Parse("{query}\u3000 {document}").SpaceBeforeDocument());
  EXPECT_TRUE(Parse("Q: {query}\n{document}").SpaceBeforeQuery());
  EXPECT_FALSE(Parse("{query}\n{document}").SpaceBeforeQuery());
}

}  // namespace
}  // namespace tamis
