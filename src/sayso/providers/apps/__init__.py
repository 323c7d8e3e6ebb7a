"""Applications, their windows, and layouts of several windows."""
