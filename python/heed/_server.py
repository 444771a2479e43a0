"""Servers of models, within this process."""

from __future__ import annotations

import os
from typing import Any, Iterable, List

from ._library import encode_json, lib, make
from .errors import FormatError


class Server:
    """A running server with the HTTP API and the web page of `heed serve`.

    heed.serve makes it. `with heed.serve(model) as server:` closes it at the end.

    Attributes:
        address: Where it listens, such as "http://127.0.0.1:5000/".
    """

    def __init__(self, options: Any):
        text = encode_json(options)
        self._handle = make("heed_server_free", "server", lib.heed_server_start, text,
                            len(text), at_exit=True)
        self.address: str = lib.heed_server_address(self._handle.use()).decode()

    def close(self) -> None:
        """Stops the server after it has answered all accepted requests."""
        self._handle.close()

    def __enter__(self) -> Server:
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<heed.Server {self.address}{' closed' if self._handle.closed else ''}>"

    def _repr_html_(self) -> str:
        if self._handle.closed:
            return "closed"
        return f'<a href="{self.address}">{self.address}</a>'


def serve(models: Any, port: int = 0, **options: Any) -> Server:
    """Starts a server, with the web page, for notebooks and for other programs.

    Args:
        models: A model or its folder, a list of these, or a dict of names. Names such as
            "de-en" give the languages of a translator.
        port: Where to listen. 0: any free port.
        options: Those of `heed serve`, such as host, char_limit, api_keys.
    Raises:
        IoError: The port is in use, or a folder has no model.
        ConfigError: An option does not exist or is out of range.

    Example:
        >>> model = heed.train("classify", ["good", "bad"] * 20, ["pos", "neg"] * 20,
        ...                    epochs=2, progress=False)
        >>> with heed.serve(model) as server:
        ...     server.address.startswith("http://127.0.0.1:")
        True
    """
    def folder(model: Any) -> str:
        path = getattr(model, "folder", model)
        if not isinstance(path, (str, os.PathLike)):
            raise FormatError(f"{type(model).__name__} is no model and no folder")
        return os.fspath(path)

    if isinstance(models, dict):
        specs: List[str] = [f"{name}={folder(model)}" for name, model in models.items()]
    elif isinstance(models, Iterable) and not isinstance(models, str):
        specs = [folder(model) for model in models]
    else:
        specs = [folder(models)]
    return Server({"models": specs, "port": port, **options})
