// Documents from a CSV file with a header line (RFC 4180: quotes, commas and line ends inside quoted cells).
#pragma once

#include <string>

#include "document_reader.h"

namespace tamis::app {

// `column` empty: "text", or the only column there is. The other columns become string fields.
// Errors: NotFound or DataLoss naming the file, the row, and the columns that there are.
Result<DocumentSet> ReadCsvDocuments(const std::string& path, const std::string& column);

}  // namespace tamis::app
