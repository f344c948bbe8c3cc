"""Many tasks at once: in processes of this machine, or on a cluster of Ray, by the same code.

`Pool` says where tasks run; `run` yields the result of each as it is there. A cluster needs the
extra `ggp[cluster]`.
"""

from ggp.cluster.executor import Executor, Failed, following, run
from ggp.cluster.pool import AUTO, LOCAL, Pool
from ggp.cluster.task import tell

__all__ = ["AUTO", "LOCAL", "Executor", "Failed", "Pool", "following", "run", "tell"]
