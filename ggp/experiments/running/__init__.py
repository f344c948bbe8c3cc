"""What all experiments share: tasks, measurements, reports."""
