# Every kind of socket, and the sockets of programs outside.
import socket

host, port = WORLD["tcp"]


def connect(kind: int, address: object) -> None:
    with socket.socket(socket.AF_UNIX, kind) as sock:
        sock.connect(address)


def send(address: object) -> None:
    left, _ = socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)
    left.sendto(b"x", address)


attempt("tcp", lambda: socket.create_connection((host, port), timeout=2))
attempt("tcp out", lambda: socket.create_connection(("192.0.2.1", 80), timeout=2))
attempt("udp", lambda: socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b"x", (host, port)))
attempt("tcp6", lambda: socket.socket(socket.AF_INET6, socket.SOCK_STREAM))
attempt("raw", lambda: socket.socket(socket.AF_INET, socket.SOCK_RAW, 1))
attempt("packet", lambda: socket.socket(socket.AF_PACKET, socket.SOCK_RAW))
attempt("netlink", lambda: socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, 0))
attempt("vsock", lambda: socket.socket(socket.AF_VSOCK, socket.SOCK_STREAM))
attempt("alg", lambda: socket.socket(socket.AF_ALG, socket.SOCK_SEQPACKET))
attempt("name look-up", lambda: socket.getaddrinfo("example.org", 80))
attempt("unix path", lambda: connect(socket.SOCK_STREAM, WORLD["unix_path"]))
attempt("unix path by a pair", lambda: send(WORLD["unix_datagram"]))
attempt("unix abstract", lambda: connect(socket.SOCK_STREAM, "\0" + WORLD["unix_abstract"]))
left, right = socket.socketpair()
left.send(b"x")
if right.recv(1) != b"x":
    escapes.append("a socket pair does not work")
finish()
