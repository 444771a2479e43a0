#!/bin/sh
# Word vectors of 50 features, trained by skip-gram on the training reviews of
# IMDB, with one thread, so that they are equal each time:
#
#   bench/imdb_vectors.sh FOLDER_OF_IMDB OUT      # writes OUT.vec
set -eu
text=$(mktemp)
trap 'rm -f "$text"' EXIT
zcat "$1/train_pos.tsv.gz" "$1/train_neg.tsv.gz" | cut -f 3 |
  sed 's/<br *\/>/ /g' | tr 'A-Z' 'a-z' |
  sed -E "s/([^a-z0-9' ])/ \1 /g; s/(n't|'s|'re|'ve|'ll|'d|'m)/ \1/g" > "$text"
fasttext skipgram -input "$text" -output "$2" -dim 50 -minCount 5 -epoch 5 \
  -maxn 0 -thread 1 -verbose 0
rm -f "$2.bin"
