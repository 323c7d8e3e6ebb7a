"""The chat for editors that speak the Agent Client Protocol."""
