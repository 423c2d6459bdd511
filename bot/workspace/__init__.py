"""A Slack workspace on this machine: the Web API, Socket Mode and HTTP delivery in one process."""
