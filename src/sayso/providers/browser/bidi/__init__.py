"""Firefox, spoken to in WebDriver BiDi: tabs, pages, and what is done in them."""
