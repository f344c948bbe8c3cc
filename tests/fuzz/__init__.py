"""Fuzzing of the message parsers: any input gets one line of KIF, and raises nothing."""
