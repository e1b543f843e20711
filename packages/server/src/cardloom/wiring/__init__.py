"""How the parts are joined: one module a group of features, each a function that `app.build` calls in turn.

A function gets the shared rooms and the groups it needs, makes the services, hangs them on the listeners, and adds to
`Life` what is to run at the start, at the end and meanwhile. It gives its services as a frozen dataclass.
"""
