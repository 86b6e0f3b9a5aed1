"""Events over many machines, by Ray: ``python -m astragal.cluster match A B --shards 64 --out DIR``.

Matches and tournaments of the arena, games of the trainer, reviews. Needs the extra: ``pip install 'astragal[cluster]'``.
Ray schedules, transports and notices what is lost; the programs of the project play, judge and merge. What is here begins
their shards, keeps what they write, and looks at the pairs that are complete in order.
"""
