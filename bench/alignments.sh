#!/bin/bash
# The figures of docs/how-to/alignments.md: alignment error rates of translators on
# hand-made links, and of IBM models beside them.
#
#   bench/alignments.sh train FOLDER DATA    trains the models (hours on 2 cores)
#   bench/alignments.sh measure FOLDER DATA  prints the error rates
#   bench/alignments.sh ibm FOLDER DATA      prints those of IBM models alone
#   bench/alignments.sh teach FOLDER DATA    trains models by links of IBM model 2
#
# DATA holds multi30k/ (train.{en,de}.gz, val.{en,de}) and wordalign/
# (europarl_de_en/test.tsv, xlwa_en_*/{train,dev,test}.tsv); HEED names the
# command (else: heed).
set -euo pipefail
export LC_ALL=C.UTF-8
[[ $# -eq 3 && $1 =~ ^(train|measure|ibm|teach)$ ]] || { sed -n "2,12s/^# \\?//p" "$0"; exit 2; }
action=$1 folder=$2 data=$3
heed=${HEED:-heed}
mkdir -p "$folder"

# Gold links count punctuation as words.
words() { sed -E 's/([.,!?;:"()„“”…])/ \1 /g; s/  +/ /g; s/^ //; s/ $//'; }

# Source, target, links -> target, source, links.
reversed() {
  awk -F'\t' 'BEGIN { OFS = "\t" } {
    n = split($3, links, " "); line = ""
    for (i = 1; i <= n; ++i) {
      split(links[i], link, "-"); line = line (i > 1 ? " " : "") link[2] "-" link[1]
    }
    print $2, $1, line
  }'
}

# columns A B of a table, between tabs
columns() { awk -F'\t' -v OFS='\t' -v a="$1" -v b="$2" '{ print $a, $b }'; }

prepare() {
  local side name language
  for side in de en; do
    for name in train val; do
      zcat -f "$data/multi30k/$name.$side"* | words > "$folder/$name.$side"
    done
  done
  for name in train dev; do
    for language in es it nl pt; do
      cat "$data/wordalign/xlwa_en_$language/$name.tsv"
    done > "$folder/xlwa.$name.forward.tsv"
    reversed < "$folder/xlwa.$name.forward.tsv" > "$folder/xlwa.$name.backward.tsv"
  done
  for language in es it nl; do
    cp "$data/wordalign/xlwa_en_$language/test.tsv" "$folder/xlwa.$language.tsv"
  done
}

# multi30k KIND SOURCE TARGET OPTIONS
multi30k() {
  local out=$folder/$1.$2-$3 source=$2 target=$3
  shift 3
  "$heed" train --source "$folder/train.$source" --target "$folder/train.$target" \
    --valid-source "$folder/val.$source" --valid-target "$folder/val.$target" --lowercase \
    --vocabulary bpe --joint-vocabulary --source-vocabulary-size 10000 \
    --schedule cosine --precision bf16 --patience 0 --out "$out" "$@"
}

# xlwa NAME DIRECTION: learns from the table NAME.DIRECTION.tsv and its links.
xlwa() {
  local train=$folder/$1.$2.tsv dev=$folder/xlwa.dev.$2.tsv
  "$heed" train --tsv "$train" --valid-tsv "$dev" --guided-alignment "$train" \
    --valid-alignment "$dev" --metric aer --lowercase --vocabulary bpe --joint-vocabulary \
    --source-vocabulary-size 6000 --batch-tokens 1024 --schedule cosine --patience 0 \
    --model transformer-tiny --layers 2 --decoder-layers 2 --alignment-layer 1 \
    --position rotary --tie all --dropout 0.2 --learning-rate 2e-3 --warmup 300 --epochs 20 \
    --ema 0.99 --guided-alignment-weight 2 --guided-alignment-shift --out "$folder/${1/.train/}.$2"
}

train() {
  prepare
  local pair direction
  for pair in "de en" "en de"; do
    # shellcheck disable=SC2086
    multi30k transformer $pair --model transformer-tiny --position rotary --tie all --norm pre \
      --dropout 0.3 --learning-rate 3e-3 --warmup 1000 --beta2 0.98 --epochs 20 --ema 0.999 \
      --batch-tokens 2048
    # shellcheck disable=SC2086
    multi30k rnn $pair --model bahdanau --variant cgru --embedding 128 --units 256 --tie-output \
      --dropout 0.3 --learning-rate 2e-3 --warmup 400 --epochs 14 --ema 0.99 --batch-tokens 1024
  done
  for direction in forward backward; do
    xlwa xlwa.train "$direction"
  done
}

# with_ibm_links NAME FILE: pairs of a table with the links of IBM model 2.
with_ibm_links() {
  columns 1 2 < "$2" > "$folder/$1.pairs.tsv"
  "$heed" align ibm2 --lowercase --tsv "$folder/$1.pairs.tsv" --out "$folder/$1.pharaoh"
  paste "$folder/$1.pairs.tsv" "$folder/$1.pharaoh" > "$folder/$1.forward.tsv"
  reversed < "$folder/$1.forward.tsv" > "$folder/$1.backward.tsv"
}

# Attention that learns from links of IBM model 2, of the same pairs.
teach() {
  prepare
  local pair direction side
  with_ibm_links ibm-xlwa "$folder/xlwa.train.forward.tsv"
  cat "$folder"/xlwa.{train.forward,dev.forward,es,it,nl}.tsv > "$folder/xlwa.all.tsv"
  with_ibm_links ibm-all "$folder/xlwa.all.tsv"
  for direction in forward backward; do
    xlwa ibm-xlwa "$direction"
    xlwa ibm-all "$direction"
  done
  for side in train val; do side_by_side "$side"; done > "$folder/all.tsv"
  with_ibm_links ibm-captions "$folder/all.tsv"
  for pair in "de en forward" "en de backward"; do
    # shellcheck disable=SC2086
    set -- $pair
    head -n 29000 "$folder/ibm-captions.$3.tsv" > "$folder/ibm-captions.$3.train.tsv"
    tail -n +29001 "$folder/ibm-captions.$3.tsv" > "$folder/ibm-captions.$3.val.tsv"
    multi30k taught "$1" "$2" --model bahdanau --variant cgru --embedding 128 --units 256 \
      --tie-output --dropout 0.3 --learning-rate 2e-3 --warmup 400 --epochs 4 --ema 0.99 \
      --batch-tokens 1024 --guided-alignment "$folder/ibm-captions.$3.train.tsv" \
      --guided-alignment-weight 1 --guided-alignment-shift \
      --valid-alignment "$folder/ibm-captions.$3.val.tsv" --metric aer
  done
}

# row NAME ARGUMENTS: error rate, precision and recall on one line.
row() {
  local name=$1
  shift
  printf '%-44s %s\n' "$name" "$("$heed" align "$@" --no-ibm-baselines 2> /dev/null | tr -s '\n ' ' ')"
}

# Links each target word to the source word at the same share of its sentence.
diagonal() {
  awk -F'\t' '{
    S = split($1, s, " "); T = split($2, t, " "); line = ""
    for (j = 0; j < T; ++j) {
      i = int((j + 0.5) * S / T); line = line (j > 0 ? " " : "") i "-" j
    }
    n = split($3, gold, " "); delete is_gold
    for (k = 1; k <= n; ++k) is_gold[gold[k]] = 1
    m = split(line, links, " ")
    for (k = 1; k <= m; ++k) right += links[k] in is_gold
    all += m + n
  } END { printf "AER %.3f\n", 1 - 2 * right / all }' "$1"
}

# side_by_side NAME: the captions as a table; one has a tab in it.
side_by_side() { paste <(tr '\t' ' ' < "$folder/$1.de") <(tr '\t' ' ' < "$folder/$1.en"); }

# ibm_rows NAME GOLD LEARN...: both models, both directions and what is made of
# them, learnt from tables of pairs.
ibm_rows() {
  local name=$1 gold=$2 model method
  shift 2
  cat "$@" | columns 1 2 > "$folder/learn.tsv"
  columns 2 1 < "$folder/learn.tsv" > "$folder/learn.backward.tsv"
  reversed < "$gold" > "$folder/gold.backward.tsv"
  for model in ibm1 ibm2; do
    row "$name $model forward" "$model" --lowercase --learn-tsv "$folder/learn.tsv" \
      --tsv "$gold" --gold "$gold" --symmetrize none
    row "$name $model backward" "$model" --lowercase --learn-tsv "$folder/learn.backward.tsv" \
      --tsv "$folder/gold.backward.tsv" --gold "$folder/gold.backward.tsv" --symmetrize none
    for method in intersection union grow-diag-final-and; do
      row "$name $model $method" "$model" --lowercase --learn-tsv "$folder/learn.tsv" \
        --tsv "$gold" --gold "$gold" --symmetrize "$method"
    done
  done
}

# What the same pairs allow; and these with those that are measured, without
# their links, as an aligner that needs no links may learn.
ibm() {
  prepare
  side_by_side train > "$folder/captions.tsv"
  local gold=$data/wordalign/europarl_de_en/test.tsv language
  ibm_rows "europarl" "$gold" "$folder/captions.tsv"
  gold=$folder/xlwa.dev.forward.tsv
  ibm_rows "xlwa dev" "$gold" "$folder/xlwa.train.forward.tsv"
  for language in es it nl; do
    gold=$folder/xlwa.$language.tsv
    ibm_rows "xlwa $language" "$gold" "$folder/xlwa.train.forward.tsv"
    ibm_rows "xlwa $language, with them" "$gold" "$folder/xlwa.train.forward.tsv" "$gold"
    ibm_rows "xlwa $language, with all" "$gold" \
      "$folder"/xlwa.{train.forward,dev.forward,es,it,nl}.tsv
  done
}

measure() {
  local gold=$data/wordalign/europarl_de_en/test.tsv model language method
  reversed < "$gold" > "$folder/europarl.backward.tsv"
  printf '%-44s %s\n' "europarl diagonal" "$(diagonal "$gold")"
  for model in transformer rnn taught; do
    local forward=$folder/$model.de-en backward=$folder/$model.en-de
    [[ -f $forward/model.safetensors ]] || continue
    row "europarl $model de-en" "$forward" --tsv "$gold" --gold "$gold"
    [[ -f $backward/model.safetensors ]] || continue
    row "europarl $model en-de" "$backward" --tsv "$folder/europarl.backward.tsv" \
      --gold "$folder/europarl.backward.tsv"
    for method in intersection union grow-diag grow-diag-final grow-diag-final-and; do
      row "europarl $model $method" "$forward" --reverse "$backward" --tsv "$gold" \
        --gold "$gold" --symmetrize "$method"
    done
  done
  for language in es it nl; do
    gold=$folder/xlwa.$language.tsv
    reversed < "$gold" > "$folder/xlwa.$language.backward.tsv"
    printf '%-44s %s\n' "xlwa $language diagonal" "$(diagonal "$gold")"
    local model
    for model in xlwa ibm-xlwa ibm-all; do
      [[ -f $folder/$model.backward/model.safetensors ]] || continue
      row "$model $language forward" "$folder/$model.forward" --tsv "$gold" --gold "$gold"
      row "$model $language backward" "$folder/$model.backward" \
        --tsv "$folder/xlwa.$language.backward.tsv" --gold "$folder/xlwa.$language.backward.tsv"
      for method in intersection grow-diag grow-diag-final grow-diag-final-and; do
        row "$model $language $method" "$folder/$model.forward" --reverse "$folder/$model.backward" \
          --tsv "$gold" --gold "$gold" --symmetrize "$method"
      done
    done
  done
}

"$action"
