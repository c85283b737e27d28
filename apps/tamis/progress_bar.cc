#include "progress_bar.h"

#include <fmt/core.h>

#include <cstdio>
#include <string>

#include "output.h"

namespace tamis::app {
namespace {

using namespace std::chrono_literals;

constexpr auto kFirst = 1s;
constexpr auto kEvery = 100ms;
constexpr std::size_t kBarWidth = 30;

}  // namespace

ProgressBar::ProgressBar(std::size_t total) : total_(total), terminal_(StderrIsTerminal()) {}

ProgressBar::~ProgressBar() {
  if (shown_) fmt::print(stderr, "\r\033[K");
}

void ProgressBar::Update(std::size_t done) {
  if (!terminal_) return;
  const Clock::time_point now = Clock::now();
  if (now - begin_ < kFirst || (shown_ && now - last_ < kEvery)) return;
  shown_ = true;
  last_ = now;
  const double seconds = std::chrono::duration<double>(now - begin_).count();
  const double rate = static_cast<double>(done) / seconds;
  if (total_ == 0) {
    fmt::print(stderr, "\r\033[K{} scored, {:.1f}/s", done, rate);
  } else {
    const std::size_t filled = kBarWidth * done / total_;
    const double left = rate > 0 ? static_cast<double>(total_ - done) / rate : 0;
    fmt::print(stderr, "\r\033[K[{}{}] {}/{}  {:.1f}/s  {:.0f} s left", std::string(filled, '#'),
               std::string(kBarWidth - filled, '.'), done, total_, rate, left);
  }
  std::fflush(stderr);
}

}  // namespace tamis::app
