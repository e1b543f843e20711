"""Tools for agents, over the Model Context Protocol: what each agent is offered, and the server that offers it."""
