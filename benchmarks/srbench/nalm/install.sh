#!/usr/bin/env bash
# Installs nalm from where NALM_SOURCE says: a folder, or git+https://…
set -euo pipefail
: "${NALM_SOURCE:?names the folder or the repository of nalm}"
pip install "nalm[sklearn] @ ${NALM_SOURCE}"
