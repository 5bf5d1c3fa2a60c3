"""The layers of `nalm.torch` for type checkers; `nalm.torch._stub` writes this file."""

from typing import Literal

from torch import device as Device
from torch import dtype as DType

from nalm.torch._layer import Layer as Layer
from nalm.torch._model import constrain_ as constrain_
from nalm.torch._model import formula as formula
from nalm.torch._model import formulas as formulas
from nalm.torch._model import latex as latex
from nalm.torch._model import layers as layers
from nalm.torch._model import load as load
from nalm.torch._model import module as module
from nalm.torch._model import penalties as penalties
from nalm.torch._model import save as save
from nalm.torch._model import sparsity_error as sparsity_error

__all__ = [
    "GNALU",
    "IMNAC",
    "INAC",
    "INALU",
    "MLP",
    "NAC",
    "NALU",
    "NAU",
    "NLRL",
    "NMRU",
    "NMU",
    "NPU",
    "NRU",
    "NSR",
    "SNMU",
    "STGNMU",
    "GatedNAUNMU",
    "Layer",
    "Linear",
    "NACMul",
    "NACMulNMU",
    "NACMulSigma",
    "Product",
    "Quadratic",
    "RealNPU",
    "constrain_",
    "formula",
    "formulas",
    "latex",
    "layers",
    "load",
    "module",
    "penalties",
    "save",
    "sparsity_error",
]

class GNALU(Layer):
    """Golden-ratio NALU: smoother weights and gate, shared by both branches."""

    def __init__(
        self,
        in_features: int,
        out_features: int,
        *,
        device: Device | str | None = None,
        dtype: DType | None = None,
    ) -> None: ...

class GatedNAUNMU(Layer):
    """An NAU and an NMU, chosen by a gate that sees the input."""

    def __init__(
        self,
        in_features: int,
        out_features: int,
        *,
        device: Device | str | None = None,
        dtype: DType | None = None,
    ) -> None: ...

class IMNAC(Layer):
    """The multiplicative half of iNALU: a product of powers with its sign."""

    def __init__(
        self,
        in_features: int,
        out_features: int,
        *,
        device: Device | str | None = None,
        dtype: DType | None = None,
    ) -> None: ...

class INAC(Layer):
    """The additive half of iNALU."""

    def __init__(
        self,
        in_features: int,
        out_features: int,
        *,
        device: Device | str | None = None,
        dtype: DType | None = None,
    ) -> None: ...

class INALU(Layer):
    """Improved NALU: signed products, a gate that does not see the input."""

    def __init__(
        self,
        in_features: int,
        out_features: int,
        *,
        weights: Literal["separate", "shared"] = "separate",
        initial: Literal["wide", "recommended"] = "wide",
        device: Device | str | None = None,
        dtype: DType | None = None,
    ) -> None: ...

class Linear(Layer):
    """Linear layer, with a bias unless `bias=False`."""

    def __init__(
        self,
        in_features: int,
        out_features: int,
        *,
        bias: bool = True,
        numbers: Literal["integers", "measured"] = "integers",
        device: Device | str | None = None,
        dtype: DType | None = None,
    ) -> None: ...

class MLP(Layer):
    """Multi-layer perceptron with `hidden` layer widths and one activation between them."""

    def __init__(
        self,
        in_features: int,
        out_features: int,
        *,
        hidden: tuple[int, ...] = (100,),
        activation: Literal[
            "identity",
            "relu",
            "relu6",
            "leaky_relu",
            "elu",
            "selu",
            "prelu",
            "sigmoid",
            "tanh",
            "softsign",
            "swish",
        ] = "relu",
        bias: bool = True,
        device: Device | str | None = None,
        dtype: DType | None = None,
    ) -> None: ...

class NAC(Layer):
    """Neural accumulator: a linear map whose weights are biased towards -1, 0 and 1."""

    def __init__(
        self,
        in_features: int,
        out_features: int,
        *,
        device: Device | str | None = None,
        dtype: DType | None = None,
    ) -> None: ...

class NACMul(Layer):
    """Multiplicative neural accumulator: a product of powers of the magnitudes."""

    def __init__(
        self,
        in_features: int,
        out_features: int,
        *,
        epsilon: float = 1e-07,
        device: Device | str | None = None,
        dtype: DType | None = None,
    ) -> None: ...

class NACMulNMU(Layer):
    """Multiplicative neural accumulator with the weights of an NMU, free in [0, 1]."""

    def __init__(
        self,
        in_features: int,
        out_features: int,
        *,
        epsilon: float = 1e-07,
        device: Device | str | None = None,
        dtype: DType | None = None,
    ) -> None: ...

class NACMulSigma(Layer):
    """Multiplicative neural accumulator with weights σ(ŵ): it multiplies, never divides."""

    def __init__(
        self,
        in_features: int,
        out_features: int,
        *,
        epsilon: float = 1e-07,
        device: Device | str | None = None,
        dtype: DType | None = None,
    ) -> None: ...

class NALU(Layer):
    """Neural arithmetic logic unit; `weights` is `"shared"` by both branches or `"separate"`."""

    def __init__(
        self,
        in_features: int,
        out_features: int,
        *,
        weights: Literal["shared", "separate"] = "shared",
        device: Device | str | None = None,
        dtype: DType | None = None,
    ) -> None: ...

class NAU(Layer):
    """Neural addition unit: a linear map with weights in [-1, 1], no bias."""

    def __init__(
        self,
        in_features: int,
        out_features: int,
        *,
        clamp: Literal["stored", "forward"] = "stored",
        device: Device | str | None = None,
        dtype: DType | None = None,
    ) -> None: ...

class NLRL(Layer):
    """Neural logic rule layer: each output is an AND or an OR of inputs, negated or not."""

    def __init__(
        self,
        in_features: int,
        out_features: int,
        *,
        disjunction: Literal["power", "product", "de_morgan", "none"] = "power",
        device: Device | str | None = None,
        dtype: DType | None = None,
    ) -> None: ...

class NMRU(Layer):
    """Neural multiplicative reciprocal unit: an NMU over the inputs and their reciprocals."""

    def __init__(
        self,
        in_features: int,
        out_features: int,
        *,
        sign: bool = True,
        gate: bool = False,
        device: Device | str | None = None,
        dtype: DType | None = None,
    ) -> None: ...

class NMU(Layer):
    """Neural multiplication unit: the product of the selected inputs."""

    def __init__(
        self,
        in_features: int,
        out_features: int,
        *,
        clamp: Literal["stored", "forward"] = "stored",
        device: Device | str | None = None,
        dtype: DType | None = None,
    ) -> None: ...

class NPU(Layer):
    """Neural power unit: the real part of a product of complex powers."""

    def __init__(
        self,
        in_features: int,
        out_features: int,
        *,
        clip: Literal["none", "w", "g", "wg", "wig"] = "none",
        initial: Literal["xavier", "constrained"] = "xavier",
        epsilon: float = 1.1920928955078125e-07,
        gate: bool = True,
        device: Device | str | None = None,
        dtype: DType | None = None,
    ) -> None: ...

class NRU(Layer):
    """Neural reciprocal unit: multiplies and divides without logarithms."""

    def __init__(
        self,
        in_features: int,
        out_features: int,
        *,
        sign: Literal["joint", "separate"] = "joint",
        tanh_scale: float = 1000.0,
        device: Device | str | None = None,
        dtype: DType | None = None,
    ) -> None: ...

class NSR(Layer):
    """Neural status register: each output compares two inputs it selects."""

    def __init__(
        self,
        in_features: int,
        out_features: int,
        *,
        redundancy: int = 10,
        scale: float = 1.0,
        falsehood: bool = False,
        device: Device | str | None = None,
        dtype: DType | None = None,
    ) -> None: ...

class Product(Layer):
    """Weighted product of all inputs: a baseline for multiplication."""

    def __init__(
        self,
        in_features: int,
        out_features: int,
        *,
        device: Device | str | None = None,
        dtype: DType | None = None,
    ) -> None: ...

class Quadratic(Layer):
    """Quadratic layer: a baseline that contains sums and products of two inputs."""

    def __init__(
        self,
        in_features: int,
        out_features: int,
        *,
        device: Device | str | None = None,
        dtype: DType | None = None,
    ) -> None: ...

class RealNPU(Layer):
    """Real neural power unit; `modified=True` clips weight and gate and starts constrained."""

    def __init__(
        self,
        in_features: int,
        out_features: int,
        *,
        modified: bool = False,
        clip: Literal["none", "g", "w", "wg"] | None = None,
        initial: Literal["xavier", "constrained"] | None = None,
        discretise: Literal["signs", "ternary"] = "signs",
        epsilon: float = 1.1920928955078125e-07,
        gate: bool = True,
        device: Device | str | None = None,
        dtype: DType | None = None,
    ) -> None: ...

class SNMU(Layer):
    """Stochastic neural multiplication unit: an NMU trained with noise that cancels."""

    def __init__(
        self,
        in_features: int,
        out_features: int,
        *,
        noise_range: tuple[float, float] | Literal["batch"] = (1.0, 5.0),
        device: Device | str | None = None,
        dtype: DType | None = None,
    ) -> None: ...

class STGNMU(Layer):
    """NMU whose weights are stochastic gates; `sigma` is the standard deviation of their noise."""

    def __init__(
        self,
        in_features: int,
        out_features: int,
        *,
        sigma: float = 0.5,
        device: Device | str | None = None,
        dtype: DType | None = None,
    ) -> None: ...
