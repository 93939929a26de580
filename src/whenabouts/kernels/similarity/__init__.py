"""The join of clouds of samples: distances, bounds, the papers' grid and a tree that needs fewer looks."""
