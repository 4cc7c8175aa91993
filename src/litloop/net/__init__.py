"""HTTP: transport, retries, circuit breaker, rate limits, response cache, and which addresses may be called."""
