// tokenizer.json -> BpeTokenizer.
//
// The file comes from outside: every count, id and name is checked before memory is laid out for it, and a pipeline
// that differs in any way from what is implemented is refused, because wrong ids give wrong scores without any error.
#include <fmt/format.h>

#include <algorithm>

#include "text/bpe_tokenizer.h"
#include "text/byte_level.h"
#include "text/json_reader.h"
#include "text/tokenizer.h"
#include "text/tokenizer_pipeline.h"

namespace tamis {
namespace {

constexpr std::size_t kFileBytesMax = 512u << 20;
constexpr std::size_t kAddedTokensMax = 65536;

// The slices of the file that matter, each absent (empty) or present once.
struct Sections {
  std::string_view normalizer, pre_tokenizer, added_tokens;
  std::string_view vocab, merges;
  ModelOptionSlices options;
};

// Takes the value of a named field into *slice; a second one of the same name is a fault.
bool TakeOnce(JsonReader* reader, std::string_view key, std::string_view* slice) {
  if (!slice->empty()) return reader->Fail(fmt::format("\"{}\" is there twice", key));
  return reader->SkipValue(slice);
}

bool ReadModelSections(JsonReader* reader, std::string_view file, Sections* sections) {
  std::string scratch;
  return reader->ForEachMember(&scratch, [&](std::string_view key) {
    if (key == "vocab") return TakeOnce(reader, key, &sections->vocab);
    if (key == "merges") return TakeOnce(reader, key, &sections->merges);
    if (std::string_view* option = sections->options.Find(key)) return TakeOnce(reader, key, option);
    return reader->Fail(Unimplemented(fmt::format("{}: model has an unknown field \"{}\"", file, key)));
  });
}

Status ReadSections(std::string_view json, std::string_view file, Sections* sections) {
  JsonReader reader(json, file);
  std::string scratch;
  bool has_model = false;
  reader.ForEachMember(&scratch, [&](std::string_view key) {
    if (key == "normalizer") return TakeOnce(&reader, key, &sections->normalizer);
    if (key == "pre_tokenizer") return TakeOnce(&reader, key, &sections->pre_tokenizer);
    if (key == "added_tokens") return TakeOnce(&reader, key, &sections->added_tokens);
    if (key == "model") {
      if (has_model) return reader.Fail("\"model\" is there twice");
      has_model = true;
      return ReadModelSections(&reader, file, sections);
    }
    std::string_view ignored;  // version, truncation, padding, post_processor, decoder: not part of plain encoding
    return reader.SkipValue(&ignored);
  });
  if (reader.ok() && !reader.AtEnd()) reader.Fail("found more text, expected the end of the file");
  if (reader.ok() && !has_model) reader.Fail("no \"model\": expected a Hugging Face tokenizer");
  return reader.status();
}

// Ids are row numbers: one far beyond the number of tokens is a fault, and would cost memory for every row before it.
bool CheckId(JsonReader* reader, std::int64_t id, std::int64_t id_end, std::string_view token) {
  if (id >= 0 && id < id_end) return true;
  return reader->Fail(fmt::format("token \"{}\" has id {}, expected 0 to {}", token, id, id_end - 1));
}

std::int64_t IdEnd(std::size_t tokens) {
  return std::min<std::int64_t>(MergeTable::kTokensMax, static_cast<std::int64_t>(tokens) * 4 + 4096);
}

Status ReadVocabulary(const Sections& sections, std::string_view file, Vocabulary* vocabulary) {
  if (sections.vocab.empty()) return DataLoss(fmt::format("{}: model has no \"vocab\"", file));
  JsonReader reader(sections.vocab, fmt::format("{}: model.vocab", file));
  // An entry takes at least `"":0,`; a token at most the bytes between its quotes.
  const std::int64_t id_end = IdEnd(sections.vocab.size() / 5);
  vocabulary->Reserve(std::min<std::size_t>(sections.vocab.size() / 18, MergeTable::kTokensMax),
                      sections.vocab.size() / 8);
  std::string scratch, bytes;
  std::int64_t largest = -1;
  reader.ForEachMember(&scratch, [&](std::string_view key) {
    bytes.clear();
    if (key.empty() || !AppendByteLevelBytes(key, &bytes)) {
      return reader.Fail(fmt::format("token \"{}\" is not made of byte-level characters", key));
    }
    std::int64_t id = 0;
    if (!reader.ReadInteger(&id) || !CheckId(&reader, id, id_end, key)) return false;
    largest = std::max(largest, id);
    switch (vocabulary->Add(static_cast<TokenId>(id), bytes)) {
      case Vocabulary::Added::kDuplicateId:
        return reader.Fail(fmt::format("token \"{}\" has id {}, which another token has too", key, id));
      case Vocabulary::Added::kDuplicateToken: return reader.Fail(fmt::format("token \"{}\" is there twice", key));
      case Vocabulary::Added::kOk: break;
    }
    return true;
  });
  if (reader.ok() && largest >= IdEnd(vocabulary->count())) {
    reader.Fail(fmt::format("the largest id is {} for {} tokens", largest, vocabulary->count()));
  }
  TAMIS_RETURN_IF_ERROR(reader.status());
  for (int b = 0; b < 256; ++b) {
    const char byte = static_cast<char>(b);
    if (vocabulary->Find({&byte, 1}) == kNoToken) {
      return DataLoss(fmt::format("{}: model.vocab has no token for the byte 0x{:02x} (\"{}\")", file, b,
                                  ByteLevelText({&byte, 1})));
    }
  }
  return OkStatus();
}

class MergeReader {
 public:
  MergeReader(std::string_view slice, std::string_view file, const Vocabulary& vocabulary, MergeTable* merges)
      : reader_(slice, fmt::format("{}: model.merges", file)), vocabulary_(vocabulary), merges_(merges) {}

  Status Run() {
    reader_.ForEachElement([&] {
      if (merges_->size() >= capacity_) return reader_.Fail("more merges than a vocabulary can have");
      return reader_.Peek() == '[' ? ReadPair() : ReadJoined();
    });
    return reader_.status();
  }
  void set_capacity(std::size_t capacity) { capacity_ = capacity; }

 private:
  bool ReadJoined() {
    std::string_view text;
    if (!reader_.ReadString(&text, &left_scratch_)) return false;
    const std::size_t space = text.find(' ');
    if (space == std::string_view::npos || text.find(' ', space + 1) != std::string_view::npos) {
      return reader_.Fail(fmt::format("merge {} is \"{}\", expected two tokens and a space", merges_->size(), text));
    }
    return Add(text.substr(0, space), text.substr(space + 1));
  }

  bool ReadPair() {
    std::string_view left, right;
    if (!reader_.Take('[', "an array") || (reader_.Peek(), !reader_.ReadString(&left, &left_scratch_))) return false;
    if (!reader_.Take(',', "a second token") || (reader_.Peek(), !reader_.ReadString(&right, &right_scratch_)))
      return false;
    return reader_.Take(']', "the end of a pair") && Add(left, right);
  }

  bool Add(std::string_view left, std::string_view right) {
    bytes_.clear();
    const bool left_ok = AppendByteLevelBytes(left, &bytes_);
    const std::size_t middle = bytes_.size();
    const bool right_ok = AppendByteLevelBytes(right, &bytes_);
    const std::string_view joined = bytes_;
    const TokenId left_id = left_ok ? vocabulary_.Find(joined.substr(0, middle)) : kNoToken;
    const TokenId right_id = right_ok ? vocabulary_.Find(joined.substr(middle)) : kNoToken;
    if (left_id == kNoToken) return Missing(left);
    if (right_id == kNoToken) return Missing(right);
    // Nearly always the next id: merges are listed in the order in which they made tokens.
    const TokenId merged = vocabulary_.Bytes(guess_) == joined ? guess_ : vocabulary_.Find(joined);
    if (merged == kNoToken) return Missing(ByteLevelText(joined));
    guess_ = merged + 1;
    merges_->Add(left_id, right_id, merged);
    return true;
  }

  bool Missing(std::string_view token) {
    return reader_.Fail(
        fmt::format("merge {} needs the token \"{}\", which model.vocab lacks", merges_->size(), token));
  }

  JsonReader reader_;
  const Vocabulary& vocabulary_;
  MergeTable* merges_;
  std::size_t capacity_ = 0;
  TokenId guess_ = 256;
  std::string left_scratch_, right_scratch_, bytes_;
};

Status ReadMerges(const Sections& sections, std::string_view file, const Vocabulary& vocabulary, MergeTable* merges) {
  if (sections.merges.empty()) return DataLoss(fmt::format("{}: model has no \"merges\"", file));
  // A merge takes at least `"a b",`, and there are rarely more merges than tokens.
  const std::size_t capacity =
      std::min({sections.merges.size() / 5 + 1, MergeTable::kMergesMax, vocabulary.count() * 8 + 4096});
  merges->Reserve(std::min(capacity, vocabulary.count()));
  MergeReader reader(sections.merges, file, vocabulary, merges);
  reader.set_capacity(capacity);
  return reader.Run();
}

// An added token may repeat a token of the vocabulary (same content, same id); it may not take another's id.
Status CheckAdded(const std::vector<AddedToken>& tokens, const Vocabulary& vocabulary, std::string_view file) {
  const std::int64_t id_end = IdEnd(vocabulary.count() + tokens.size());
  std::vector<TokenId> ids;
  for (const AddedToken& token : tokens) {
    const auto fail = [&](std::string_view problem) {
      return DataLoss(fmt::format("{}: added token \"{}\" (id {}) {}", file, token.content, token.id, problem));
    };
    if (token.id < 0 || token.id >= id_end) return fail(fmt::format("has an id outside 0 to {}", id_end - 1));
    const TokenId known = vocabulary.Find(token.content);
    if (known != kNoToken && known != token.id) return fail(fmt::format("is token {} of model.vocab", known));
    if (known == kNoToken && vocabulary.Has(token.id)) return fail("has the id of a token of model.vocab");
    ids.push_back(token.id);
  }
  std::sort(ids.begin(), ids.end());
  if (const auto twice = std::adjacent_find(ids.begin(), ids.end()); twice != ids.end()) {
    return DataLoss(fmt::format("{}: two added tokens have the id {}", file, *twice));
  }
  return OkStatus();
}

}  // namespace

Result<std::unique_ptr<Tokenizer>> ParseTokenizer(std::string_view json, std::string_view file) {
  if (json.size() > kFileBytesMax) {
    return ResourceExhausted(fmt::format("{}: {} bytes, expected at most {}", file, json.size(), kFileBytesMax));
  }
  Sections sections;
  TAMIS_RETURN_IF_ERROR(ReadSections(json, file, &sections));
  TAMIS_ASSIGN_OR_RETURN(const BpeOptions options, CheckModelOptions(sections.options, file));
  TAMIS_ASSIGN_OR_RETURN(const bool compose, CheckNormalizer(sections.normalizer, file));
  TAMIS_RETURN_IF_ERROR(CheckPreTokenizer(sections.pre_tokenizer, file));
  Vocabulary vocabulary;
  TAMIS_RETURN_IF_ERROR(ReadVocabulary(sections, file, &vocabulary));
  MergeTable merges;
  TAMIS_RETURN_IF_ERROR(ReadMerges(sections, file, vocabulary, &merges));
  TAMIS_ASSIGN_OR_RETURN(std::vector<AddedToken> added, ReadAddedTokens(sections.added_tokens, kAddedTokensMax, file));
  TAMIS_RETURN_IF_ERROR(CheckAdded(added, vocabulary, file));
  return std::unique_ptr<Tokenizer>(
      std::make_unique<BpeTokenizer>(BpeModel(std::move(vocabulary), std::move(merges), options.ignore_merges),
                                     AddedTokens(std::move(added)), compose));
}

}  // namespace tamis
