"""Tests of the files that the package writes."""
