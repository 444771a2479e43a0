# From the headers' comments to Doxygen's.

# Tokens such as <s>, </s> and <unk> are no tags of HTML.
function escaped(text) {
  while (match(text, /<\/?[a-z_]+>/)) {
    text = substr(text, 1, RSTART - 1) "&lt;" substr(text, RSTART + 1, RLENGTH - 2) \
           "&gt;" substr(text, RSTART + RLENGTH)
  }
  return text
}

# The comment that begins a header says what the file is about.
NR == 1 && /^\/\/ / { head = 1; print "/// @file" }
head && !/^\/\// { head = 0 }
head { sub(/^\/\//, "///") }

# What stands behind a member is about it, lines below it that go on included.
{ follows = beside && /^ +\/\/ / }
{ beside = follows || /[;,}] +\/\/ / }
beside { sub(/\/\/ /, "///< ") }

# What is set off by spaces is shown as it is: code, formulas, tables.
/^ *\/\/\/   / {
  if (!code) print "///"
  code = 1
  sub(/\/\/\//, "///    ")
  print
  next
}
code && /^ *\/\/\// { print "///" }
{ code = 0 }

(at = index($0, "///")) {
  $0 = substr($0, 1, at + 2) escaped(substr($0, at + 3))
}
{ print }
