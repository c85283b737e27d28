// What a flag may be set to, with messages that name the flag, the value found and what was expected.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace CLI {  // NOLINT(readability-identifier-naming): as CLI11 spells it
class Option;
}

namespace tamis::app {

CLI::Option* ExpectWholeNumber(CLI::Option* option, std::int64_t least, std::int64_t most);
CLI::Option* ExpectNumber(CLI::Option* option);  // finite
CLI::Option* ExpectOneOf(CLI::Option* option, std::vector<std::string> choices);

}  // namespace tamis::app
