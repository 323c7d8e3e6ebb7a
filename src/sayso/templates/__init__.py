"""The person's own actions: files with `config` and `handler`; a handler runs where it can only request actions."""
