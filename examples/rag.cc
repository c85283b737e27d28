// The step between a vector search and a language model: keep the passages that answer the question, best first, and
// build the prompt from them.
//
//   rag [MODEL_FOLDER]      without a folder: the built-in demonstration model
#include <iostream>
#include <string>
#include <vector>

#include "tamis/reranker.h"

namespace {

// What a vector database might return: near in meaning, in no useful order.
std::vector<std::string> Candidates() {
  return {
      "Our offices are closed on public holidays.",
      "Refunds are paid to the card that was used, within five working days after the parcel has reached us.",
      "To return an item, print the label from your order page and hand the parcel in at any post office.",
      "Gift cards can't be exchanged for cash.",
      "The delivery time is shown at checkout and depends on the address.",
  };
}

std::string MakePrompt(const std::string& question, const std::vector<std::string>& passages,
                       const std::vector<tamis::DocumentScore>& ranked) {
  std::string prompt = "Answer from these passages only.\n\n";
  for (const tamis::DocumentScore& result : ranked) prompt += "- " + passages[result.index] + "\n";
  return prompt + "\nQuestion: " + question + "\n";
}

}  // namespace

int main(int argc, char** argv) {
  tamis::ModelOptions options;
  if (argc > 1) options.model = argv[1];
  const auto reranker = tamis::Reranker::Load(options);
  if (!reranker.ok()) {
    std::cerr << reranker.status().message() << "\n";
    return 1;
  }

  tamis::RerankRequest request;
  request.query = "When will I get my refund?";
  request.instruction = "preset:customer-service";
  request.documents = Candidates();
  request.top_n = 2;
  const auto answer = (*reranker)->Rerank(request);
  if (!answer.ok()) {
    std::cerr << answer.status().message() << "\n";
    return 1;
  }
  std::cout << MakePrompt(request.query, request.documents, answer->results);
  return answer->results.size() == 2 ? 0 : 1;
}
