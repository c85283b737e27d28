// Fuzzes the reader of tokenizer.json, and encoding with whatever it accepts.
//
// The first byte says what the rest is: a tokenizer file, or text for the tokenizer that a small valid file describes.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "text/byte_level.h"
#include "text/pretokenizer.h"
#include "text/tokenizer.h"

namespace {

std::string Quoted(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out.push_back('\\');
    out.push_back(c);
  }
  return out + "\"";
}

// All bytes and a handful of merges.
std::string SmallTokenizer() {
  std::string vocab, merges;
  for (int b = 0; b < 256; ++b) {
    const char byte = static_cast<char>(b);
    vocab += Quoted(tamis::ByteLevelText({&byte, 1})) + ":" + std::to_string(b) + ",";
  }
  vocab += R"("aa":256,"ab":257,"aab":258,"ĠĠ":259,"ĠĠĠĠ":260,"ä¸Ń":262,"ä¸":261)";
  merges = R"("a a","a b","a ab","Ġ Ġ","ĠĠ ĠĠ","ä ¸","ä¸ Ń")";
  return R"({"normalizer":{"type":"NFC"},"pre_tokenizer":{"type":"Sequence","pretokenizers":[{"type":"Split",)"
         R"("pattern":{"Regex":)" +
         Quoted(tamis::kQwenSplitPattern) +
         R"(},"behavior":"Isolated","invert":false},{"type":"ByteLevel","add_prefix_space":false,"use_regex":false}]},)"
         R"("added_tokens":[{"id":300,"content":"<x>"}],"model":{"type":"BPE","vocab":{)" +
         vocab + "},\"merges\":[" + merges + "]}}";
}

void Encode(const tamis::Tokenizer& tokenizer, std::string_view text) {
  std::vector<tamis::TokenId> ids, again;
  std::vector<std::size_t> ends;
  tokenizer.Encode(text, &ids);
  tokenizer.EncodeWithOffsets(text, &again, &ends);
  if (ids != again || ends.size() != ids.size() || (!ends.empty() && ends.back() != text.size())) std::abort();
  std::size_t before = 0;
  for (const std::size_t end : ends) {
    if (end < before) std::abort();
    before = end;
  }
  tokenizer.EncodeWithAddedTokens(text, &ids);
  (void)tokenizer.Decode(ids);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const std::string small = SmallTokenizer();
  static const auto tokenizer = tamis::ParseTokenizer(small, "small");
  if (!tokenizer.ok()) std::abort();
  if (size == 0) return 0;
  const std::string_view rest(reinterpret_cast<const char*>(data) + 1, size - 1);
  if (data[0] % 2 == 0) {
    Encode(**tokenizer, rest);
    return 0;
  }
  const auto parsed = tamis::ParseTokenizer(rest, "fuzz");
  if (parsed.ok()) Encode(**parsed, "a text, 123  \n e\xCC\x81\xFF");
  return 0;
}
