"""The training of one run: steps, evaluations, and the state between them."""

from typing import Any

import numpy as np
import torch
from torch import Tensor

from nalm.networks.layers import parameters
from nalm.torch import constrain_
from nalm.training.losses import MSE
from nalm.training.run import Curves, Run
from nalm.vision.heads import parameters_of, penalties_of, sparsity_of, weights_of
from nalm.vision.lesson import Lesson

BEST, SERIES = "best.", "log."
"""How names of arrays begin in a state: parameters at the best evaluation, what was measured."""
WEIGHTS = "weights "
"""How the series of weights begin."""


class Course:
    """A run that is trained from evaluation to evaluation."""

    def __init__(self, run: Run, lesson: Lesson) -> None:
        self.run, self.lesson, self.recipe = run, lesson, run.recipe
        self.network: torch.nn.Module = lesson.network
        self.head: torch.nn.Module = lesson.network.head
        self.trained = [p for p in self.network.parameters() if p.requires_grad]
        self.optimizer = torch.optim.Adam(
            self.trained, lr=self.recipe.learning_rate, fused=fused(self.trained)
        )
        self.done, self.diverged_at = 0, -1
        self.loss = float("nan")
        self.log: dict[str, list[np.ndarray]] = {}
        self.lowest = float("inf")
        self.best = parameters_of(run.model, self.head)

    # --- training ------------------------------------------------------------------------------

    def advance(self, steps: int) -> None:
        """Make so many steps; a run whose loss stops being finite ends there."""
        self.network.train()
        loss = torch.zeros(())
        for step in range(self.done, self.done + steps):
            loss = self._step(step)
        self.done += steps
        self.loss = float(loss)
        finite = all(bool(p.isfinite().all()) for p in self.trained)
        if not (np.isfinite(self.loss) and finite):
            self.diverged_at = self.done

    def _step(self, step: int) -> Tensor:
        recipe = self.recipe
        found = self.lesson.predict(step)
        loss = self._loss(step).value(found.outputs, found.targets)
        objective = loss
        scales = self._scales(step)
        terms = penalties_of(self.head, found.values) if scales else {}
        for name, scale in scales.items():
            objective = objective + scale * terms[name]
        if recipe.decay is not None:
            factor = float(recipe.decay.value(np, np.float64(step), np.float64("nan")))
            self.optimizer.param_groups[0]["lr"] = recipe.learning_rate * factor
        self.optimizer.zero_grad(set_to_none=True)
        objective.backward()
        if recipe.clip_norm is not None:
            torch.nn.utils.clip_grad_norm_(self.trained, recipe.clip_norm)
        if recipe.clip_value is not None:
            torch.nn.utils.clip_grad_value_(self.trained, recipe.clip_value)
        self.optimizer.step()
        constrain_(self.head)
        return loss.detach()

    def _scales(self, step: int) -> dict[str, float]:
        """Return the scale of each penalty at a step, without those that are 0."""
        validation = np.float64(self._validation())
        scales = {
            name: float(schedule.value(np, np.float64(step), validation))
            for name, schedule in self.recipe.penalties
        }
        return {name: scale for name, scale in scales.items() if scale}

    def _loss(self, step: int) -> Any:
        late = self.recipe.mse_from is not None and step >= self.recipe.mse_from
        return MSE() if late else self.recipe.loss

    def _validation(self) -> float:
        """Return the validation error of the last evaluation."""
        return float(self.log["validation"][-1])

    # --- evaluation ----------------------------------------------------------------------------

    def judge(self) -> None:
        """Evaluate the network, and keep what was measured."""
        if self.diverged_at >= 0 and self.log["step"][-1] >= self.diverged_at:
            self._repeat()
            return
        self.network.eval()
        judged = self.lesson.judge()
        row: dict[str, Any] = {
            "step": self.done,
            "validation": judged.validation,
            "test": judged.test,
            "loss": self.loss,
            "sparsity": sparsity_of(self.head),
        }
        row |= {f"series {name}": value for name, value in judged.series.items()}
        row |= {
            f"series {WEIGHTS}{name}": value
            for name, value in weights_of(self.run.model, self.head).items()
        }
        row |= {f"penalty {name}": value for name, value in self._penalties().items()}
        for name, value in row.items():
            kind = np.int32 if name == "step" else np.float32
            self.log.setdefault(name, []).append(np.asarray(value, kind))
        if judged.validation < self.lowest:
            self.lowest = judged.validation
            self.best = parameters_of(self.run.model, self.head)

    def _repeat(self) -> None:
        """Keep the last numbers again: nothing changes any more."""
        for values in self.log.values():
            values.append(values[-1])
        self.log["step"][-1] = np.asarray(self.done, np.int32)

    def _penalties(self) -> dict[str, float]:
        if not self.recipe.penalties:
            return {}
        with torch.no_grad():
            found = penalties_of(self.head, None)
        return {
            n: float(found.get(n, torch.tensor(float("nan")))) for n, _ in self.recipe.penalties
        }

    def curves(self) -> Curves:
        """Return everything that was measured."""
        stacked = {name: np.stack(values) for name, values in self.log.items()}
        self.network.eval()
        return Curves(
            steps=stacked["step"],
            validation=stacked["validation"],
            test=stacked["test"],
            sparsity=stacked["sparsity"],
            loss=stacked["loss"],
            penalties=_beginning(stacked, "penalty "),
            final=parameters_of(self.run.model, self.head),
            best=self.best,
            diverged_at=self.diverged_at,
            reinitialised=np.array([], np.int32),
            series=_beginning(stacked, "series "),
            arrays=self.lesson.ending(),
        )

    # --- the state between evaluations ---------------------------------------------------------

    def arrays(self) -> dict[str, np.ndarray]:
        """Return the whole state as arrays by name."""
        found = {f"network.{n}": _plain(v) for n, v in self.network.state_dict().items()}
        for i, parameter in enumerate(self.trained):
            for name, value in self.optimizer.state.get(parameter, {}).items():
                found[f"adam.{i}.{name}"] = _plain(value)
        found["random"] = _plain(torch.get_rng_state())
        if torch.cuda.is_available():
            found["random.cuda"] = _plain(torch.cuda.get_rng_state())
        found |= {BEST + name: value for name, value in self.best.items()}
        found |= {SERIES + name: np.stack(values) for name, values in self.log.items()}
        numbers = (self.loss, self.lowest, float(self.diverged_at))
        return found | {"numbers": np.array(numbers, np.float64)}

    def restore(self, done: int, arrays: dict[str, np.ndarray]) -> None:
        """Go back to a state; ValueError if it is of another network."""
        recipe = self.recipe
        if not 0 < done < recipe.steps or done % recipe.log_every:
            raise ValueError("no evaluation is made there")
        state = {name: torch.tensor(v) for name, v in _beginning(arrays, "network.").items()}
        try:
            self.network.load_state_dict(state)
        except RuntimeError as error:
            raise ValueError(str(error)) from None
        for i, parameter in enumerate(self.trained):
            kept = _beginning(arrays, f"adam.{i}.")
            self.optimizer.state[parameter] = {
                name: _like(parameter, torch.tensor(value)) for name, value in kept.items()
            }
        torch.set_rng_state(torch.tensor(arrays["random"]))
        if "random.cuda" in arrays and torch.cuda.is_available():
            torch.cuda.set_rng_state(torch.tensor(arrays["random.cuda"]))
        self.best = {name: arrays[BEST + name] for name in parameters(self.run.model)}
        self.log = {name: list(values) for name, values in _beginning(arrays, SERIES).items()}
        self.loss, self.lowest, diverged = arrays["numbers"].tolist()
        self.done, self.diverged_at = done, int(diverged)


def fused(trained: list[torch.nn.Parameter]) -> bool:
    """Tell whether the optimizer can make its step in one pass."""
    return all(p.device.type in {"cpu", "cuda", "mps"} for p in trained)


def _beginning(arrays: dict[str, np.ndarray], prefix: str) -> dict[str, np.ndarray]:
    """Return the arrays whose names begin so, under the rest of their names."""
    return {n.removeprefix(prefix): v for n, v in arrays.items() if n.startswith(prefix)}


def _like(parameter: Tensor, value: Tensor) -> Tensor:
    """Return a moment in the layout in memory of its parameter, as the fused step needs it."""
    if value.shape != parameter.shape:
        return value.to(parameter.device)
    return torch.empty_like(parameter).copy_(value)


def _plain(value: Tensor) -> np.ndarray:
    return value.detach().cpu().contiguous().numpy().copy()
