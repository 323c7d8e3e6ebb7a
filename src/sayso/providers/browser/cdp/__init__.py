"""Browsers of the Chromium family, spoken to over their DevTools: tabs, pages, and what is done in them."""
