"""Where PyTorch computes."""

import torch

from nalm.errors import InputError


def check_device(name: str) -> None:
    """Raise InputError unless PyTorch can compute there.

    Examples
    --------
    >>> check_device("cpu")
    """
    here = ["cpu", *(f"cuda:{i}" for i in range(torch.cuda.device_count()))]
    here += ["mps"] if torch.backends.mps.is_available() else []
    try:
        device = torch.device(name)
    except RuntimeError:
        raise InputError(
            f"device is the name of one of PyTorch's, such as 'cpu' or 'cuda'; received {name!r}."
        ) from None
    known = str(device) in here or (device.index is None and f"{device.type}:0" in here)
    if not known:
        raise InputError(
            f"PyTorch computes on {', '.join(here)} here; received {name!r}. Choose one of these."
        )
