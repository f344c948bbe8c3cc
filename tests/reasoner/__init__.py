import pytest

for _module in ("games", "states_and_moves", "meaning", "spelling", "random_play"):
    pytest.register_assert_rewrite(f"tests.reasoner.{_module}")
