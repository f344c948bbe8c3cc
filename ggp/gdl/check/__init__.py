"""The checker: everything that can be found wrong with a rulesheet without playing it."""

from ggp.gdl.check.checker import check
from ggp.gdl.check.codes import CODES, Code, Severity
from ggp.gdl.check.finding import Finding

__all__ = ["CODES", "Code", "Finding", "Severity", "check"]
