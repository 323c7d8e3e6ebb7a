"""Language models: hosted and local ones, fallbacks, recorded replies, and built-in rules that act as a model."""
