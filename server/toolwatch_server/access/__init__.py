"""Who may come in: keys for programs, a session for people, and guards against other sites in a person's browser."""
