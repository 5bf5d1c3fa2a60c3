"""The hosts of a cluster: this machine, or network namespaces whose links can be cut."""

import os
import random
import subprocess
import threading
from contextlib import suppress
from typing import Protocol
from uuid import uuid4

LONGEST = 45.0
"""The most seconds for which a link is cut; connections of Dask give up after about 30."""


class Hosts(Protocol):
    """Where the scheduler and the nodes of a cluster run."""

    cuts: tuple[str, ...]
    """The kinds of links that can be cut."""

    def command(self, name: str) -> list[str]:
        """Return what is put before a command to run it on a host."""
        ...

    def options(self, name: str) -> list[str]:
        """Return the options with which Dask listens there."""
        ...

    def cut(self, name: str, chance: random.Random) -> None:
        """Cut the link of a host for a while."""
        ...

    def close(self) -> None:
        """Take all hosts away."""
        ...


class ThisMachine:
    """Everything runs here; there is no link to cut."""

    cuts: tuple[str, ...] = ()

    def command(self, name: str) -> list[str]:
        del name
        return []

    def options(self, name: str) -> list[str]:
        del name
        return []

    def cut(self, name: str, chance: random.Random) -> None:
        raise AssertionError(f"There is no link to cut for {name}, now or by {chance}.")

    def close(self) -> None:
        pass


class Namespaces:
    """A network namespace per host, all on one bridge; needs the rights of root and iproute2."""

    cuts: tuple[str, ...] = ("link of a node", "link of the scheduler")

    def __init__(self) -> None:
        self._network = f"nalm{uuid4().hex[:6]}"
        self._prefix = f"10.{83 + os.getpid() % 100}.{random.randrange(256)}"
        self._hosts: dict[str, int] = {}
        self._timers: list[threading.Timer] = []
        _ip("link", "add", self._network, "type", "bridge")
        _ip("addr", "add", f"{self._prefix}.1/24", "dev", self._network)
        _ip("link", "set", self._network, "up")

    def command(self, name: str) -> list[str]:
        if name not in self._hosts:
            self._add(name)
        return ["ip", "netns", "exec", self._space(name)]

    def options(self, name: str) -> list[str]:
        return ["--host", f"{self._prefix}.{self._hosts[name] + 10}"]

    def cut(self, name: str, chance: random.Random) -> None:
        _ip("link", "set", self._link(name), "down")
        seconds = chance.choice([chance.uniform(0.1, 3.0), chance.uniform(3.0, LONGEST)])
        mend = threading.Timer(seconds, _ip, ("link", "set", self._link(name), "up"))
        mend.start()
        self._timers.append(mend)

    def close(self) -> None:
        for timer in self._timers:
            timer.cancel()
        for name in self._hosts:
            _ip("netns", "del", self._space(name))
        _ip("link", "del", self._network)

    def _add(self, name: str) -> None:
        self._hosts[name] = len(self._hosts)
        space, link = self._space(name), self._link(name)
        _ip("netns", "add", space)
        _ip("link", "add", link, "type", "veth", "peer", "name", "eth0", "netns", space)
        _ip("link", "set", link, "master", self._network)
        _ip("link", "set", link, "up")
        within = ["-n", space]
        _ip(*within, "link", "set", "lo", "up")
        _ip(*within, "link", "set", "eth0", "up")
        _ip(*within, "addr", "add", f"{self._prefix}.{self._hosts[name] + 10}/24", "dev", "eth0")

    def _space(self, name: str) -> str:
        return f"{self._network}-{self._hosts[name]}"

    def _link(self, name: str) -> str:
        return f"{self._network}l{self._hosts[name]}"


def available() -> bool:
    """Tell whether this process may make network namespaces."""
    name = f"nalm{uuid4().hex[:6]}"
    with suppress(OSError, subprocess.CalledProcessError):
        _ip("netns", "add", name)
        _ip("netns", "del", name)
        return True
    return False


def _ip(*arguments: str) -> None:
    subprocess.run(["ip", *arguments], check=True, stderr=subprocess.DEVNULL)
