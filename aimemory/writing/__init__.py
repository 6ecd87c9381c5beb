"""From a conversation to memories: what is worth keeping, and how it fits what is known.

The model only distils. What is kept is decided here, by code: rules take out small
talk, questions and secrets; every proposal has to quote the user; importance comes
from its class; and a judge compares it with what is stored.
"""
