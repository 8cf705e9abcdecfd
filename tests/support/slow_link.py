"""A network link with a delay, where the kernel has no netem: slow_link.py LINK NEW_LINK SECONDS

Makes the link NEW_LINK (a TAP device). What is sent through it leaves through LINK after SECONDS; what arrives at LINK arrives at NEW_LINK
at once. NEW_LINK gets the hardware address of LINK, which is to have no address of IP. Prints a line when NEW_LINK is there. Needs root.
"""
import collections
import contextlib
import fcntl
import os
import select
import socket
import struct
import sys
import time

ETH_P_ALL, SIOCSIFHWADDR, TUNSETIFF, IFF_TAP, IFF_NO_PI = 3, 0x8924, 0x400454CA, 0x0002, 0x1000
LARGEST_FRAME = 1 << 16


def pass_on(send, *arguments):
    """A link that is down, or whose queue is full, loses the frame."""
    with contextlib.suppress(OSError):
        send(*arguments)


def main(link, new_link, delay_s):
    wire = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(ETH_P_ALL))
    wire.bind((link, 0))
    tap = os.open("/dev/net/tun", os.O_RDWR)
    fcntl.ioctl(tap, TUNSETIFF, struct.pack("16sH22x", new_link.encode(), IFF_TAP | IFF_NO_PI))
    fcntl.ioctl(wire, SIOCSIFHWADDR, struct.pack("16sH6s16x", new_link.encode(), 1, wire.getsockname()[4]))
    print("ready", flush=True)
    waiting = collections.deque()  # frames with the time at which they leave
    while True:
        timeout = max(0.0, waiting[0][0] - time.monotonic()) if waiting else None
        ready = select.select([wire, tap], [], [], timeout)[0]
        if tap in ready:
            waiting.append((time.monotonic() + float(delay_s), os.read(tap, LARGEST_FRAME)))
        if wire in ready:
            frame, sender = wire.recvfrom(LARGEST_FRAME)
            if sender[2] != socket.PACKET_OUTGOING:
                pass_on(os.write, tap, frame)
        while waiting and waiting[0][0] <= time.monotonic():
            pass_on(wire.send, waiting.popleft()[1])


if __name__ == "__main__":
    main(*sys.argv[1:])
