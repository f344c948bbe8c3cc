"""Fuzzing of what reads messages: whatever comes, there is one line of KIF and no exception."""
