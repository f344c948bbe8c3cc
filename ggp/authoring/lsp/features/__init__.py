"""What an editor asks for, each kind of question in a module of its own."""
