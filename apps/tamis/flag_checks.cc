#include "flag_checks.h"

#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <cmath>
#include <utility>

#include "suggest.h"

namespace tamis::app {

CLI::Option* ExpectWholeNumber(CLI::Option* option, std::int64_t least, std::int64_t most) {
  const auto check = [least, most](const std::string& text) -> std::string {
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    const bool whole = error == std::errc() && end == text.data() + text.size();
    if (whole && value >= least && value <= most) return "";
    return fmt::format("found \"{}\", expected a whole number from {} to {}", text, least, most);
  };
  return option->check(CLI::Validator(check, ""));
}

CLI::Option* ExpectNumber(CLI::Option* option) {
  const auto check = [](const std::string& text) -> std::string {
    double value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error == std::errc() && end == text.data() + text.size() && std::isfinite(value)) return "";
    return fmt::format("found \"{}\", expected a number such as 0.5", text);
  };
  return option->check(CLI::Validator(check, ""));
}

CLI::Option* ExpectOneOf(CLI::Option* option, std::vector<std::string> choices) {
  const auto check = [choices = std::move(choices)](const std::string& text) -> std::string {
    if (std::find(choices.begin(), choices.end(), text) != choices.end()) return "";
    std::string names;
    for (const std::string& choice : choices) names += fmt::format("{}{}", names.empty() ? "" : ", ", choice);
    const std::string near = Nearest(text, choices);
    return fmt::format("found \"{}\", expected one of {}{}", text, names,
                       near.empty() ? "" : fmt::format("; did you mean {}?", near));
  };
  return option->check(CLI::Validator(check, ""));
}

}  // namespace tamis::app
