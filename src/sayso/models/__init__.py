"""Language models: hosted and local ones through one client library, fallbacks, recorded replies, built-in rules."""
