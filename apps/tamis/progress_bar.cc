#include "progress_bar.h"

#include <fmt/core.h>

#include <algorithm>
#include <cstdio>
#include <utility>

#include "interrupt.h"
#include "output.h"

namespace tamis::app {
namespace {

using namespace std::chrono_literals;

constexpr auto kFirst = 1s;
constexpr auto kEvery = 100ms;
constexpr int kBarWidth = 30;

}  // namespace

std::string ProgressLine(std::size_t done, std::optional<double> share, double seconds, const std::string& unit) {
  const double rate = seconds > 0 ? static_cast<double>(done) / seconds : 0;
  std::string out;
  if (share) {
    const int filled = static_cast<int>(kBarWidth * std::clamp(*share, 0.0, 1.0));
    out =
        fmt::format("[{}{}] {:.0f} %  ", std::string(static_cast<std::size_t>(filled), '#'),
                    std::string(static_cast<std::size_t>(kBarWidth - filled), '.'), 100 * std::clamp(*share, 0.0, 1.0));
  }
  out += fmt::format("{} {}, {:.1f}/s", done, unit, rate);
  if (share && *share > 0) out += fmt::format(", {:.0f} s left", std::max(0.0, seconds / *share - seconds));
  return out;
}

ProgressBar::ProgressBar(std::string unit, bool quiet)
    : unit_(std::move(unit)), enabled_(!quiet && StderrIsTerminal()) {}

ProgressBar::~ProgressBar() { Wipe(); }

void ProgressBar::Update(std::size_t done, std::optional<double> share) {
  if (!enabled_) return;
  const Clock::time_point now = Clock::now();
  if (now - begin_ < kFirst || (shown_ && now - last_ < kEvery)) return;
  shown_ = true;
  SetBarShown(true);
  last_ = now;
  fmt::print(stderr, "\r\033[K{}",
             ProgressLine(done, share, std::chrono::duration<double>(now - begin_).count(), unit_));
  std::fflush(stderr);
}

void ProgressBar::Wipe() {
  if (!shown_) return;
  shown_ = false;
  SetBarShown(false);
  fmt::print(stderr, "\r\033[K");
  std::fflush(stderr);
}

}  // namespace tamis::app
