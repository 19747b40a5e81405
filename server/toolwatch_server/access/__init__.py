"""Who may come in: keys for programs, a session for people, and a guard against other sites."""
