"""Setting up an account: its servers are found by the domain of an address, and tried before anything is written."""
