"""A Slack workspace on this machine, which a real Bolt app talks to as to Slack.

server         the whole, in a thread of its own; what tests and the workspace page use
state, shapes  what the workspace holds, and the same as Slack's JSON
api, methods   the Web API; context: what a method is given; blocks, elements: Block Kit's rules
acts, interactions  what people do; messages: what comes of it; text: what a text means
delivery       tries and retries; sockets and request_url: the two ways to the app
faults         trouble on demand; journal: each call and delivery
"""
