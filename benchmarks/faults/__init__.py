"""The campaign of faults: sweeps are disturbed, and what they end with is compared."""
