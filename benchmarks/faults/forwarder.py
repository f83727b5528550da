"""One address that leads to a server, is cut off, does not answer, or leads to another server."""

import socket
from contextlib import suppress
from threading import Event, Lock, Thread

Address = tuple[str, int]
PIECE = 1 << 16


class Forwarder:
    """Clients connect to ``port`` of this machine and reach ``target``."""

    def __init__(self, target: Address) -> None:
        self.target, self.port = target, 0
        self.flowing, self.lock = Event(), Lock()
        self.sockets: set[socket.socket] = set()
        self.listener: socket.socket | None = None
        self.come_back()

    def come_back(self, target: Address | None = None) -> None:
        """Take connections again, from now on to ``target`` if one is given."""
        self.target = target or self.target
        self.flowing.set()
        if self.listener is None:
            listener = socket.socket()
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            listener.bind(("127.0.0.1", self.port))
            listener.listen(64)
            self.port, self.listener = listener.getsockname()[1], listener
            Thread(target=self.accept, args=[listener], daemon=True).start()

    def go_away(self) -> None:
        """Refuse connections and cut those that are open, as a server that has died."""
        listener, self.listener = self.listener, None
        if listener is not None:
            close_socket(listener)
        with self.lock:
            cut, self.sockets = self.sockets, set()
        for each in cut:
            close_socket(each)

    def fall_silent(self) -> None:
        """Take connections and bytes, and answer nothing, as a machine that hangs."""
        self.flowing.clear()

    def accept(self, listener: socket.socket) -> None:
        while True:
            try:
                client, _ = listener.accept()
            except OSError:
                return
            try:
                server = socket.create_connection(self.target, timeout=5)
            except OSError:
                close_socket(client)
                continue
            server.settimeout(None)
            with self.lock:
                self.sockets |= {client, server}
            for ends in ((client, server), (server, client)):
                Thread(target=self.pass_on, args=ends, daemon=True).start()

    def pass_on(self, source: socket.socket, sink: socket.socket) -> None:
        with suppress(OSError):
            while data := source.recv(PIECE):
                self.flowing.wait()
                sink.sendall(data)
        with self.lock:
            self.sockets -= {source, sink}
        close_socket(source)
        close_socket(sink)


def close_socket(each: socket.socket) -> None:
    with suppress(OSError):
        each.shutdown(socket.SHUT_RDWR)
    each.close()
