"""Code generation: from circuits to straight-line programs, LLVM code or tables."""
