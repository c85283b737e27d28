// Fuzzes the reader of profile files, and prompts made with whatever it accepts.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "text/profile.h"
#include "text/prompt_template.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto profile = tamis::ParseProfile({reinterpret_cast<const char*>(data), size}, "fuzz");
  if (!profile.ok()) return 0;
  const auto content = tamis::PromptTemplate::Parse(*profile, "fuzz");
  if (!content.ok()) std::abort();  // ParseProfile checks it
  const tamis::RenderedQuery rendered = content->Render("{query}", "{document}");
  if (rendered.query_begin > rendered.head.size()) std::abort();
  if (content->SpaceBeforeDocument() && !rendered.head.ends_with(' ')) std::abort();
  return 0;
}
