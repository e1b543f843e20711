"""A program of its own that posts a hook's payload: `python -I -S posting.py FILE EVENT`, the payload on stdin.

FILE is `{"url": …}`, readable by its owner alone, so that the address with its token is in no command line. It prints
the answer when that is a JSON object, nothing otherwise, and always exits with 0: what it says or does can never stop
the agent. It imports little, because it runs once a tool. Spec: harnesses, posting from a hook.
"""

import json
import socket
import sys
from typing import BinaryIO

TIMEOUT_S = 2.0
MAX_ANSWER_BYTES = 64 << 10


def posted(url: str, event: str, payload: bytes) -> bytes:
    """Post to a loopback address; give the answer's body. OSError and ValueError when there is none."""
    host, _, path = url.removeprefix("http://").partition("/")
    name, _, port = host.rpartition(":")
    head = (
        f"POST /{path}/{event} HTTP/1.1\r\nHost: {host}\r\nContent-Type: application/json\r\n"
        f"Content-Length: {len(payload)}\r\nConnection: close\r\n\r\n"
    )
    with socket.create_connection((name.strip("[]"), int(port)), TIMEOUT_S) as connection:
        connection.sendall(head.encode() + payload)
        with connection.makefile("rb") as answer:
            return _body(answer)


def _body(answer: BinaryIO) -> bytes:
    length = -1
    if b" 200 " not in answer.readline(1_000):
        raise ValueError
    while line := answer.readline(8_000).strip():
        name, _, value = line.partition(b":")
        if name.lower() == b"content-length":
            length = min(int(value), MAX_ANSWER_BYTES)
    return answer.read(length if length >= 0 else MAX_ANSWER_BYTES)


def main(arguments: list[str]) -> None:
    try:
        with open(arguments[0], encoding="utf-8") as file:
            url = json.load(file)["url"]
        answer = posted(url, arguments[1], sys.stdin.buffer.read())
        if isinstance(json.loads(answer), dict):
            sys.stdout.buffer.write(answer)
    except (OSError, ValueError, LookupError):
        pass


if __name__ == "__main__":
    main(sys.argv[1:])
