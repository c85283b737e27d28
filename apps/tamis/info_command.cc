// tamis info: the model, the processor and what they need.
#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <string>

#include "base/cpu_features.h"
#include "base/thread_pool.h"
#include "builtin/builtin_model.h"
#include "commands.h"
#include "flag_checks.h"
#include "json_text.h"
#include "model_flags.h"
#include "output.h"
#include "process_memory.h"

namespace tamis::app {
namespace {

struct InfoFlags {
  ModelFlags model;
  bool licenses = false;
  std::string format = "text";
};

std::string IsaList() {
  std::string out;
  for (Isa isa : SupportedIsas()) out += fmt::format("{}{}", out.empty() ? "" : ", ", IsaName(isa));
  return out;
}

int Run(const InfoFlags& flags) {
  if (flags.licenses) {
    Print(BuiltinNotice());
    return FlushOutput(kExitOk);
  }
  const auto reranker = Reranker::Load(ToModelOptions(flags.model));
  if (!reranker.ok()) return Fail(reranker.status());
  const ModelInfo& info = (*reranker)->info();
  const ProcessMemory memory = ReadProcessMemory();
  if (flags.format == "json") {
    Print(fmt::format(
        "{{\"version\":{},\"model\":{},\"built_in\":{},\"architecture\":{},\"layers\":{},\"hidden_size\":{},"
        "\"vocab_size\":{},\"max_positions\":{},\"max_length\":{},\"profile\":{},\"default_instruction\":{},"
        "\"precision\":{},\"isa\":{},\"isas\":{},\"cpu\":{},\"threads\":{},\"weight_bytes\":{},\"rss_bytes\":{},"
        "\"rss_peak_bytes\":{},\"load_s\":{:.3f}}}\n",
        QuotedText(Version()), QuotedText(info.model), info.built_in, QuotedText(info.architecture), info.layers,
        info.hidden_size, info.vocab_size, info.max_positions, info.max_length, QuotedText(info.profile),
        QuotedText(info.default_instruction), QuotedText(info.precision), QuotedText(info.isa), QuotedText(IsaList()),
        QuotedText(CpuModelName()), info.threads, info.weight_bytes, memory.rss_bytes, memory.rss_peak_bytes,
        static_cast<double>(info.load_us) / 1e6));
    return FlushOutput(kExitOk);
  }
  const auto mib = [](std::size_t bytes) { return static_cast<double>(bytes) / (1 << 20); };
  Print(fmt::format("tamis       {}\n", Version()));
  Print(fmt::format("model       {}{}\n", info.model, info.built_in ? " (built in, for trying out)" : ""));
  Print(fmt::format("            {}, {} layers, hidden size {}, vocabulary {}\n", info.architecture, info.layers,
                    info.hidden_size, info.vocab_size));
  Print(fmt::format("prompts     profile {}, up to {} tokens (the model takes {})\n", info.profile, info.max_length,
                    info.max_positions));
  Print(fmt::format("instruction {}\n", info.default_instruction));
  Print(fmt::format("processor   {}, {} usable\n", CpuModelName(), AvailableCpuCount()));
  Print(fmt::format("kernels     {} (this processor has {}); {} threads\n", info.isa, IsaList(), info.threads));
  Print(fmt::format("memory      {:.0f} MiB of {} weights; the process has {:.0f} MiB, {:.0f} at its peak\n",
                    mib(info.weight_bytes), info.precision, mib(memory.rss_bytes), mib(memory.rss_peak_bytes)));
  Print(fmt::format("loaded in   {:.2f} s\n", static_cast<double>(info.load_us) / 1e6));
  return FlushOutput(kExitOk);
}

}  // namespace

void AddInfoCommand(CLI::App& app, CommandLine* line) {
  auto flags = std::make_shared<InfoFlags>();
  CLI::App* command = app.add_subcommand("info", "say what model, kernels and memory are used");
  command->add_flag("--licenses", flags->licenses, "where the built-in model's data comes from, and its licences");
  ExpectOneOf(command->add_option("-f,--format", flags->format, "text (default) or json"), {"text", "json"});
  AddModelFlags(*command, &flags->model);
  command->footer(
      "Examples:\n  tamis info\n  tamis info --model Qwen3-Reranker-0.6B --format json\n  tamis info --licenses");
  command->callback([flags, line] { line->run = [flags] { return Run(*flags); }; });
}

}  // namespace tamis::app
