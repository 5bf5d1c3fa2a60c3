"""How units are learnt: recipes, random numbers, and one compiled program for many runs."""
