#include "text_width.h"

#include <cwchar>

#include "text/utf8.h"

namespace tamis::app {
namespace {

// In a locale without wide characters wcwidth() knows only ASCII: others count as one column, or two from the first
// CJK block on.
int CharacterWidth(std::uint32_t c) {
  const int width = wcwidth(static_cast<wchar_t>(c));
  if (width >= 0) return width;
  return c >= 0x1100 && (c <= 0x115f || (c >= 0x2e80 && c <= 0xffdc) || c >= 0x1f300) ? 2 : 1;
}

bool IsControl(std::uint32_t c) {
  return c < 0x20 || (c >= 0x7f && c < 0xa0) || c == 0x2028 || c == 0x2029 || (c >= 0x202a && c <= 0x202e) ||
         (c >= 0x2066 && c <= 0x2069);  // direction overrides would turn the table around
}

}  // namespace

int TextWidth(std::string_view text) {
  int width = 0;
  for (std::size_t at = 0; at < text.size();) {
    const DecodedChar c = DecodeUtf8(text, at);
    width += IsControl(c.code_point) ? 1 : CharacterWidth(c.code_point);
    at += c.length;
  }
  return width;
}

std::string FitText(std::string_view text, int columns, std::string_view ellipsis) {
  const int ellipsis_columns = TextWidth(ellipsis);
  std::string out;
  std::size_t fits_with_ellipsis = 0;
  int width = 0;
  for (std::size_t at = 0; at < text.size();) {
    const DecodedChar c = DecodeUtf8(text, at);
    at += c.length;
    const std::uint32_t shown = IsControl(c.code_point) ? ' ' : c.code_point;
    const int more = CharacterWidth(shown);
    if (width + more > columns) {
      out.resize(fits_with_ellipsis);
      return columns >= ellipsis_columns ? out.append(ellipsis) : out;
    }
    AppendUtf8(shown, &out);
    width += more;
    if (width <= columns - ellipsis_columns) fits_with_ellipsis = out.size();
  }
  return out;
}

}  // namespace tamis::app
