"""The journal of what was proposed, decided and done; it survives crashes and reveals tampering."""
