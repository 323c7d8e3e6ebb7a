"""The driver for Firefox, which is controlled over WebDriver BiDi."""
