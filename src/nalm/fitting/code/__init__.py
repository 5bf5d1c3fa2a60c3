"""A formula as a program in other languages, with names that those languages allow."""

from nalm.fitting.code.languages import LANGUAGES as LANGUAGES
from nalm.fitting.code.languages import code as code
