#!/usr/bin/env python3
"""Writes the initial inputs of the fuzzers: make_corpus.py HEED

corpus/NAME/ has small inputs of every kind for fuzz_NAME. Inputs that a fuzzer finds are
added there by hand, with a name that describes them."""

import base64
import gzip
import io
import json
import pathlib
import struct
import subprocess
import sys
import tempfile
import zipfile
import zlib

HERE = pathlib.Path(__file__).resolve().parent
GOLDEN = HERE.parent / "golden"
SEPARATOR = b"\n====\n"


def put(fuzzer, name, data):
    folder = HERE / "corpus" / fuzzer
    folder.mkdir(parents=True, exist_ok=True)
    (folder / name).write_bytes(data if isinstance(data, bytes) else data.encode())


def safetensors(tensors, metadata=None):
    header, elements = {}, b""
    if metadata:
        header["__metadata__"] = metadata
    for name, (dtype, shape, data) in tensors.items():
        header[name] = {"dtype": dtype, "shape": shape,
                        "data_offsets": [len(elements), len(elements) + len(data)]}
        elements += data
    text = json.dumps(header).encode()
    return struct.pack("<Q", len(text)) + text + elements


def npy(dtype, shape, data, fortran=False):
    text = f"{{'descr': '{dtype}', 'fortran_order': {fortran}, 'shape': {shape}, }}\n".encode()
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(text)) + text + data


def npz(arrays, compression=zipfile.ZIP_STORED):
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", compression) as archive:
        for name, data in arrays.items():
            archive.writestr(zipfile.ZipInfo(name + ".npy", (2026, 1, 1, 0, 0, 0)), data,
                             compression)
    return file.getvalue()


def graphs():
    """Writes graphs: edges, features, labels, nodes."""
    for name, parts in {
            "small": ("0\t1\n1 2\n2 0\n3 3\n", "0 2\n1:0.5\n\n3 4:-1e3\n", "a\nb\n?\na\n",
                      "0\n1\n"),
            "both_orders": ("1 0\n0 1\n", "7\n9\n", "x\ny\n", "1\n"),
            "twice": ("0 1\n0 1\n", "0\n1\n", "a\nb\n", "0\n"),
            "huge": ("0 99999999999\n", "99999999 4294967296\n", "a\nb\n", "-1\n")}.items():
        put("graph", name, SEPARATOR.join(part.encode() for part in parts))


def reviews():
    """Writes reviews as TSV, JSON lines and CSV, a question, and reviews of a model."""
    columns = "user\titem\trating\treview\ttime\tdecides"
    for name, parts in {
            "small": ("ann\tlamp\t5\tbright light\nbob\tlamp\t1.5\t\n",
                      '{"user": "a", "item": "b", "rating": 3, "review": "x"}\n',
                      'user,item,rating,review\na,b,4,"well, ""well"""\n',
                      "ann\tlamp", "a\tb\t3\twords\t0\tuser:words item\n"),
            "header": (columns + "\na\tx\t5\tgood\t3\tuser\na\ty\t4\t\t1\t\na\tz\t2\tz\t2\titem\n",
                       "\n", "user,item,rating,review\n",
                       '{"user": "a", "item": 7, "user_reviews": ["x y"], "item_reviews": []}',
                       "a\tb\t9\t\t1e3\t\n"),
    }.items():
        put("reviews", name, SEPARATOR.join(part.encode() for part in parts))


def token_file(pairs, made_of=7, width=2):
    """Returns a token file (heed/data/token_files.h) from lists of source and target ids."""
    ends, totals = b"", [0, 0]
    for pair in pairs:
        totals = [total + len(side) for total, side in zip(totals, pair)]
        ends += struct.pack("<2I", *totals)
    ids = b"".join(struct.pack(f"<{len(pair[side])}{'H' if width == 2 else 'I'}", *pair[side])
                   for side in (0, 1) for pair in pairs)
    summed = (struct.pack("<2I9Q", width, 0, made_of, 12, 12, 0, len(pairs), *totals, 1, 2)
              + ends + ids)
    return b"HEEDTOK1" + struct.pack("<I", zlib.crc32(summed)) + summed


def tokens():
    pairs = [([4, 5, 3], [6, 3]), ([3], [7, 7, 7, 3]), ([11, 3], [3])]
    for kind in (b"s", b"u"):
        put("tokens", "pairs_" + kind.decode(), kind + token_file(pairs))
    put("tokens", "none", b"u" + token_file([]))
    put("tokens", "other_text", b"s" + token_file(pairs, made_of=8))
    put("tokens", "large_id", b"s" + token_file([([12], [3])]))
    put("tokens", "wide", b"s" + token_file(pairs, width=4))


def passages():
    """Writes questions as JSON lines, in bAbI format, in Children's Book Test format, and as
    typed."""
    story = "".join(f"{i} Ann met Bob , day {i} .\n" for i in range(1, 21))
    for name, parts in {
            "small": ('{"passage": "Ann ate.\\nBob ran!", "question": "Who ran?", '
                      '"answer": "Bob", "candidates": ["Ann", "Bob"]}\n',
                      "1 Ann ate.\n2 Who ate?\tAnn\t1\n1 Bob ran.\n2 Who?\tBob\t1\n",
                      story + "21 XXXXX left .\tAnn\t\tAnn|Bob\n", "Ann ate.\nBob ran.\tWho ran?"),
            "typed": ("\n", story + "21 XXXXX .\tBob\t\tAnn|Bob\n", "1 a\n3 b\n",
                      '{"passage": "(Ann) \\"don\'t\\"", "question": "_____?"}'),
    }.items():
        put("passages", name, SEPARATOR.join(part.encode() for part in parts))


def wav(samples, channels=1, rate=8000, bits=16, length=None, kind=1):
    """Returns a WAV file. `length`: size of the samples in the header, if it is wrong."""
    frame = channels * bits // 8
    size = len(samples) if length is None else length
    return (b"RIFF" + struct.pack("<I", 36 + len(samples)) + b"WAVEfmt " +
            struct.pack("<IHHIIHH", 16, kind, channels, rate, rate * frame, frame, bits) +
            b"data" + struct.pack("<I", size) + samples)


def sounds():
    """Writes valid and damaged WAV files, and FLAC and Ogg files by libsndfile."""
    short = struct.pack("<40h", *(500 * (i % 9 - 4) for i in range(40)))
    put("sound", "wav", wav(short))
    put("sound", "stereo_wav", wav(short, channels=2, rate=44100))
    put("sound", "float_wav", wav(struct.pack("<9f", *range(9)), bits=32, kind=3))
    put("sound", "nan_wav", wav(struct.pack("<2f", 0, float("nan")), bits=32, kind=3))
    put("sound", "huge_wav", wav(struct.pack("<2f", 0, 3e38), bits=32, kind=3))
    put("sound", "law_wav", wav(bytes(range(80)), bits=8, kind=7))
    put("sound", "many_channels_wav", wav(bytes(640), channels=32))
    put("sound", "claims_much_wav", wav(short, length=1 << 31))
    put("sound", "no_samples_wav", wav(b""))
    for path in sorted((GOLDEN / "sounds").iterdir()):
        put("sound", path.name.replace(".", "_"), path.read_bytes())
    vorbis = (GOLDEN / "sounds" / "vorbis.ogg").read_bytes()
    put("sound", "version_of_vorbis_ogg", vorbis.replace(b"\1vorbis\0", b"\1vorbis\1", 1))
    put("sound", "books_of_vorbis_ogg", vorbis.replace(b"\5vorbis", b"\5vorbit", 1))
    put("sound", "two_ogg", vorbis + vorbis)


def images():
    """Writes every form of PNG and JPEG, and idx."""
    for path in sorted((GOLDEN / "images").iterdir()):
        put("image", path.name.replace(".", "_"), path.read_bytes())
    put("image", "idx", b"\0\0\x08\x02" + struct.pack(">2i", 2, 3) + b"abcdef")
    png = bytearray((GOLDEN / "images" / "rgb.png").read_bytes())
    png[16:24] = struct.pack(">2i", 4000, 8000)
    put("image", "claims_much", bytes(png))

    def chunk(name, content):
        return (struct.pack(">I", len(content)) + name + content +
                struct.pack(">I", zlib.crc32(name + content)))

    def grey(width, height, interlaced, rows):
        header = struct.pack(">2I5B", width, height, 8, 0, 0, 0, interlaced)
        return (bytes(png[:8]) + chunk(b"IHDR", header) +
                chunk(b"IDAT", zlib.compress(bytes(rows), 9)) + chunk(b"IEND", b""))

    put("image", "no_rows_png", grey(5700, 5700, 0, 0))
    put("image", "half_of_rows_png", grey(5, 4, 0, 12))
    put("image", "interlaced_png", grey(5, 3, 1, 22))
    for name in ("rgb", "progressive"):
        jpeg = (GOLDEN / "images" / f"{name}.jpg").read_bytes()
        scan = jpeg.index(b"\xff\xda")
        scan += 2 + jpeg[scan + 3]
        put("image", f"no_pixels_{name}_jpg", jpeg[:scan] + b"\xff\xd9")


def captions():
    """Writes lists of images with captions and boxes or with classes, and frame names."""
    for name, kind, text in (
            ("boxes", "c", 'a.png\ta grey thing\t[[1, 0, 0, 8, 4], [2, 3, 1, 4, 2]]\n'
             'b.png\tnothing\n'),
            ("box_outside", "c", "a.png\ta b\t[[0, 0, 0, 9, 4]]\n"),
            ("box_of_no_word", "c", "a.png\ta b\t[[2, 0, 0, 1, 1]]\n"),
            ("many_columns", "c", "a.png\ta b\t[]\tmore\n"),
            ("karpathy", "j", '{"images": [{"filename": "a.png", "split": "restval", "sentences": '
             '[{"tokens": ["a", "dog"]}, {"raw": "A cat."}]}], "dataset": "x"}'),
            ("karpathy_split", "j", '{"images": [{"filename": "a.png", "split": "dev"}]}'),
            ("classes", "l", "a.png\tcat\nb.png\tdog\na.png\tcat\n"),
            ("gone", "l", "gone.png\tcat\n"),
            ("frames", "f", "1.png\nf02.png\nf3-10.png\n"),
            ("no_number", "f", "f.png\ng.png\n"),
            ("large_number", "f", "9999999999999999999999.png\n1.jpg\n")):
        put("captions", name, kind + text)


def weights():
    floats = struct.pack("<4f", 1, -2, 0.5, 0)
    put("safetensors", "two", safetensors(
        {"a": ("F32", [2, 2], floats), "b": ("I32", [2], struct.pack("<2i", 7, -1))},
        {"heed.step": "3"}))
    put("safetensors", "dtypes", safetensors(
        {"f16": ("F16", [2], b"\0\x3c\0\xc0"), "bf16": ("BF16", [1], b"\x80\x3f"),
         "i64": ("I64", [1], struct.pack("<q", 5)), "u8": ("U8", [3], b"abc"),
         "i8": ("I8", [0, 3], b""), "f64": ("F64", [], struct.pack("<d", 1.5))}))
    put("safetensors", "other_dtypes", safetensors(
        {"bool": ("BOOL", [3], b"\0\1\1"), "f4": ("F4", [2, 3], b"abc"),
         "new": ("NEW", [9], b"ab"), "w": ("F32", [2, 2], floats)}))
    for key in ("dtype", "shape", "data_offsets"):
        deep = b'{"a":{"%s":' % key.encode() + b"[" * 1500 + b"]" * 1500 + b"}}"
        put("safetensors", f"nested_{key}", struct.pack("<Q", len(deep)) + deep)
    for name, array in (("floats", npy("<f4", (2, 2), floats)), ("scalar", npy("<i4", (), bytes(4))),
                        ("fortran", npy("<f8", (2, 1, 3), bytes(48), True))):
        put("npz", name, array)
    put("npz", "stored", npz({"a": npy("<f4", (2, 2), floats), "b": npy("<i8", (1,), bytes(8))}))
    put("npz", "deflated", npz({"half": npy("<f2", (2,), b"\0\x3c\0\xc0"),
                                "fortran": npy("<f8", (1, 2), bytes(16), True),
                                "special:model.yml": npy("|i1", (7,), b"a: b\nc:")},
                               zipfile.ZIP_DEFLATED))


def texts():
    for name, kind, text in (
            ("settings", "j", '{"flag": true, "count": 7, "steps": -5, "seed": 18446744073709551615,'
             ' "rate": 0.5, "name": "sgd", "kinds": ["a", "b"]}'),
            ("json", "j", '[null, -0.0, 1e308, "\\u00e9\\ud83d\\ude00", {"a": [[[]]]}]'),
            ("yaml", "y", "type: transformer\ndims: [1, 2]\nnested:\n  - 'a b'\n  - \"c\"\n"
             "text: |\n  two\n  lines\nempty: ~\n"),
            ("alignment", "p", "0-0 1-2 2-1 10-9"), ("gold", "g", "0-0 1?2 2-1 3?3"),
            ("lines", "l", "one\r\n\ufefftwo\n\nlast"),
            ("patient", "P", '{"visits": [["I50", "E11"], ["I10"]], "times": [0, 41.5], "label": 1}'),
            ("patient_of_known_effects", "P", '{"visits": [["a", "b", "a"]], "effects": [[1, 2, 3]], '
             '"log_odds": -0.5}'),
            ("codes", "K", "E11\nI10\nI50\n"),
            ("series", "s", "time,a,b\n2026-01-01 00:00,1.5,-2\n2026-01-01 01:00,2,1e-3\n"
             "2026-01-01 02:00,3,4\n"),
            ("vectors", "v", "2 3\nthe 0.1 -0.2 3e-1\nof 1 2 3\n"), ("labels", "a", "neg\npos\n"),
            ("tsv", "t", "ein Mann\ta man\n"), ("labelled", "L", "pos\ta b\nneg\tc\n"),
            ("documents", "D", "#doc one pos 1\na b\n\n#doc two neg 2\nc\n"),
            ("document", "d", "A b. B!\n\na\n"),
            ("one_line", "d", "A b. B!  Is it a\u2029b\u00e9? \x01"),
            ("ratings", "I", "1_9\t9\tgood<br />film\n2_1\t1\tbad\n"),
            ("queries", "q", "d1\ta title\ta body\nd2\tother\n====\nd1\td2\t1\nd1\td1\t0\n"),
            ("candidates", "q", "d1\ta\nd2\tb\n====\nd1\td2\td1 d2\t1.5 0.5\n"),
            ("answers", "A", "who ?\t1\tshe did\nwho ?\t0\tit rains\nwhen ?\t0\tnever\n"),
            ("recordings", "r", "a.wav\tone two\tanna\na.wav\tthree\n"),
            ("recordings_elsewhere", "r", "b.wav\tone\n"),
            ("bm25", "B", "3\t5\na\t1\nb\t2\nc\t1\n"),
            ("csv", "c", 'b,c,"a"\n"x, ""y""\nz",,1\n\n,2,3\n'),
            ("jsonl", "o", '{"a": "x\\ny", "b": ["u", "v"], "c": {}}\n\n{"b": 1, "a": true}\n'),
            ("lexicon", "x", "a b 0.5\nb a 1\nc NULL 0.25\n"),
            ("input", "i", "\ufeffone\r\n\n" + "long " * 20 + "\nlast"),
            ("input_csv", "C", 'b,a\n"x\ny",1\n2\n3,4\n'),
            ("input_jsonl", "J", '{"a": "x", "b": "y\\nz"}\n{"a": 1}\n'),
            ("keys", "k", "# keys\nkey limit=5 a note\nother\n"),
            ("conllu", "u", "# text\n1\tDogs\tdog\tNOUN\tNNS\t_\t2\tnsubj\t_\t_\n"
             "2-3\tbark.\t_\t_\t_\t_\t_\t_\t_\t_\n2\tbark\tbark\tVERB\tVBP\t_\t0\troot\t_\t_\n"),
            ("conll", "n", "-DOCSTART- -X- O\n\nEU NNP B-ORG\nrejects VBZ O\n\nPeter NNP B-PER\n")):
        put("text", name, kind + text)
    put("text", "shortlist", b"S" + safetensors({
        name: ("I32", [len(ids)], struct.pack(f"<{len(ids)}i", *ids)) for name, ids in (
            ("frequent", [4]), ("first", [0, 0, 0, 0, 0, 1, 2]), ("targets", [4, 5]))}))
    packed = io.BytesIO()
    with gzip.GzipFile(fileobj=packed, mode="wb", mtime=0) as file:
        file.write("ein mann\nschläft\n".encode() * 3)
    put("text", "gzip", b"l" + packed.getvalue())


def checkpoint():
    """Writes the training state that fuzz_run.cc reads."""
    state = {"step": 12, "epoch": 3, "batch": 4, "tokens": 99, "rng_position": 5, "has_best": True,
             "best": 0.5, "best_step": 9, "stale": 2, "kept": [3, 9], "text": "abcd"}
    shapes = {"w": [2, 3], "b": [3]}
    tensors = {}
    for kind in ("", "optimizer.first.", "optimizer.second.", "average."):
        for name, shape in shapes.items():
            size = 4 * (6 if name == "w" else 3)
            tensors[kind + name] = ("F32", shape, bytes(size))
    return safetensors(tensors, {"heed.training": json.dumps(state)})


def runs():
    put("run", "checkpoint", b"c" + checkpoint())
    put("run", "metrics", 'm{"step": 1, "time": 2.5, "loss": null}\n{"step": 2, "loss": 1}\n'
        '{"step": 3}\n{"step"')
    time = b"\x09" + struct.pack("<d", 1.5)
    header = time + b"\x1a\x0dbrain.Event:2"
    value = b"\x0a\x04loss\x15" + struct.pack("<f", 0.5)
    event = lambda step: (time + b"\x10" + bytes([step]) + b"\x2a" + bytes([len(value) + 2])
                          + b"\x0a" + bytes([len(value)]) + value)
    records = SEPARATOR.join([header, event(1), event(2), event(3)])
    for kind in (b"r", b"E"):
        put("run", "events_" + kind.decode(), kind + records)
    put("run", "raw_events", b"e" + bytes(40))
    put("run", "curves", 'l{"step": 1, "time": 2.5, "epoch": 0.5, "loss": 3}\n{"step": 2, "loss": 1, '
        '"valid_loss": null, "bleu": 1e300}\n{"step": 1, "time": 9, "loss": -1e-300}\n'
        '\n====\n{"units": 3, "score": {"name": "dot"}}')
    put("model", "replacement", "nremove a\nmove b\nmove model.safetensors\n\n====\nb\n====\na")
    put("model", "replacement_outside", "nmove b\nremove ../mine\nremove ..\n\n====\nb")
    put("model", "replacement_zero_byte", "nmove \0remove b\n\n====\nb")


def vocabularies(heed, folder):
    text = "ein Mann schläft, a man sleeps"
    specials = "<pad>\n<unk>\n<s>\n</s>\n"
    wordpiece = "[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\na\nman\n##n\nsl\n##eeps\n,\n"
    yaml = '"</s>": 0\n"<unk>": 1\na: 2\nman: 3\n'
    for name, kind, file in (
            ("words", "w", specials + "a\nman\nsleeps\n"), ("characters", "c", specials + "a\nä\n \n"),
            ("wordpiece", "p", wordpiece), ("wordpiece_cased", "P", wordpiece),
            ("yaml", "y", yaml), ("lines", "t", "</s>\n<unk>\na\nman\n")):
        put("vocabulary", name, kind.encode() + file.encode() + SEPARATOR + text.encode())
    marian = (GOLDEN / "marian.spm").read_bytes()
    put("vocabulary", "marian_spm", b"s" + marian + SEPARATOR + text.encode())
    put("vocabulary", "sentencepiece", b"m" + marian)
    for kind, size in (("unigram", 23), ("bpe", 26)):
        model = train(heed, folder / kind, vocabulary=kind, source_vocabulary_size=size,
                      target_vocabulary_size=size)
        file = next(model.glob("source*.model")).read_bytes()
        put("vocabulary", kind, kind[0].encode() + file + SEPARATOR + text.encode())


def tokenizer_texts():
    for name, text in (
            ("sentence", "Ein Mann schläft, 12 Straßen."), ("wide", "東京 ｆｕｌｌ　width 한국어"),
            ("marks", "e\u0301 \u202eabc\u202c \u00ad\u200d\ufeff👨‍👩‍👧 İıſ"),
            ("specials", "</s> <unk> [MASK] ▁ <0xE2> ##a [PAD]"),
            ("invalid", b"\xff\xfe \xc3 \xed\xa0\x80 \xf4\x90\x80\x80 \xc0\xaf a\0b"),
            ("spaces", " \t\r\n\v\f\u00a0\u2028\u3000x ")):
        put("tokenizers", name, text)


def tokenizer_files():
    """Writes a tokenizer.json and a text for it."""
    mark = "\u2581"
    words = {"type": "WordLevel", "unk_token": "a", "vocab": {"a": 0, "b": 1, mark + "a": 2}}
    bpe = {"type": "BPE", "vocab": {"a": 0, "b": 1, "ab": 2, "abab": 3, "<0x63>": 4, "u": 5},
           "merges": ["a b", ["ab", "ab"]], "unk_token": "u", "fuse_unk": True,
           "byte_fallback": True}
    unigram = {"type": "Unigram", "unk_id": 0, "byte_fallback": True,
               "vocab": [["u", 0], [mark, -2.5], ["a", -3], ["ab", -4e0], [mark + "a", -3.5],
                         ["<0x63>", 0]]}
    pieces = {"type": "WordPiece", "unk_token": "u", "vocab": {"u": 0, "a": 1, "##b": 2}}
    bytes_of = {"type": "ByteLevel", "add_prefix_space": True, "use_regex": True}
    meta = {"type": "Metaspace", "replacement": mark, "prepend_scheme": "first"}
    double_array = struct.pack("<6I", 20, 0x400, 0x161, 0x80000000, 0, 0) + b"b\0"
    chars = {"type": "Precompiled",
             "precompiled_charsmap": base64.b64encode(double_array).decode()}
    regex = {"type": "Split", "pattern": {"Regex": r"\s+(?!\S)|\p{L}+"}, "behavior": "Isolated"}
    end = {"id": 9, "content": "<s>", "special": True, "lstrip": True}
    frame = {"type": "TemplateProcessing",
             "single": [{"SpecialToken": {"id": "<s>", "type_id": 0}},
                        {"Sequence": {"id": "A", "type_id": 0}}],
             "pair": [{"Sequence": {"id": "A", "type_id": 0}},
                      {"Sequence": {"id": "B", "type_id": 1}}],
             "special_tokens": {"<s>": {"id": "<s>", "ids": [9], "tokens": ["<s>"]}}}
    bert = {"type": "BertNormalizer", "lowercase": True}
    for name, text, parts in (
            ("words", "a b  c", {"model": words, "pre_tokenizer": {"type": "Whitespace"}}),
            ("pairs", "ababab caab " * 8, {"model": bpe, "normalizer": {"type": "NFC"}}),
            ("bytes", "ab 'll 12\n", {"model": bpe, "pre_tokenizer": bytes_of,
                                      "decoder": {"type": "ByteLevel"}}),
            ("unigram", "ab aab c \u00e9", {"model": unigram, "pre_tokenizer": meta, "decoder": meta}),
            ("map", "a e\u0301\r\n", {"model": unigram, "normalizer": chars}),
            ("scripts", "ab \u4e2d\u30ab", {"model": words,
                                          "pre_tokenizer": {"type": "UnicodeScripts"}}),
            ("pieces", "AB \u4e2d ab", {"model": pieces, "normalizer": bert,
                                       "pre_tokenizer": {"type": "BertPreTokenizer"},
                                       "decoder": {"type": "WordPiece"}}),
            ("added", "a <s>b<s>", {"model": words, "pre_tokenizer": regex,
                                    "added_tokens": [end], "post_processor": frame})):
        put("tokenizer_json", name,
            json.dumps(parts, ensure_ascii=False).encode() + SEPARATOR + text.encode())


def train(heed, out, **options):
    """Trains a model of a few hundred weights."""
    folder = out.parent
    source, target = folder / "source", folder / "target"
    source.write_text("ein mann schläft\neine frau liest\nder hund bellt laut\n" * 4)
    target.write_text("a man sleeps\na woman reads\nthe dog barks loudly\n" * 4)
    settings = {"source": source, "target": target, "embedding": 2, "units": 2, "epochs": 1,
                "vocabulary": "words", "steps": 1, "out": out} | options
    args = [heed, "train", "--quiet"]
    for key, value in settings.items():
        if value is not None:
            args += ["--" + key.replace("_", "-"), str(value)]
    subprocess.run(args, check=True)
    return out


def bundle(kind, files):
    return kind + SEPARATOR.join(name.encode() + b"\n" + data for name, data in files.items())


def folder_of_heed(model):
    settings = json.loads((model / "config.json").read_text())
    own = settings.pop("heed")
    for key in ("source", "target", "texts", "out"):
        if settings.get(key):
            settings[key] = type(settings[key])()
    files = {"config.json": json.dumps(settings).encode()}
    for name in [*own["files"], "model.safetensors"]:
        files[name] = (model / name).read_bytes()
    return bundle(b"f", files)


def models(heed, folder):
    put("model", "bahdanau", folder_of_heed(train(heed, folder / "bahdanau")))
    put("model", "transformer", folder_of_heed(train(
        heed, folder / "transformer", model="transformer", embedding=None, units=None, width=4,
        layers=1, heads=2, ff=4)))
    tagged = folder / "tagged"
    tagged.write_text("EU B-ORG\nrejects O\n\nPeter B-PER\nsleeps O\n" * 4)
    put("model", "tagger", folder_of_heed(train(
        heed, folder / "tagger", task="tag", source=None, target=None, vocabulary=None,
        embedding=None, texts=tagged, word_embedding=2, character_embedding=2, character_units=2,
        min_count=1)))
    for kind in ("bert", "marian"):
        source = GOLDEN / f"huggingface_{kind}"
        put("model", f"huggingface_{kind}", bundle(b"h", {
            path.name: path.read_bytes() for path in sorted(source.iterdir())
            if path.name != "expected.npz"}))
    vocabularies = {name: (GOLDEN / f"marian.{name}.yml").read_bytes() for name in ("source", "target")}
    decoder = b"relative-paths: true\nvocabs:\n  - source.yml\n  - target.yml\n"
    for kind in ("pre", "s2s", "amun"):
        put("model", f"marian_{kind}", bundle(b"m", {
            "model.npz": (GOLDEN / f"marian_{kind}.npz").read_bytes(),
            "model.npz.decoder.yml": decoder,
            **{name + ".yml": data for name, data in vocabularies.items()}}))


def requests():
    for name, head, body in (
            ("get", "GET /languages?a=1&b=x+y%20z HTTP/1.1\r\nHost: a\r\nAccept: text/event-stream", ""),
            ("json", "POST /translate HTTP/1.1\r\nHost: a\r\nContent-Type: application/json",
             '{"q": ["ein mann", "zwei"], "source": "de", "target": "en", "format": "text",'
             ' "alternatives": 2, "stream": false, "api_key": "k"}'),
            ("form", "POST /detect HTTP/1.0\r\nContent-Type: application/x-www-form-urlencoded\r\n"
             "Connection: keep-alive", "q=ein+mann&source=auto&target=en"),
            ("predict", "POST /predict HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer k\r\n"
             "Content-Type: application/json; charset=utf-8", '{"text": "a b", "model": "m", "beam": 3}')):
        length = f"\r\nContent-Length: {len(body.encode())}" if body else ""
        put("request", name, f"{head}{length}\r\n\r\n{body}")
    put("request", "chunked", "POST /translate HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n"
        'Content-Type: application/json\r\nExpect: 100-continue\r\n\r\n8\r\n{"q":"a"\r\n1\r\n}\r\n0\r\n\r\n')
    form = '--x\r\nContent-Disposition: form-data; name="q"\r\n\r\nein mann\r\n--x--\r\n'
    put("request", "multipart", "POST /translate HTTP/1.1\r\nHost: a\r\nContent-Type: "
        f"multipart/form-data; boundary=x\r\nContent-Length: {len(form)}\r\n\r\n{form}")
    put("request", "forwarded", "POST /detect?api_key=k&q=a&q=b HTTP/1.1\r\nHost: a\r\n"
        "X-Forwarded-For: 192.0.2.1, [2001:db8::1]:443\r\nx-forwarded-for: ::ffff:192.0.2.7\r\n"
        "Via: 1.1 b\r\nContent-Length: 0\r\n\r\n")
    put("request", "codings", "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: gzip, chunked\r\n"
        "Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n")
    names = "&".join(f"n{i}={i}" for i in range(101))
    put("request", "names", "POST /translate HTTP/1.1\r\nHost: a\r\nContent-Type: "
        f"application/x-www-form-urlencoded\r\nContent-Length: {len(names)}\r\n\r\n{names}")


def markup():
    for name, text in (
            ("nested", 'h<p>A <b>big <i title="x>y">dog</i></b> &amp; a <a href=/z>cat</a>. It runs.</p>'),
            ("kept", 'hSee <code>a &lt; b</code>, <span translate="no">X</span> <img src=a> '
             '<time>noon</time><!-- c --> &hellip; &foo; now<br>on'),
            ("crossing", "ha <b>b <i>c</b> d. E</i> f</u> g <u>h"),
            ("blocks", "h<title>a <b></title><pre>one\ntwo</pre><textarea>x</textarea>"
             "<script>y</script><![CDATA[z]]><!doctype html>"),
            ("placeholders", "tHello {{name}}, you have {0} (%s) files, 50% of %1$s. See "
             "https://x.example/a_(b)?c, a@b.example: [X0X] ${v} %(n)s :ok: __A__ <0>z</0> \\n &eacute;"),
            ("message", "t{n, plural, one {# file} other {# files}} in \"{x}\"/{y}; %d, %d. $z"),
            ("names", "tDr. A sees #Stra\u00dfenbahn, @m\u00fcller@a.example \U0001F44D\U0001F3FD "
             "\U0001F1E9\U0001F1EA 1\ufe0f\u20e3 <@123> user_gr\u00f6\u00dfe.\u3000Am 3. Mai z. B. B!"),
            ("markdown", "m---\na: b\n---\n# A *b* #\n\n> - [x] c **d\n> e** `f`  \n> g\n\n"
             "1. [h](<i> \"j\") ![k](l) <m@n.example>\n\n   ~~~\n   o\n   ~~~\np\n===\n"),
            ("table", "m| a | b\\|c |\n|:-:|---|\n| ~~d~~ | [e][f] |\n\n[f]: g 'h'\n\n"
             "<div>\ni <b>j</b>\n</div>\n\n    k\n\n[^1]: l[^1] \\* &amp; _m_ __n__\n")):
        put("markup", name, "\x00\x01\x02"["thm".index(text[0])] + text[1:])


def main():
    heed = str(pathlib.Path(sys.argv[1]).resolve())
    with tempfile.TemporaryDirectory() as scratch:
        folder = pathlib.Path(scratch)
        graphs()
        reviews()
        tokens()
        passages()
        images()
        captions()
        sounds()
        weights()
        texts()
        runs()
        vocabularies(heed, folder)
        tokenizer_texts()
        tokenizer_files()
        models(heed, folder)
        requests()
        markup()


if __name__ == "__main__":
    main()
