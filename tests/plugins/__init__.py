"""What pytest is taught for this project, one plugin a file."""
