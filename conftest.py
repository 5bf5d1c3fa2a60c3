"""Settings for tests and doctests alike: Keras must know its backend before it is imported."""

import os

os.environ.setdefault("KERAS_BACKEND", "torch")
