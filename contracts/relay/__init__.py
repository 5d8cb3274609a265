"""Hold a router or gateway to byte-exact forwarding: the hostile provider behind it, a reader of bytes before it.

What was asked and what the provider was asked, what it sent and what arrived is compared by trial; what may differ
(how JSON is written on the way there; chunks of HTTP, comments, some headers on the way back) is told apart from what
may not: any character or number of a request, any byte of an event, their order, an error, the end.
"""
