"""What backends of real browsers share, whatever they are spoken to in."""
