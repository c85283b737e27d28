// The pipeline, and the workspaces that threads borrow for the length of one call.
#include "text/bpe_tokenizer.h"

#include <algorithm>

#include "text/nfc.h"
#include "text/piece_cache.h"
#include "text/pretokenizer.h"

namespace tamis {
namespace {

constexpr std::size_t kIdleWorkspacesMax = 64;
// Buffers that one huge text has blown up are not kept.
constexpr std::size_t kKeptBytesMax = 1 << 20;

}  // namespace

struct BpeTokenizer::Workspace {
  PieceCache cache;
  BpeScratch scratch;
  std::string normal;
  OffsetMap offsets;
};

class BpeTokenizer::Lease {
 public:
  explicit Lease(const BpeTokenizer* owner) : owner_(owner) {
    {
      const std::lock_guard lock(owner_->mutex_);
      if (!owner_->idle_.empty()) {
        workspace_ = std::move(owner_->idle_.back());
        owner_->idle_.pop_back();
      }
    }
    if (workspace_ == nullptr) workspace_ = std::make_unique<Workspace>();
  }
  ~Lease() {
    BpeScratch& scratch = workspace_->scratch;
    if (scratch.symbols.capacity() * sizeof(BpeScratch::Symbol) > kKeptBytesMax) scratch = {};
    if (workspace_->normal.capacity() > kKeptBytesMax) std::string().swap(workspace_->normal);
    workspace_->offsets.Clear();
    const std::lock_guard lock(owner_->mutex_);
    if (owner_->idle_.size() < kIdleWorkspacesMax) owner_->idle_.push_back(std::move(workspace_));
  }
  Lease(const Lease&) = delete;
  Lease& operator=(const Lease&) = delete;
  Workspace* get() { return workspace_.get(); }

 private:
  const BpeTokenizer* owner_;
  std::unique_ptr<Workspace> workspace_;
};

BpeTokenizer::BpeTokenizer(BpeModel model, AddedTokens added_tokens, bool compose)
    : model_(std::move(model)), added_tokens_(std::move(added_tokens)), compose_(compose) {}

BpeTokenizer::~BpeTokenizer() = default;

void BpeTokenizer::EncodeNormal(std::string_view normal, Workspace* workspace, std::vector<TokenId>* ids) const {
  const char* at = normal.data();
  const char* const end = at + normal.size();
  while (at < end) {
    const char* const piece_end = QwenPieceEnd(at, end);
    const auto size = static_cast<std::size_t>(piece_end - at);
    const std::string_view piece(at, size);
    at = piece_end;
    if (size > PieceCache::kPieceBytesMax || size == 1) {
      model_.EncodePiece(piece, &workspace->scratch, ids);
      continue;
    }
    // NOLINTNEXTLINE(bugprone-suspicious-stringview-data-usage): the size goes with it
    const PieceCache::Key key = PieceCache::KeyOf(piece.data(), size);
    PieceCache::Entry& entry = workspace->cache.Slot(key);
    if (entry.low == key.low && entry.high == key.high) {
      ids->insert(ids->end(), entry.ids, entry.ids + entry.count);
      continue;
    }
    const std::size_t before = ids->size();
    model_.EncodePiece(piece, &workspace->scratch, ids);
    const std::size_t count = ids->size() - before;
    if (count > PieceCache::kIdsMax) continue;
    entry.low = key.low;
    entry.high = key.high;
    entry.count = static_cast<std::uint32_t>(count);
    std::copy_n(ids->begin() + static_cast<std::ptrdiff_t>(before), count, entry.ids);
  }
}

void BpeTokenizer::Encode(std::string_view text, std::vector<TokenId>* ids) const {
  if (text.empty()) return;
  Lease lease(this);
  EncodeNormal(NormalizeText(text, compose_, &lease.get()->normal, nullptr), lease.get(), ids);
}

void BpeTokenizer::EncodeWithOffsets(std::string_view text, std::vector<TokenId>* ids,
                                     std::vector<std::size_t>* end_bytes) const {
  if (text.empty()) return;
  Lease lease(this);
  OffsetMap& offsets = lease.get()->offsets;
  const std::size_t before = ids->size();
  EncodeNormal(NormalizeText(text, compose_, &lease.get()->normal, &offsets), lease.get(), ids);
  end_bytes->reserve(end_bytes->size() + ids->size() - before);
  std::size_t end = 0;
  for (std::size_t i = before; i < ids->size(); ++i) {
    end += model_.vocabulary().Bytes((*ids)[i]).size();
    end_bytes->push_back(offsets.InputEnd(end));
  }
}

void BpeTokenizer::EncodeWithAddedTokens(std::string_view text, std::vector<TokenId>* ids) const {
  for (std::size_t at = 0; at < text.size();) {
    const AddedTokens::Match match = added_tokens_.FindNext(text, at);
    Encode(text.substr(at, match.begin - at), ids);
    if (match.size > 0) ids->push_back(match.id);
    at = match.begin + match.size;
  }
}

std::optional<TokenId> BpeTokenizer::TokenToId(std::string_view token) const {
  TokenId id = added_tokens_.Find(token);
  if (id == kNoToken) id = model_.vocabulary().Find(token);
  if (id == kNoToken) return std::nullopt;
  return id;
}

std::string BpeTokenizer::Decode(std::span<const TokenId> ids) const {
  std::string text;
  for (const TokenId id : ids) {
    const std::string_view bytes = model_.vocabulary().Bytes(id);
    text += bytes.empty() ? added_tokens_.Content(id) : bytes;
  }
  return text;
}

TokenId BpeTokenizer::vocab_size() const { return std::max(model_.vocabulary().end_id(), added_tokens_.end_id()); }

bool BpeTokenizer::ContainsAddedToken(std::string_view text) const { return added_tokens_.FindNext(text, 0).size > 0; }

}  // namespace tamis
