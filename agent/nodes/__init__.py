"""The nodes of the graph: each takes the state and the runtime, and returns its update."""
