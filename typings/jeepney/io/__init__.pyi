# What the tests use of jeepney's own connections.
