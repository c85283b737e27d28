// Documents from a CSV file with a header line (RFC 4180: quotes, commas and line ends inside quoted cells).
#pragma once

#include <optional>
#include <string>

#include "document_reader.h"

namespace tamis::app {

struct CsvOptions {
  std::optional<std::string> column;  // of the text; unset: "text", or the only column there is
  char delimiter = ',';
};

// The columns become string fields. Cells keep their white space.
// Errors: NotFound or DataLoss naming the file, the line, and the columns that there are.
Result<DocumentSet> ReadCsvDocuments(const std::string& path, const CsvOptions& options);

}  // namespace tamis::app
