// Many requests at once: they are batched together, and each calls back when it is done.
#include <condition_variable>
#include <iostream>
#include <mutex>
#include <string>

#include "tamis/reranker.h"

int main() {
  const auto reranker = tamis::Reranker::Load({});
  if (!reranker.ok()) {
    std::cerr << reranker.status().message() << "\n";
    return 1;
  }
  constexpr int kRequests = 8;
  std::mutex mutex;
  std::condition_variable changed;
  int done = 0;
  int failed = 0;
  for (int i = 0; i < kRequests; ++i) {
    tamis::RerankRequest request;
    request.query = "planet number " + std::to_string(i + 1);
    request.documents = {"Mercury is nearest to the sun.", "Venus is the second planet.",
                         "A planet moves around a star."};
    (*reranker)->RerankAsync(std::move(request), [&](const tamis::Result<tamis::RerankResponse>& answer) {
      const std::lock_guard lock(mutex);
      ++done;
      if (!answer.ok() || answer->results.size() != 3) ++failed;
      changed.notify_one();
    });
  }
  std::unique_lock lock(mutex);
  changed.wait(lock, [&] { return done == kRequests; });
  std::cout << done << " answers, " << failed << " failed\n";
  return failed == 0 ? 0 : 1;
}
