"""Evidence from the wire, without spend: the only place that speaks to providers."""
