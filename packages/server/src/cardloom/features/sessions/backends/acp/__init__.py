"""Any agent of the Agent Client Protocol as a backend: it answers, the sessions are ours."""
