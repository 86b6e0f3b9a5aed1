"""Matches over many machines, by Ray: ``python -m astragal.cluster match A B --shards 64 --out DIR``.

Needs the extra: ``pip install 'astragal[cluster]'``. Ray schedules, transports and notices what is lost; the arena plays, tests
and merges. What is here begins its shards, keeps their lines, and looks at the pairs that are complete in order.
"""
