"""How a unit is learnt: losses and schedules."""
