"""Match records: ggp-base's JSON and XML, replay, signatures."""
