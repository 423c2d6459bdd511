"""Break a connection below HTTP, which ASGI has no word for."""

from typing import Any


def abort(receive: Any) -> None:
    """Break the TCP connection behind an ASGI `receive`, with no answer and no close frame.

    uvicorn binds `receive` to the object that holds the transport.
    """
    receive.__self__.transport.abort()
