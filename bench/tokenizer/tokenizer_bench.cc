// Measures tokenising on one thread: tokenizer_bench TOKENIZER.json [--seconds S] [--ids] FILE...
//
// A file is UTF-8 text, one document a line ("\n" inside a document is written as U+2028). Prints one JSON object a
// line: for each file the first pass, with an empty word cache, and the best of those that fit into S seconds, in CPU
// time of the thread, since other processes may share the core. --ids prints each document's ids instead, so that
// compare.py can check that both sides did the same work. compare.py is the program to run.
#include <time.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "text/tokenizer.h"

namespace {

std::string ReadFile(const char* path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

std::vector<std::string> Documents(const std::string& text) {
  constexpr std::string_view kLineSeparator = "\u2028";
  std::vector<std::string> documents;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) {
    std::string& document = documents.emplace_back();
    for (std::string_view rest = line; !rest.empty();) {
      const std::size_t end = rest.find(kLineSeparator);
      document += rest.substr(0, end);
      if (end == std::string_view::npos) break;
      document += '\n';
      rest.remove_prefix(end + kLineSeparator.size());
    }
  }
  return documents;
}

double CpuSeconds() {
  timespec now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

void PrintIds(const tamis::Tokenizer& tokenizer, const std::vector<std::string>& documents) {
  for (const std::string& document : documents) {
    std::vector<tamis::TokenId> ids;
    tokenizer.Encode(document, &ids);
    std::printf("[");
    for (std::size_t i = 0; i < ids.size(); ++i) std::printf("%s%d", i == 0 ? "" : ",", ids[i]);
    std::printf("]\n");
  }
}

void Measure(const tamis::Tokenizer& tokenizer, const char* name, const std::vector<std::string>& documents,
             double seconds) {
  std::size_t bytes = 0, tokens = 0;
  for (const std::string& document : documents) bytes += document.size();
  std::vector<tamis::TokenId> ids;
  double best = 1e9, first = 0;
  for (const double start = CpuSeconds(); CpuSeconds() - start < seconds;) {
    const double pass = CpuSeconds();
    tokens = 0;
    for (const std::string& document : documents) {
      ids.clear();
      tokenizer.Encode(document, &ids);
      tokens += ids.size();
    }
    const double taken = CpuSeconds() - pass;
    if (first == 0) first = taken;
    best = std::min(best, taken);
  }
  const double megabytes = static_cast<double>(bytes) / 1e6;
  std::printf("{\"file\": \"%s\", \"bytes\": %zu, \"tokens\": %zu, \"first_mb_per_s\": %.2f, \"mb_per_s\": %.2f}\n",
              name, bytes, tokens, megabytes / first, megabytes / best);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) {
    std::fprintf(stderr, "usage: tokenizer_bench TOKENIZER.json [--seconds S] [--ids] FILE...\n");
    return 2;
  }
  const std::string json = ReadFile(argv[1]);
  const double start = CpuSeconds();
  const auto tokenizer = tamis::ParseTokenizer(json, argv[1]);
  if (!tokenizer.ok()) {
    std::fprintf(stderr, "tokenizer_bench: %s\n", tokenizer.status().message().c_str());
    return 1;
  }
  std::printf("{\"load_ms\": %.1f}\n", (CpuSeconds() - start) * 1e3);
  double seconds = 1;
  bool ids = false;
  for (int i = 2; i < argc; ++i) {
    if (std::strcmp(argv[i], "--ids") == 0) {
      ids = true;
    } else if (std::strcmp(argv[i], "--seconds") == 0 && i + 1 < argc) {
      seconds = std::atof(argv[++i]);
    } else if (ids) {
      PrintIds(**tokenizer, Documents(ReadFile(argv[i])));
    } else {
      Measure(**tokenizer, argv[i], Documents(ReadFile(argv[i])), seconds);
    }
  }
  return 0;
}
