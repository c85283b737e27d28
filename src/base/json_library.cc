// The compiled part of Boost.JSON, built here because Debian's static library cannot be part of a shared one, and the
// program is to be one file.
#include <boost/json/src.hpp>
