"""From relevant passages to cited sentences: dispatch, contract, rendering, verification."""
