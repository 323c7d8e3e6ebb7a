"""What every Linux desktop has in common: desktop entries, processes, and an apps backend over any screen."""
