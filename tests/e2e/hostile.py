"""Requests that are cheap to send and costly to parse: large, deeply nested, with many parts."""

import json

JSON = "application/json"
FORM = "application/x-www-form-urlencoded"
MULTIPART = "multipart/form-data; boundary=b"


def repeated(first, part, last, size):
    """Returns `first`, part(0), part(1), ... up to about `size` bytes, and `last`."""
    parts, bytes_left, i = [first], size - len(first) - len(last), 0
    while True:
        piece = part(i)
        bytes_left -= len(piece)
        if bytes_left < 0:
            return "".join(parts) + last
        parts.append(piece)
        i += 1


def bodies(size):
    """Yields (name, path, type, body of at most `size` bytes)."""
    languages = '"source":"source","target":"target"'
    translate = '{%s,"q":' % languages
    strings = lambda text: repeated(translate + '[""', lambda i: ',"%s"' % text, "]}", size)
    whole = lambda text: translate + json.dumps(text) + "}"
    part = 'Content-Disposition: form-data; name="{}"\r\n\r\n{}\r\n--b\r\n'
    kinds = [
        ("names", JSON, repeated(translate + '"1"', lambda i: f',"{i}":0', "}", size)),
        ("names of an inner object", JSON,
         repeated(translate + '{"a":1', lambda i: f',"{i}":0', "}}", size)),
        ("one name again and again", JSON,
         repeated(translate + '"1"', lambda i: ',"a":0', "}", size)),
        ("one long name", JSON, translate + '"1","%s":1}' % ("n" * (size - 100))),
        ("objects", JSON, repeated(translate + "[{}", lambda i: ",{}", "]}", size)),
        ("objects with names", JSON,
         repeated(translate + "[{}", lambda i: ',{"a":1,"b":2}', "]}", size)),
        ("arrays", JSON, repeated(translate + "[[]", lambda i: ",[]", "]}", size)),
        ("numbers", JSON, repeated(translate + "[1", lambda i: ",1", "]}", size)),
        ("a long number", JSON, translate + "1" * (size - 100) + "}"),
        ("nested arrays", JSON, translate + "[" * (size - 100)),
        ("nested objects", JSON, repeated(translate, lambda i: '{"a":', "", size)),
        ("an unclosed text", JSON, translate + '"' + "x" * (size - 100)),
        ("escapes", JSON, repeated(translate + '"', lambda i: "\\u0001", '"}', size)),
        ("line ends and an error", JSON, translate + "\n" * (size - 100) + "x"),
        ("short texts", JSON, strings("1")),
        ("one long text", JSON, whole("1 " * (size // 2 - 100))),
        ("one long word", JSON, whole("1" * (size - 100))),
        ("one long line of marks", JSON, whole("1,." * (size // 3 - 100))),
        ("many lines", JSON, whole("1\n" * (size // 3 - 100))),
        ("many tags", JSON, whole("<b>1</b>" * (size // 8 - 100))[:-1] + ',"format":"html"}'),
        ("unclosed tags", JSON, whole("<b 1" * (size // 4 - 100))[:-1] + ',"format":"html"}'),
        ("open comments", JSON, whole("<!-- 1" * (size // 6 - 100))[:-1] + ',"format":"html"}'),
        ("unclosed scripts", JSON,
         whole("<script></scrip" * (size // 15 - 100))[:-1] + ',"format":"html"}'),
        ("entities", JSON, whole("&amp;&#65" * (size // 9 - 100))[:-1] + ',"format":"html"}'),
        ("form names", FORM, repeated("q=1", lambda i: f"&{i}=", "", size)),
        ("form values", FORM, repeated("source=source&target=target&q=1", lambda i: "&q=1", "",
                                       size)),
        ("form escapes", FORM, repeated("q=1", lambda i: "%31", "", size)),
        ("form separators", FORM, "&" * size),
        ("form without values", FORM, "q=" + "&a" * (size // 2 - 100)),
        ("parts", MULTIPART,
         repeated("--b\r\n", lambda i: part.format(i, "x"), "--b--\r\n", size)),
        ("parts of one name", MULTIPART,
         repeated("--b\r\n", lambda i: part.format("q", "x"), "--b--\r\n", size)),
        ("parts without heads", MULTIPART, "--b\r\n" * (size // 5)),
        ("almost boundaries", MULTIPART, "\r\n--" * (size // 4)),
        ("dispositions", MULTIPART,
         "--b\r\nContent-Disposition: " + "a;" * (size // 2 - 100) + "\r\n\r\nx\r\n--b--\r\n"),
    ]
    for name, kind, body in kinds:
        yield name, "/translate", kind, body.encode()
    options = repeated('{"text":"1"', lambda i: f',"o{i}":1', "}", size)
    yield "options", "/predict", JSON, options.encode()
    methods = repeated('{"text":"1","methods":["saliency"', lambda i: ',"saliency"', "]}", size)
    yield "methods", "/explain", JSON, methods.encode()
    yield "texts to detect", "/detect", JSON, repeated(
        '{"q":["1"', lambda i: ',"1"', "]}", size).encode()


def request(path, kind, body):
    return (f"POST {path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Type: {kind}\r\n"
            f"Content-Length: {len(body)}\r\n\r\n").encode() + body


def chunked(path, kind, body):
    """Returns the request with one chunk per byte."""
    return (f"POST {path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Type: {kind}\r\n"
            "Transfer-Encoding: chunked\r\n\r\n").encode() + b"".join(
                b"1\r\n%c\r\n" % byte for byte in body) + b"0\r\n\r\n"


def heads(size):
    """Yields (name, request without a body, with at most `size` bytes of headers)."""
    end = "\r\n\r\n"
    kinds = [
        ("headers", repeated("GET /health HTTP/1.1\r\nHost: x\r\nConnection: close",
                             lambda i: f"\r\nh{i}:", end, size)),
        ("one header again and again", repeated(
            "GET /health HTTP/1.1\r\nHost: x\r\nConnection: close", lambda i: "\r\na:", end, size)),
        ("cookies", repeated("GET /health HTTP/1.1\r\nHost: x\r\nConnection: close\r\nCookie: a",
                             lambda i: f"; c{i}=1", end, size)),
        ("addresses", repeated(
            "POST /translate HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: 0\r\n"
            "X-Forwarded-For: 1.1.1.1", lambda i: ", ::1", end, size)),
        ("codings", repeated(
            "POST /translate HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked",
            lambda i: ",chunked", end, size)),
        ("query", repeated("GET /health?q=1", lambda i: f"&{i}=1",
                           " HTTP/1.1\r\nHost: x\r\nConnection: close" + end, size)),
        ("a path of slashes", "GET " + "/" * (size - 100)
         + " HTTP/1.1\r\nHost: x\r\nConnection: close" + end),
        ("a path of escapes", "GET /" + "%2e" * (size // 3 - 100)
         + " HTTP/1.1\r\nHost: x\r\nConnection: close" + end),
    ]
    for name, head in kinds:
        yield name, head.encode()
