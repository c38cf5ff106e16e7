"""Writes sklearn_nb.json: what scikit-learn makes of a small random matrix.

Run in this folder:  python3 sklearn_nb.py > sklearn_nb.json
The rows of `documents` are 30 training documents, the first 20 terms of which lean to one class; `tests` are 5 more.
Bernoulli sees bits: a count above 0 is 1.
"""

import json
import sys

import numpy
import sklearn
from sklearn.naive_bayes import BernoulliNB, MultinomialNB

random = numpy.random.RandomState(440)
N, V, TESTS = 30, 40, 5
rates = random.gamma(0.4, 1.0, V)
documents = random.poisson(rates, (N, V))
tests = random.poisson(rates, (TESTS, V))
labels = {}
for K in (2, 3):
    labels[K] = [int(c) for c in random.randint(0, K, N)]
    for i, c in enumerate(labels[K]):
        if K == 3:
            documents[i, c:20:K] += random.poisson(0.5, len(range(c, 20, K)))
for w in numpy.flatnonzero(documents.sum(axis=0) == 0):
    documents[w % N, w] = 1  # chaff takes a term of no training document for an unknown one

cases = []
for K in (2, 3):
    for a in (1.0, 0.01):
        for name, model in (("bernoulli", BernoulliNB(alpha=a)), ("multinomial", MultinomialNB(alpha=a))):
            model.fit(documents, labels[K])
            cases.append({
                "model": name,
                "classes": K,
                "smoothing": a,
                "class_log_prior": model.class_log_prior_.tolist(),
                "feature_log_prob": model.feature_log_prob_.tolist(),
                "joint_log_likelihood": model.predict_joint_log_proba(tests).tolist(),
            })

json.dump({
    "made_by": "sklearn_nb.py, scikit-learn %s, numpy %s" % (sklearn.__version__, numpy.__version__),
    "documents": documents.tolist(),
    "labels": labels,
    "tests": tests.tolist(),
    "cases": cases,
}, sys.stdout, separators=(",", ":"))
print()
