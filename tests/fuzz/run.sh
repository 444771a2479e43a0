#!/usr/bin/env bash
# run.sh FOLDER SECONDS NAME: runs fuzz_NAME of FOLDER on its corpus, then on mutations
# for SECONDS. Inputs of failures are kept in FOLDER/found.
set -euo pipefail

folder=$1 seconds=$2 name=$3
corpus=$(dirname "$(readlink -f "$0")")/corpus/$name
found=$folder/found
grown=$folder/corpus/$name # interesting inputs, kept between runs
mkdir -p "$found" "$grown"
log=$folder/$name.log

# Models need long inputs, texts for tokenizers do not. An input may take at most 10 s.
# Its memory, for one allocation and in all, is limited to 256 MiB and four times its
# size, besides the overhead of the sanitizers.
length=4096 block=256
if [[ $name == model ]]; then
  length=40000
  block=4096 # address space: weights take no memory before they are read
fi
# JSON objects differ in size between Clang and GCC, which compiled the release
# libraries: an empty member of nlohmann's ordered_map may or may not share its byte.
# Therefore the size check of delete is off.
export ASAN_OPTIONS=quarantine_size_mb=16:new_delete_type_mismatch=0${ASAN_OPTIONS:+:$ASAN_OPTIONS}
limits=(-timeout=10 -rss_limit_mb=700 "-malloc_limit_mb=$block" "-max_len=$length"
  "-artifact_prefix=$found/$name-")
run() {
  if "$folder/fuzz_$name" "${limits[@]}" "$@" >"$log" 2>&1; then return; fi
  tail -n 60 "$log"
  echo "fuzz_$name fails; the input is in $found, the log in $log" >&2
  exit 1
}

run "$corpus"/*
run -max_total_time="$seconds" -print_final_stats=1 "$grown" "$corpus"
echo "fuzz_$name: $(find "$corpus" -type f | wc -l) kept inputs and" \
  "$(sed -n 's/^stat::number_of_executed_units: *//p' "$log") others in $seconds s"
