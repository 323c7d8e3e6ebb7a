"""The code that the back ends of real browsers share; it does not depend on the browser's protocol."""
