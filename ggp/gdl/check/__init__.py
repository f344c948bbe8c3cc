"""The checker: everything that can be found wrong with a rulesheet without playing it."""

from ggp.gdl.check.checker import check
from ggp.gdl.check.codes import CODES, Code, Severity
from ggp.gdl.check.finding import Edit, Finding
from ggp.gdl.check.text.spelling import closest
from ggp.gdl.check.text.suppression import suppressed

__all__ = ["CODES", "Code", "Edit", "Finding", "Severity", "check", "closest", "suppressed"]
