#include "flag_checks.h"

#include <gtest/gtest.h>

#include <CLI/CLI.hpp>

namespace tamis::app {
namespace {

// The message that `--flag=value` gives; empty where it is taken.
template <typename T>
std::string MessageFor(const std::string& value, CLI::Option* (*expect)(CLI::Option*)) {
  CLI::App app;
  T target{};
  expect(app.add_option("-f,--flag", target));
  try {
    app.parse("--flag=" + value);
  } catch (const CLI::ParseError& error) { return error.what(); }
  return "";
}

TEST(FlagChecksTest, WholeNumbers) {
  const auto message = [](const std::string& value) {
    return MessageFor<int>(value, [](CLI::Option* option) { return ExpectWholeNumber(option, 1, 64); });
  };
  EXPECT_EQ(message("1"), "");
  EXPECT_EQ(message("64"), "");
  EXPECT_EQ(message("0"), "--flag: found \"0\", expected a whole number from 1 to 64");
  for (const char* bad : {"65", "-3", "1.5", "x", "4x", "99999999999999999999", "0x10"}) {
    EXPECT_NE(message(bad).find("expected a whole number from 1 to 64"), std::string::npos) << bad;
  }
}

TEST(FlagChecksTest, Numbers) {
  for (const char* good : {"0.5", "-2", "1e-3"}) EXPECT_EQ(MessageFor<float>(good, ExpectNumber), "") << good;
  for (const char* bad : {"nan", "inf", "a", "1,5"}) {
    EXPECT_NE(MessageFor<float>(bad, ExpectNumber).find("expected a number"), std::string::npos) << bad;
  }
}

TEST(FlagChecksTest, Choices) {
  const auto message = [](const std::string& value) {
    return MessageFor<std::string>(value, [](CLI::Option* option) { return ExpectOneOf(option, {"int8", "fp32"}); });
  };
  EXPECT_EQ(message("fp32"), "");
  EXPECT_EQ(message("fp23"), "--flag: found \"fp23\", expected one of int8, fp32; did you mean fp32?");
  EXPECT_EQ(message("bfloat"), "--flag: found \"bfloat\", expected one of int8, fp32");
}

}  // namespace
}  // namespace tamis::app
