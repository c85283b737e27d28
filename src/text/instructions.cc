// The presets. Each follows the form of the official default: "Given a ..., retrieve ...".
//
// None was measured with the real model yet, and an instruction can hurt as well as help: `measured` says so to whoever
// lists them.
#include "text/instructions.h"

#include <fmt/format.h>

namespace tamis {
namespace {

constexpr InstructionPreset kPresets[] = {
    {"web-search", "any", "Given a web search query, retrieve relevant passages that answer the query", false},
    {"question-answering", "any", "Given a question, retrieve passages that contain the answer to the question", false},
    {"fact-checking", "any", "Given a claim, retrieve passages that support or refute the claim", false},
    {"duplicate-question", "any", "Given a question, retrieve questions that ask for the same thing", false},
    {"conversation", "any",
     "Given a conversation that ends with a user's message, retrieve passages that help to answer that message", false},
    {"code", "any", "Given a description of a programming task, retrieve code that solves or implements it", false},
    {"code-question", "any", "Given a question about programming, retrieve answers or code that resolve it", false},
    {"customer-service", "any",
     "Given a customer's question, retrieve help articles or answers that resolve the customer's problem", false},
    {"technical-documentation", "any",
     "Given a technical question, retrieve sections of documentation that explain how to do what is asked", false},
    {"medical", "any",
     "Given a medical question, retrieve passages from medical literature or guidelines that answer the question",
     false},
    {"legal", "any",
     "Given a legal question or a description of a case, retrieve statutes, rulings or passages that apply to it",
     false},
    {"finance", "any",
     "Given a question about finance, retrieve passages from reports, filings or news that answer the question", false},
    {"academic", "any",
     "Given a scientific question or the title of a paper, retrieve abstracts or passages of papers that bear on it",
     false},
    {"patent", "any", "Given a description of an invention, retrieve patents that describe the same or a similar idea",
     false},
    {"e-commerce", "any", "Given a shopper's search, retrieve products that match what the shopper wants to buy",
     false},
    {"news", "any", "Given a topic or headline, retrieve news articles that report on it", false},
    {"policy", "any",
     "Given a question from an employee, retrieve company policies or internal documents that answer it", false},
    {"chinese-general", "zh", "Given a search query in Chinese, retrieve Chinese passages that answer the query",
     false},
    {"chinese-medical", "zh", "Given a medical question in Chinese, retrieve Chinese passages that answer the question",
     false},
    {"chinese-legal", "zh",
     "Given a legal question in Chinese, retrieve Chinese laws, rulings or passages that apply to it", false},
    {"cross-lingual", "any", "Given a query in one language, retrieve passages in any language that answer the query",
     false},
};

constexpr std::string_view kPresetPrefix = "preset:";

}  // namespace

std::span<const InstructionPreset> InstructionPresets() { return kPresets; }

const InstructionPreset* FindInstructionPreset(std::string_view name) {
  for (const InstructionPreset& preset : kPresets) {
    if (preset.name == name) return &preset;
  }
  return nullptr;
}

Result<std::optional<std::string>> ResolveInstruction(const std::optional<std::string>& instruction) {
  if (!instruction.has_value() || !instruction->starts_with(kPresetPrefix)) return instruction;
  const std::string_view name = std::string_view(*instruction).substr(kPresetPrefix.size());
  if (const InstructionPreset* preset = FindInstructionPreset(name); preset != nullptr) {
    return std::optional<std::string>(preset->text);
  }
  std::string names;
  for (const InstructionPreset& preset : kPresets) names += fmt::format("{}{}", names.empty() ? "" : ", ", preset.name);
  return InvalidArgument(fmt::format("instruction: found preset \"{}\", expected one of {}", name, names));
}

}  // namespace tamis
