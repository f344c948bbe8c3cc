"""Programs that measure speed and memory; the documentation quotes their figures."""
