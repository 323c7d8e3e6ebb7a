"""Code that all Linux desktops share: processes, desktop entries, and a back end over any kind of screen."""
