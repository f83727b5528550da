"""The one world of the tests: a small campaign, made once per worker and put back for each test.

``recording`` makes a layer once and restores its rows and files. ``layers`` lists the layers of the
campaign that most tests use, each on top of others: people, teams, topics and documents; runs; a
pool; plans; judgments; qrels; scores. ``site`` is the largest one: two campaigns with scores and
users of every role, for sweeps over all addresses. Tests ask for a layer by its fixture
(``tests/conftest.py``) and build what is special about them with the functions of the product.
"""
