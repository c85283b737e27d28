// Instructions by name: `preset:medical` instead of a sentence.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "tamis/options.h"
#include "tamis/status.h"

namespace tamis {

// Null if there is none of that name. The list itself is InstructionPresets() (tamis/options.h).
const InstructionPreset* FindInstructionPreset(std::string_view name);

// What a caller gave -> what goes into the prompt: nothing stays nothing (the profile's default), `preset:NAME` becomes
// that preset's text, any other text stays as it is.
// Errors: InvalidArgument for an unknown preset, with the list of names.
Result<std::optional<std::string>> ResolveInstruction(const std::optional<std::string>& instruction);

}  // namespace tamis
