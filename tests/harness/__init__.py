"""Long runs that try to break sayso's promises, each with planted bugs that it must catch."""
