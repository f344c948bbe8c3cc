"""The code that all experiments share: tasks, measurements, reports."""
