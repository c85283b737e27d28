"""An engine's process as compare.py sees it, and the reference scores, which are kept between comparisons."""

import hashlib
import json
import os
import pathlib
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
VENVS = {"openvino": "graph", "onnxruntime": "graph", "transformers": "graph", "vllm": "vllm"}
# What each engine's products ask: oneDNN inside vLLM, torch and OpenVINO; run_vllm.py adds what vLLM asks torch.
NO_AMX = {
    "ONEDNN_MAX_CPU_ISA": "AVX512_CORE_BF16",
    "DNNL_MAX_CPU_ISA": "AVX512_CORE_BF16",
    "TAMIS_FORCE_ISA": "avx512vnni",
}


class Engine:
    def __init__(self, spec, options, workload=None):
        self.spec = spec
        self.name, *settings = spec.split(":")
        python = options.venvs / VENVS[self.name] / "bin/python" if self.name in VENVS else sys.executable
        command = [python, HERE / f"run_{self.name}.py", "--tamis", options.tamis, "--model", options.model]
        command += ["--workload", workload or options.workload, "--threads", options.threads]
        command += ["--cache", options.cache]
        command += [part for setting in settings for part in ("--set", setting)]
        command += ["--no-amx"] if options.no_amx else []
        environment = {**os.environ, **(NO_AMX if options.no_amx else {})}
        environment |= dict.fromkeys(("OMP_NUM_THREADS", "MKL_NUM_THREADS"), str(options.threads))
        self.log = options.cache / f"{spec.replace(':', '_')}.log"
        with open(self.log, "w", encoding="utf-8") as log:
            self.process = subprocess.Popen(
                [str(c) for c in command],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=log,
                text=True,
                env=environment,
            )
        self.load_s = self.answer()["load_s"]
        self.runs = []

    def answer(self):
        for line in self.process.stdout:  # engines print lines of their own
            if line.startswith("{"):
                return json.loads(line)
        raise SystemExit(f"{self.spec} ended without an answer; see {self.log}")

    def run(self):
        self.process.stdin.write("run\n")
        self.process.stdin.flush()
        return self.answer()

    def close(self):
        self.process.stdin.close()
        self.process.wait()


def reference_scores(options):
    """The margins of the first documents by transformers in fp32."""
    work = json.loads(pathlib.Path(options.workload).read_text(encoding="utf-8"))
    work["documents"] = work["documents"][: options.reference]
    text = json.dumps(work)
    key = hashlib.sha256((str(pathlib.Path(options.model).resolve()) + text).encode()).hexdigest()[:16]
    kept = options.cache / f"reference-{key}.json"
    if not kept.exists():
        part = options.cache / f"reference-{key}.workload"
        part.write_text(text, encoding="utf-8")
        engine = Engine("transformers", options, part)
        kept.write_text(json.dumps(engine.run()["scores"]), encoding="utf-8")
        engine.close()
    return json.loads(kept.read_text(encoding="utf-8"))
