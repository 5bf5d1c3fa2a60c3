"""Formulas as a PyTorch module."""

import torch
from torch import Tensor, nn

from nalm.fitting.tree.array_formulas import ArrayFormulas


class TorchFormulas(nn.Module):
    """Formulas of the same columns, one output each, that keep their numbers.

    Parameters
    ----------
    formulas
        The formulas.
    text
        What they are, for people.
    dtype
        The dtype it computes in; PyTorch's default dtype if absent.
    trainable
        Whether the numbers that are multiplied by and added are parameters, not buffers.

    Examples
    --------
    >>> from nalm.fitting.tree import HALF, Column, PowerProduct
    >>> root = ArrayFormulas((PowerProduct(((Column(0), HALF),)),), 1)
    >>> TorchFormulas(root, "sqrt(a)")(torch.tensor([[1e6], [0.0]]))
    tensor([[1000.],
            [   0.]])
    """

    coefficients: Tensor

    def __init__(
        self,
        formulas: ArrayFormulas,
        text: str,
        dtype: torch.dtype | None = None,
        *,
        trainable: bool = False,
    ) -> None:
        super().__init__()
        self.formulas = formulas
        self.text = text
        numbers = torch.as_tensor(
            formulas.params()["coefficients"], dtype=dtype or torch.get_default_dtype()
        )
        if trainable:
            self.coefficients = nn.Parameter(numbers)
        else:
            self.register_buffer("coefficients", numbers)

    def forward(self, x: Tensor) -> Tensor:
        """Return the values, `(rows, outputs)`, of rows `(rows, columns)`."""
        return self.formulas({"coefficients": self.coefficients}, x.to(self.coefficients.dtype))

    def extra_repr(self) -> str:
        """Return the formulas."""
        return self.text
