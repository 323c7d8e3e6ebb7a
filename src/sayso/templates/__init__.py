"""The person's own actions: files with `config` and `handler`, and the handlers run where they can only ask."""
