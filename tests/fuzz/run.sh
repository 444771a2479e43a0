#!/usr/bin/env bash
# run.sh FOLDER SECONDS NAME: fuzz_NAME of FOLDER reads its corpus, then changes
# of it for so long. Found inputs of a failure stay in FOLDER/found.
set -euo pipefail

folder=$1 seconds=$2 name=$3
corpus=$(dirname "$(readlink -f "$0")")/corpus/$name
found=$folder/found
grown=$folder/corpus/$name # what was interesting, from one run to the next
mkdir -p "$found" "$grown"
log=$folder/$name.log

# A model may be large, a text for the tokenizers need not. No input may take
# over 10 s, or more memory than 256 MiB and four times its size: at once, or in
# all, beside what the sanitizers need.
length=4096 block=256
if [[ $name == model ]]; then
  length=40000
  block=4096 # of addresses: weights have no place in memory before they are read
fi
# Objects of JSON have other sizes in code of Clang and of GCC, which built the
# libraries that some fuzzers take from the release build: an empty member of
# nlohmann's ordered_map shares its byte or not.
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
