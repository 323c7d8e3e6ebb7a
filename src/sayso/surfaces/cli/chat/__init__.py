"""`sayso chat`: a conversation with a model at the terminal."""
