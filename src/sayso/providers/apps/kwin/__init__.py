"""Applications and windows of KDE on Wayland, through a script that KWin runs for us."""
