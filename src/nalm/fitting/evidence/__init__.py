"""What rows say of a formula: how near it is, which numbers are exact, whether it is verified."""
