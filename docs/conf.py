"""The documentation site: `make docs` builds it without a network, warnings are errors."""

import os
import sys
from pathlib import Path

HERE = Path(__file__).parent
os.environ.setdefault("KERAS_BACKEND", "jax")  # Keras must know before it is imported
sys.path[:0] = [str(HERE / "_ext"), str(HERE.parent), str(HERE.parent / "src")]

import nalm  # noqa: E402 (found on the path above)

project, author = "nalm", "The nalm developers"
copyright = author  # noqa: A001 (the name that Sphinx reads)
release = version = nalm.__version__

extensions = [
    "myst_nb",
    "sphinx.ext.autodoc",
    "sphinx.ext.napoleon",
    "math_renderer",
    "site_pages",
]
exclude_patterns = ["_build", "results", "_ext"]
myst_enable_extensions = ["colon_fence", "dollarmath"]
myst_heading_anchors = 3
default_role = "code"
napoleon_use_rtype = False
napoleon_google_docstring = False
autodoc_typehints = "none"
autodoc_member_order = "bysource"
autodoc_default_options = {  # methods of scikit-learn, whose docstrings refer to its site
    "exclude-members": "set_fit_request,set_predict_request,set_score_request",
}
html_math_renderer = "mathml"
nb_execution_mode = os.environ.get("NALM_NOTEBOOKS", "cache")
nb_execution_timeout = 300
nb_execution_raise_on_error = True
nb_execution_excludepatterns = ["generated/*"]

html_theme = "furo"
html_title = f"nalm {version}"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_show_sphinx = False
html_copy_source = False
