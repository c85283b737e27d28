#include "model/mapped_file.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <fstream>

namespace tamis {
namespace {

namespace fs = std::filesystem;

std::string TestPath(const std::string& name) {
  return (fs::path(testing::TempDir()) / ("tamis_mapped_" + std::to_string(getpid()) + name)).string();
}

TEST(MappedFile, ReadsAndReleases) {
  const std::string path = TestPath("a");
  const std::string text(100000, 'x');
  std::ofstream(path) << text;
  const auto file = MappedFile::Open(path);
  ASSERT_TRUE(file.ok()) << file.status().message();
  ASSERT_EQ((*file)->bytes().size(), text.size());
  (*file)->Release(0, text.size());
  EXPECT_EQ(std::memcmp((*file)->bytes().data(), text.data(), text.size()), 0);  // read again
  EXPECT_EQ(*ReadTextFile(path, 100000), text);
  const auto too_long = ReadTextFile(path, 99999);
  EXPECT_EQ(too_long.status().code(), StatusCode::kResourceExhausted);
  fs::remove(path);
}

TEST(MappedFile, SaysWhatIsWrong) {
  const auto missing = MappedFile::Open("/nowhere/at/all");
  EXPECT_EQ(missing.status().code(), StatusCode::kNotFound);
  EXPECT_EQ(missing.status().message(), "/nowhere/at/all: no such file");
  const auto folder = MappedFile::Open(testing::TempDir());
  ASSERT_FALSE(folder.ok());
  EXPECT_NE(folder.status().message().find("not a regular file"), std::string::npos);
}

TEST(MappedFile, AnEmptyFileIsEmpty) {
  const std::string path = TestPath("empty");
  std::ofstream(path).close();
  const auto file = MappedFile::Open(path);
  ASSERT_TRUE(file.ok());
  EXPECT_TRUE((*file)->bytes().empty());
  fs::remove(path);
}

}  // namespace
}  // namespace tamis
