"""A known form with unknown constants: read from text or sympy, and fitted to rows."""

from nalm.fitting.form.form import Form as Form
from nalm.fitting.form.form import form_of as form_of
from nalm.fitting.form.form_law import form_law as form_law
