"""From relevant passages to cited sentences: dispatch, extraction, summary, contract, rendering."""
