"""How a model of the client library is made for each vendor; each file imports the vendor's own library."""
