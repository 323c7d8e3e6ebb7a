"""Functions that make the client library's models, with one module for each kind of API."""
