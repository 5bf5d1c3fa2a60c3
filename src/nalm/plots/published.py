"""The pictures of the papers, with the numbers that they print."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from nalm._internal.checks import positive
from nalm.networks import Stack
from nalm.plots._picture import Panels, Picture
from nalm.plots._plane import SAMPLES, Samples
from nalm.plots.equations import effective, gold, penalty, schedule
from nalm.plots.grids import Grid
from nalm.plots.landscape import Landscape, landscape
from nalm.plots.lines import Lines
from nalm.plots.runs import gates, predictions
from nalm.plots.starts import starts
from nalm.plots.stored import gates_of, paths_of
from nalm.plots.surface import Shown, Surfaces, surfaces
from nalm.plots.trajectories import trajectories
from nalm.plots.two_layers import shared_sums, two_layers
from nalm.tasks import Subsets, Task, Uniform, single_module
from nalm.training import Ramp
from nalm.units import MLP, NAC, NAU, NMRU, NMU, NRU, NACMul, RealNPU
from nalm.units.ops import SATURATED

SAMPLE = ((-2.0, -1.8), 3.6)
"""The one sample of the thesis, section 4.1.1."""
ENDS = (-6.0, 6.0)
"""The ends of the axes of published surfaces."""
LONG = 2_000_000
"""How many steps the wide networks of published surfaces are trained for."""
ACTIVATIONS = (
    "relu", "sigmoid", "tanh", "relu6", "leaky_relu", "elu", "selu", "prelu", "swish",
)  # fmt: skip


def nmu_landscape(points: int = 126) -> Landscape:
    """Two points of zero loss; the loss is zero on two curves through them."""
    marks = [(1.0, 1.0, "(1, 1)"), (-1 / 6, -0.5, "(−1/6, −1/2)"), (0.0, 0.0, "clipped")]
    title = "NMU learning −2 × −1.8"
    return landscape("nmu", SAMPLE, points=points, marks=marks, title=title)


def npu_gradients(points: int = 101, largest: float = 0.05, seed: int = 0) -> Panels:
    """Selecting x1 of U[0,2) beside an x2 that is near zero; the source does not state the ranges.

    With x2 of U[0,0.05) the NaiveNPU has the published region without gradient, w2 > 0.75; with
    `largest=2` it has none.
    """
    positive("largest", largest)
    x = np.random.default_rng(seed).random((SAMPLES, 2)) * (2.0, largest)
    samples, weights = Samples(x, x[:, 0]), ("weight[0,0]", "weight[0,1]")

    def panel(title: str, gate: Sequence[float] | None) -> Landscape:
        unit = RealNPU(2, 1, gate=gate is not None)
        params = {"weight": np.zeros((1, 2))} | ({} if gate is None else {"gate": np.array(gate)})
        return landscape(
            unit, samples, weights=weights, params=params, first=(-1.0, 2.0), points=points,
            shown="gradient", marks=[(1.0, 0.0, "")], title=title,
        )  # fmt: skip

    gated = (panel(f"Real NPU, gate {g}", g) for g in ((0.5, 0.5), (1.0, 0.0)))
    return Panels("Norm of the gradient", (panel("NaiveNPU", None), *gated))


def start_grids(points: int = 21, steps: int = 2500, seed: int = 0) -> Panels:
    """Success is to end nearer than 0.1 to (1, 1): no source says how near."""
    found = [
        starts(unit, SAMPLE, goal=(1.0, 1.0), points=points, steps=steps, seed=seed)
        for unit in ("nmu", "snmu")
    ]
    return Panels("Starts that end at (1, 1), learning −2 × −1.8", tuple(found))


def surface_mul(step: float = 0.1, steps: int = LONG, workers: int | None = None) -> Surfaces:
    """The wide network is trained for so many steps, the others for 50,000."""
    shown = (Shown("nmu"), _narrow(0), _wide(8, steps))
    return surfaces(shown, single_module("mul"), ends=ENDS, step=step, limit=1e-5, workers=workers)


def surface_add(step: float = 0.1, steps: int = LONG, workers: int | None = None) -> Surfaces:
    """The wide network is trained for so many steps, the others for 50,000."""
    narrow, four = map(_narrow, (9, 12)), map(_four, (4, 0, 17))
    shown = (Shown("nau"), *narrow, *four, _wide(0, steps))
    return surfaces(shown, single_module("add"), ends=ENDS, step=step, workers=workers)


def surface_sub(step: float = 0.1, steps: int = LONG, workers: int | None = None) -> Surfaces:
    """No source states the seeds; ours are 0."""
    shown = (Shown("nau"), _narrow(0), _four(0), _wide(0, steps))
    return surfaces(shown, single_module("sub"), ends=ENDS, step=step, workers=workers)


def surface_div(step: float = 0.1, steps: int = LONG, workers: int | None = None) -> Surfaces:
    """No source states the seeds; ours are 0. The target has no value where the divisor is 0."""
    shown = (_narrow(0), _wide(0, steps))
    return surfaces(shown, single_module("div"), ends=ENDS, step=step, workers=workers)


def _narrow(seed: int) -> Shown:
    return Shown(MLP(2, 1, hidden=(1,)), seed, name="MLP of width 1")


def _four(seed: int) -> Shown:
    return Shown(MLP(2, 1, hidden=(4,), bias=False), seed, name="MLP of width 4")


def _wide(seed: int, steps: int) -> Shown:
    return Shown(MLP(2, 1, hidden=(100,)), seed, steps, name="MLP of width 100")


def nac_singularity(
    epsilons: Sequence[float] = (1e-7, 1e-3, 0.01, 0.1, 0.3, 1.0), step: float = 0.02
) -> Grid:
    """NAC₊ then NAC•: the printed ε are 1e-7, 0.1 and 1; the printed code squares the error."""

    def params(w1: Any, w2: Any) -> Any:
        import jax.numpy as jnp

        def hat(weight: Any) -> dict[str, Any]:
            inside = jnp.clip(weight, -1 + 1e-6, 1 - 1e-6)
            return {"w_hat": jnp.arctanh(inside), "m_hat": jnp.full(inside.shape, SATURATED)}

        return hat(shared_sums(w1)["weight"]), hat(w2 * jnp.ones((1, 2)))

    networks = [Stack((NAC(4, 2), NACMul(2, 1, epsilon=float(e)))) for e in epsilons]
    return two_layers(
        networks, params, slices=tuple(epsilons), slider="ε", step=step,
        title="NAC₊ then NAC•, squared error up to 500",
    )  # fmt: skip


def nmu_two_layers(step: float = 0.02) -> Grid:
    """The same problem with an NAU and an NMU has no singularity."""
    title = "NAU then NMU, squared error up to 500"
    network = Stack((NAU(4, 2), NMU(2, 1)))
    return two_layers([network], _plain(2), second=(0.0, 1.0), step=step, title=title)


def division_singularity(
    epsilons: Sequence[float] = (1e-5, 1e-3, 0.01, 0.1), step: float = 0.02
) -> Panels:
    """An NAU, then a unit that divides; the NMRU has w2 for its two products, 0 for reciprocals."""

    def gated(w1: Any, w2: Any) -> Any:
        first, second = _plain(2)(w1, w2)
        return first, second | {"gate": np.ones(2)}

    npus = [Stack((NAU(4, 2), RealNPU(2, 1, epsilon=float(e)))) for e in epsilons]
    common: dict[str, Any] = {"power": 1, "step": step, "limit": 30.0}
    pictures = (
        two_layers(npus, gated, slices=tuple(epsilons), slider="ε", title="Real NPU", **common),
        two_layers([Stack((NAU(4, 2), NRU(2, 1)))], _plain(2), title="NRU", **common),
        two_layers([Stack((NAU(4, 2), NMRU(2, 1)))], _plain(4), title="NMRU",
                   second=(0.0, 1.0), **common),
    )  # fmt: skip
    return Panels("NAU, then a unit that divides: error up to 30", pictures)


def _plain(columns: int) -> Any:
    def params(w1: Any, w2: Any) -> Any:
        import jax.numpy as jnp

        used = np.arange(columns) < 2
        return shared_sums(w1), {"weight": w2 * jnp.asarray(used[None, :], float)}

    return params


def weight_paths(
    seeds: int = 10,
    steps: int = 5000,
    range: str = "U[-2,2)",  # noqa: A002
    results: str | None = None,
) -> Panels:
    """The thesis shows networks that read digits: pass the folder of nalm bench mnist-product.

    Without it, the units are trained alone, on mixed signs.
    """
    if results is not None:
        return paths_of(results)
    task = single_module("mul", range)
    found = [trajectories(unit, task, seeds=seeds, steps=steps) for unit in ("nmu", "snmu")]
    return Panels(f"The way of the weights, mul on {range}", tuple(found))


def nalu_weights(points: int = 61) -> Panels:
    """tanh(ŵ) σ(m̂) with base e, and with the golden ratio as the base."""
    panels = effective("nalu", points=points), effective("gnalu", points=points)
    return Panels("The effective weight", panels)


def penalties() -> Panels:
    """The penalty of NAU and NMU, a ramp from step 4 to 6, and that of a parameter of iNALU."""
    ramp = schedule(Ramp(1.0, 4, 6), 10, title="ramp")
    inalu = penalty(
        "inac", "saturate", ends=(-30.0, 30.0), others=30.0, title="iNALU: saturate, one parameter"
    )
    return Panels("Penalties that make weights discrete", (penalty("nau"), ramp, inalu))


def gold_errors(exponents: Sequence[int] = range(-8, 1)) -> Panels:
    """Errors of exact weights in 32 bits; ε = 0 mends the Real NPU, and forbids zeros."""
    units = ("real_npu", "real_npu(epsilon=0.0)", "nru", "nmru")
    cases = (("reciprocal", 1), ("reciprocal", 2), ("div", 2))
    panels = (
        gold(units, op, inputs=n, exponents=exponents, title=f"{op} of {n} input{'s' * (n > 1)}")
        for op, n in cases
    )
    return Panels("Errors of exact weights near zero", tuple(panels))


def gate_histograms(
    seeds: int = 25,
    steps: int = 50_000,
    workers: int | None = None,
    results: str | None = None,
) -> Panels:
    """The paper trains 100 seeds on the dataset task: pass the folder of nalm bench gating.

    Without it, one unit is trained on two inputs.
    """
    if results is not None:
        return gates_of(results)
    units = ("nalu(weights='separate')", "nalu", "gated_nau_nmu")
    found: list[Picture] = [
        gates(unit, single_module(op), seeds=seeds, steps=steps, workers=workers)
        for op in ("add", "mul")
        for unit in units
    ]
    return Panels("The gates of runs: 1 adds, 0 multiplies", tuple(found), columns=3)


def identity_curves(
    activations: Sequence[str] = ACTIVATIONS, steps: int = 50_000, workers: int | None = None
) -> Lines:
    """Two hidden layers of 8 are to repeat their input; learning rate and steps are ours."""
    task = Task(
        Subsets("add", spans=((0, 1),)), 1, Uniform(-10, 10), Uniform(-10, 20), name="identity"
    )
    models = [MLP(1, 1, hidden=(8, 8), activation=name) for name in activations]  # pyright: ignore[reportArgumentType]
    changes = {
        "learning_rate": 1e-3,
        "optimizer": "sgd",
        "steps": steps,
        "log_every": min(1000, steps),
    }
    return predictions(models, task, changes=changes, labels=tuple(activations), workers=workers)
