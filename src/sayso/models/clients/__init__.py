"""Functions that make the client library's models; each module is for one kind of API."""
