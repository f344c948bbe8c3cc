"""Parts of boards that are no cells with contents: borders between cells, stacks, sets of facts."""
