"""Learn what the built-in rules ship from wishes and paraphrases."""
