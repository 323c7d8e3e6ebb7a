"""What was proposed, decided and done, kept so that it survives crashes and shows tampering."""
