"""The language models: hosted and local ones through one client library, and what is tried when one cannot answer."""
