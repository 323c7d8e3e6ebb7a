"""What every Linux desktop has in common: processes, and an apps backend over any screen."""
