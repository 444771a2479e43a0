"""A plain reference of the translation edit rate: tables and slices, nothing fast."""


def table(hypothesis, reference):
    """Fewest edits between all prefixes of two lists of words."""
    costs = {}
    for i in range(len(hypothesis) + 1):
        for j in range(len(reference) + 1):
            ways = [0] if i == j == 0 else []
            if i and j:
                ways.append(costs[i - 1, j - 1] + (hypothesis[i - 1] != reference[j - 1]))
            if i:
                ways.append(costs[i - 1, j] + 1)
            if j:
                ways.append(costs[i, j - 1] + 1)
            costs[i, j] = min(ways)
    return costs


def distance(hypothesis, reference):
    return table(hypothesis, reference)[len(hypothesis), len(reference)]


def aligned(hypothesis, reference):
    """For each word of the reference the word of the hypothesis at or before it, and the sets
    of words of both sides that have to be edited."""
    costs = table(hypothesis, reference)
    i, j = len(hypothesis), len(reference)
    places, wrong, missing = {}, set(), set()
    while i or j:
        cost = costs[i, j]
        if i and j and costs[i - 1, j - 1] + (hypothesis[i - 1] != reference[j - 1]) == cost:
            i, j = i - 1, j - 1
            places[j] = i
            if hypothesis[i] != reference[j]:
                wrong.add(i)
                missing.add(j)
        elif i and costs[i - 1, j] + 1 == cost:
            i -= 1
            wrong.add(i)
        else:
            j -= 1
            places[j] = i - 1
            missing.add(j)
    return places, wrong, missing


def moved(words, start, length, target):
    """The words with those from `start` on before the word `target`."""
    phrase, rest = words[start:start + length], words[:start] + words[start + length:]
    if target > start + length:
        target -= length
    return rest[:target] + phrase + rest[target:]


def best_shift(hypothesis, reference):
    """The words after the shift that saves most edits, and the edits it saves."""
    places, wrong, missing = aligned(hypothesis, reference)
    before = distance(hypothesis, reference)
    found = []
    for start in range(len(hypothesis)):
        for goal in range(len(reference)):
            for length in range(1, 11):
                phrase = hypothesis[start:start + length]
                if (phrase != reference[goal:goal + length] or len(phrase) < length
                        or not wrong & set(range(start, start + length))
                        or not missing & set(range(goal, goal + length))
                        or places[goal] in range(start, start + length)):
                    continue
                for at in range(goal - 1, goal + length):
                    target = places[at] + 1 if at >= 0 else 0
                    words = moved(hypothesis, start, length, target)
                    found.append((before - distance(words, reference), length, -start, -target,
                                  words))
    saved, *_, words = max(found, default=(0, hypothesis))
    return words, saved


def ter(hypotheses, references):
    """Translation edit rate of short texts in per cent."""
    edits = total = 0
    for hypothesis, reference in zip(hypotheses, references):
        words, right = hypothesis.lower().split(), reference.lower().split()
        total += len(right)
        saved = 1 if right else 0
        while saved > 0:
            after, saved = best_shift(words, right)
            if saved > 0:
                words, edits = after, edits + 1
        edits += distance(words, right)
    return 100 * edits / total
