"""The search for a formula: families of formulas, from small to large, until one is verified."""
