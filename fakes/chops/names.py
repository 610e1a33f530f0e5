"""Channel names: spelling out, picking by pattern, renaming."""

from __future__ import annotations

import re

from fakes.dats.tables import matches


def channel_names(text: str) -> list[str]:
    """The names a Channel Names parameter spells out: `a b`, `chan[1-3]`, `t[xyz]`."""
    names: list[str] = []
    for word in text.split():
        match = re.search(r"\[([^\]]*)\]", word)
        if not match:
            names.append(word)
            continue
        head, tail, inside = word[: match.start()], word[match.end() :], match[1]
        span = re.fullmatch(r"(\d+)-(\d+)(?:[:,](\d+))?", inside)
        options: list[str]
        if span:
            options = [str(n) for n in range(int(span[1]), int(span[2]) + 1, int(span[3] or 1))]
        else:
            options = inside.split(",") if "," in inside else list(inside)
        names += channel_names(" ".join(head + option + tail for option in options))
    return names


def pick(names: list[str], wanted: str) -> list[int]:
    """Places of the channels that a pattern means, in the order of its words; numbers are places."""
    places: dict[int, None] = {}
    for word in channel_names(wanted) if "*" not in wanted and "^" not in wanted else wanted.split():
        if word.startswith("^"):
            for place in [p for p in places if matches(names[p], word[1:])]:
                del places[place]
        elif word.isdigit() and word not in names:
            if int(word) < len(names):
                places[int(word)] = None
        else:
            for place, name in enumerate(names):
                if matches(name, word):
                    places[place] = None
    return list(places)


def rename_all(names: list[str], from_: str, to: str) -> list[str]:
    """Names after renaming word by word: the n-th channel meant by `from_` gets the n-th name of `to`.

    A `*` on both sides keeps what it stands for.
    """
    if not from_.strip() or not to.strip():
        return names
    result = list(names)
    fresh = channel_names(to)
    place_of_word = 0
    for word in channel_names(from_):
        hits = [p for p, name in enumerate(names) if matches(name, word)]
        for place in hits:
            if place_of_word >= len(fresh):
                break
            target = fresh[place_of_word]
            if "*" in word and "*" in target:
                head, _, tail = word.partition("*")
                middle = names[place][len(head) : len(names[place]) - len(tail)]
                result[place] = target.replace("*", middle)
            else:
                result[place] = target
                place_of_word += 1
        if "*" in word and place_of_word < len(fresh) and "*" in fresh[place_of_word]:
            place_of_word += 1
    return result
