"""Hold a router or gateway to byte-exact forwarding: the hostile provider behind it, a reader of bytes before it.

What the provider sent and what arrived is compared by trial; what may differ (chunks of HTTP, comments, some headers)
is told apart from what may not: any byte of an event, their order, an error, the end.
"""
