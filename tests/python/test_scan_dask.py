#!/usr/bin/env python3
"""docs/scan.md: the function there over partitions, with Dask's workers as processes: the rows of the single run."""

import importlib.util
import os
import tempfile
import unittest

import support

import ptxscope
from ptxscope import partitions


@unittest.skipUnless(importlib.util.find_spec("distributed"), "there is no Dask: pip install dask distributed")
class DaskTest(unittest.TestCase):
    def test_two_workers_give_the_rows_of_one_run(self):
        from distributed import Client, LocalCluster
        golden = support.ROOT / "tests" / "golden"  # also with files that are no PTX
        paths = [*ptxscope.files_in(golden), *support.corpus(40), "nowhere.ptx"]
        expected = ptxscope.scan(paths)
        self.assertEqual(ptxscope.scan(ptxscope.files_in(golden)), ptxscope.scan([golden]))
        with LocalCluster(n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None) as cluster, \
                Client(cluster) as client:
            tasks = [client.submit(ptxscope.scan, part) for part in partitions(paths, 40)]
            found = [row for task in tasks for row in task.result()]
            workers = {worker for holders in client.who_has(tasks).values() for worker in holders}
        self.assertEqual(found, expected)
        self.assertEqual(len(workers), 2)
        self.assertEqual(expected[-1]["status"], "unreadable")


@unittest.skipUnless(importlib.util.find_spec("ray"), "there is no Ray: pip install ray")
class RayTest(unittest.TestCase):
    def test_two_workers_give_the_rows_of_one_run(self):
        home = tempfile.TemporaryDirectory()
        self.addCleanup(home.cleanup)
        os.environ["HOME"] = home.name  # where Ray keeps a token
        import ray
        paths = support.modules_of_the_tree()
        ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False)
        self.addCleanup(ray.shutdown)
        scan = ray.remote(ptxscope.scan)
        found = [row for rows in ray.get([scan.remote(part) for part in partitions(paths, 7)]) for row in rows]
        self.assertEqual(found, ptxscope.scan(paths))


if __name__ == "__main__":
    support.main()
