"""Child processes: how they are started, limited, talked to, and ended."""
