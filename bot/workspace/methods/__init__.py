"""The Web API methods, by family."""
