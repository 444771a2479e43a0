#!/usr/bin/env bash
# Makes the pictures of docs/images with the heed command.
#
#   docs/make_pictures.sh                  the attention of each score, on dates
#   docs/make_pictures.sh gallery          docs/images/attention: each part of the
#                                          attention algebra, and three measured claims
#   docs/make_pictures.sh pictures         models unrolled, a step in numbers, BERT's input, masks, the
#                                          timeline (docs/how-to/pictures.md)
#   docs/make_pictures.sh memory           what recurrent cells remember, and how far gradients
#                                          reach (docs/how-to/memory.md)
#   docs/make_pictures.sh visits           what the codes of a patient's visits add (docs/how-to/visits.md)
#   docs/make_pictures.sh documents        which word of which sentence decides (docs/how-to/documents.md)
#   docs/make_pictures.sh ratings          which reviews decide a rating (docs/how-to/ratings.md)
#   docs/make_pictures.sh read             what the answer to a question attends to (docs/how-to/reading.md)
#   docs/make_pictures.sh captions MODEL IMAGE
#                                          what each word of a caption looked at (docs/how-to/captions.md)
#   docs/make_pictures.sh path MODEL IMAGE where a model of --model ram looked (docs/how-to/images.md)
#   docs/make_pictures.sh labyrinth        a way through a maze, and the objective (docs/how-to/labyrinth.md)
#   docs/make_pictures.sh speech           where each digit of a sound was heard (docs/how-to/speech.md)
#   docs/make_pictures.sh order            patches that units prefer after learning the order of frames
#                                          (docs/how-to/order.md)
#   docs/make_pictures.sh summaries        what each word of a summary attended to (docs/how-to/summaries.md)
#   docs/make_pictures.sh retrieve         which words of a text a question's words fit (docs/how-to/retrieval.md)
#   docs/make_pictures.sh neurons          one query and its keys (docs/how-to/published_models.md)
#   docs/make_pictures.sh claims           what the texts claim, measured (docs/explanation/claims.md)
#   docs/make_pictures.sh machine MODEL    what a machine that copies does with its memory
#   docs/make_pictures.sh curves           learning curves of three short trainings (docs/how-to/training.md)
#   docs/make_pictures.sh reviews GRU LSTM NESTED_LSTM RNN
#                                          the same of four models of film reviews
#   docs/make_pictures.sh transformer MODEL
#                                          a sentence of the Multi30k model of docs/how-to/training.md
#   docs/make_pictures.sh length SRC TGT FIXED ATTENTION
#                                          BLEU by source length of two models
#
# HEED names the command (build/release/heed); the scores take about half a minute each,
# the gallery one minute.
set -euo pipefail
cd "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/.."
heed=${HEED:-build/release/heed}

# A folder that goes with this shell, as `work` of the caller.
scratch() {
  work=$(mktemp -d)
  # shellcheck disable=SC2064 # the folder of this moment
  trap "rm -rf '$work'" EXIT
}

scores() {
  local work score
  scratch
  for score in additive cosine mlp location general dot location_aware learned_query scaled_dot graph; do
    "$heed" demo --score "$score" --out "$work/$score"
    printf '%s\n' 'monday, 5 april 2010' |
      "$heed" translate "$work/$score" --alignments "docs/images/$score.svg"
    cp "$work/$score/attention.svg" "docs/images/$score-demo.svg"
  done
  mv docs/images/additive-demo.svg docs/images/demo.svg
  rm -f docs/images/*-demo.svg
}

gallery() {
  local demo
  for demo in gallery saturation equivariance cost; do
    "$heed" demo "$demo" --out docs/images/attention
  done
}

# The models are those of the first block of the page.
pictures() {
  local work
  scratch
  mkdir "$work/bin"
  ln -s "$(readlink -f "$heed")" "$work/bin/heed"
  awk '/^```sh$/ { inside = 1; next } /^```$/ && inside { exit } inside' docs/how-to/pictures.md >"$work/models.sh"
  (cd "$work" && PATH=$work/bin:$PATH bash -euo pipefail models.sh)
  cp "$work/small/steps.svg" docs/images/steps.svg
  "$heed" explain "$work/small/bahdanau" --view model --out docs/images/model-bahdanau.svg
  "$heed" explain "$work/small/both" --view model --out docs/images/model-both.svg
  "$heed" explain "$work/small/bert" --view embedding --text 'the [MASK] drinks milk today' \
    --out docs/images/embedding.svg
  "$heed" list attentions --masks 12 --out docs/images/masks.svg
  "$heed" list timeline --out docs/images/timeline.svg
}

memory() {
  local work
  scratch
  "$heed" demo autocomplete --out "$work"
  cp "$work/memory.svg" docs/images/memory.svg
  "$heed" demo gradients --out "$work"
  cp "$work"/gradients-{fresh,trained}.svg docs/images
}

# of_demo DEMO PICTURE [NAME]: the picture of a demonstration as docs/images/NAME.svg.
of_demo() {
  local work
  scratch
  "$heed" demo "$1" --out "$work"
  cp "$work/$2.svg" "docs/images/${3:-$1}.svg"
}

order() {
  local work
  scratch
  "$heed" demo preference --out "$work"
  cp "$work/preference.svg" docs/images/preference.svg
  echo "$work/in-order-1.png" | "$heed" explain "$work/model" --methods saliency,smooth_grad --view saliency \
    --out docs/images/order.svg
}

labyrinth() {
  local work
  scratch
  "$heed" demo labyrinth --out "$work"
  cp "$work/labyrinth.svg" docs/images/labyrinth.svg
  cp "$work/objective.svg" docs/images/labyrinth-objective.svg
}

neurons() {
  local work
  scratch
  "$heed" import tests/golden/huggingface_gpt2 --out "$work/gpt2"
  "$heed" explain "$work/gpt2" --text 'the old dog' --view neurons --out docs/images/neurons.svg
}

claims() {
  local work demo
  scratch
  for demo in bottleneck recall hard smallest probe; do
    "$heed" demo "$demo" --out "$work"
  done
  cp "$work"/{bottleneck,recall,smallest,probe,hard-gumbel}.svg docs/images
  cp "$work/sentence.svg" docs/images/bottleneck-sentence.svg
  cp "$work/hard-objective.svg" docs/images/hard.svg
  for demo in products scaling temperature heads order luong; do
    "$heed" demo "$demo" --out docs/images/claims
  done
  "$heed" demo cost --decode --out docs/images/claims
}

reviews() {
  local work
  scratch
  "$heed" demo autocomplete --models "$1,$2,$3,$4" --out "$work" --sentence 'this is one of the worst movies i have
    ever seen the acting is terrible and the story makes no sense at all'
  cp "$work/memory.svg" docs/images/memory-reviews.svg
}

transformer() {
  echo 'A man who is wearing a hat is sitting on a bench and reading a newspaper.' |
    "$heed" translate "$1" --length-penalty 1 --alignments docs/images/transformer.svg
}

length() {
  "$heed" evaluate "$3" "$4" --source "$1" --target "$2" --lowercase \
    --by-length docs/images/bleu-by-length.svg
}

curves() {
  local work rate
  scratch
  for part in train valid; do
    awk -v n=$([[ $part == train ]] && echo 1500 || echo 200) -v seed="$part" 'BEGIN {
      srand(seed == "train" ? 1 : 2)
      for (; n > 0; --n) {
        there = back = ""
        for (k = 3 + int(rand() * 8); k > 0; --k) {
          letter = sprintf("%c", 97 + int(rand() * 12))
          there = there " " letter
          back = letter " " back
        }
        print substr(there, 2) "\t" substr(back, 1, length(back) - 1)
      }
    }' >"$work/$part.tsv"
  done
  for rate in 0.01 0.003 0.001; do
    "$heed" train --tsv "$work/train.tsv" --valid-tsv "$work/valid.tsv" --vocabulary words --units 64 --embedding 64 \
      --learning-rate "$rate" --warmup 100 --schedule cosine --epochs 20 --patience 0 --quiet --out "$work/run-$rate"
  done
  "$heed" plot "$work"/run-* --out docs/images/learning-curves.svg
}

# A machine of heed train --task algorithm --problem copy.
machine() {
  "$heed" explain "$1" --text 'random 20' --view memory --out docs/images/neural-turing-machine.svg
}

if [[ ${1-} == length ]]; then
  shift
  length "$@"
elif [[ ${1-} == transformer ]]; then
  shift
  transformer "$@"
elif [[ ${1-} == machine ]]; then
  shift
  machine "$@"
elif [[ ${1-} == pictures ]]; then
  pictures
elif [[ ${1-} == memory ]]; then
  memory
elif [[ ${1-} == reviews ]]; then
  shift
  reviews "$@"
elif [[ ${1-} == summaries ]]; then
  of_demo summaries attention
elif [[ ${1-} == claims ]]; then
  claims
elif [[ ${1-} == retrieve ]]; then
  of_demo retrieve answer retrieval
elif [[ ${1-} == visits ]]; then
  of_demo visits patient
elif [[ ${1-} == documents ]]; then
  of_demo documents document
elif [[ ${1-} == ratings ]]; then
  of_demo ratings mpcn
elif [[ ${1-} == read ]]; then
  of_demo read passage
elif [[ ${1-} == captions ]]; then
  "$heed" explain "$2" --text "$3" --out docs/images/caption.svg
elif [[ ${1-} == path ]]; then
  echo "$3" | "$heed" explain "$2" --view path --out docs/images/path.svg
elif [[ ${1-} == labyrinth ]]; then
  labyrinth
elif [[ ${1-} == speech ]]; then
  of_demo speech speech-1
elif [[ ${1-} == order ]]; then
  order
elif [[ ${1-} == curves ]]; then
  curves
elif [[ ${1-} == neurons ]]; then
  neurons
elif [[ ${1-} == gallery ]]; then
  gallery
else
  scores
fi
