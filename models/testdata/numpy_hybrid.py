"""Writes numpy_hybrid.json: the hybrid of naive Bayes and logistic regression, by its definition and without care for time.

Run in this folder:  python3 numpy_hybrid.py > numpy_hybrid.json
The rows of `documents` are 40 training documents over 25 terms, half of which lean to one class; many terms are in one
document only, one is in none, and one document has no term. A document is left out by counting all others anew. The weights
of two classes are one row, that of class 1; of three classes a row each. With `unit` each document is scaled to length 1, in
float32. `updates` is how many documents moved a weight.
"""

import json
import sys

import numpy

random = numpy.random.RandomState(2003)
N, V, DELTA = 40, 25, 0.001
labels = {K: random.randint(0, K, N) for K in (2, 3)}
documents = random.poisson(random.gamma(0.25, 1.0, V), (N, V))
for K in (2, 3):
    for i, c in enumerate(labels[K]):
        documents[i, c:12:K] += random.poisson(0.3, len(range(c, 12, K)))
documents[7] = 0
documents[:, 24] = 0


def counted(matrix, side):
    """n0_w and n1_w."""
    return matrix[~side].sum(axis=0), matrix[side].sum(axis=0)


def bayes_weights(n0, n1, a, vocabulary):
    """What f is multiplied by in nb(f); 0 for terms that do not count."""
    if vocabulary == 0:
        return numpy.zeros(V)
    weights = numpy.log((a + n1) / (a + n0)) + numpy.log((a * vocabulary + n0.sum()) / (a * vocabulary + n1.sum()))
    return numpy.where(n0 + n1 > 1e-9, weights, 0)


def train(K, unit, class_weights, share, a, rate, epochs, through_origin, online):
    x = documents.astype(numpy.float32)
    if unit:
        length = numpy.sqrt((x.astype(float) ** 2).sum(axis=1)).astype(numpy.float32)
        x = x / numpy.where(length > 0, length, 1).astype(numpy.float32)[:, None]
    x = x.astype(float)
    R = 1 if K == 2 else K
    sides = [labels[K] == (1 if K == 2 else r) for r in range(R)]
    w, g = numpy.zeros((R, V)), numpy.full((R, V), DELTA)
    b, gb = numpy.zeros(R), numpy.full(R, DELTA)
    updates = 0
    for _ in range(epochs):
        for i in range(N):
            moved = False
            others = numpy.arange(N) < i if online else numpy.arange(N) != i
            vocabulary = (x[others].sum(axis=0) > 0).sum() if online else (x.sum(axis=0) > 0).sum()
            for r in range(R):
                n0, n1 = counted(x[others], sides[r][others])
                z = share * (x[i] @ bayes_weights(n0, n1, a, vocabulary)) + w[r] @ x[i] + b[r]
                e = class_weights[labels[K][i]] * (1 / (1 + numpy.exp(-z)) - sides[r][i])
                if abs(e) < 1e-6:
                    continue
                moved = True
                g[r] += (e * x[i]) ** 2
                w[r] -= rate * e * x[i] / numpy.sqrt(g[r])
                if not through_origin:
                    gb[r] += e ** 2
                    b[r] -= rate * e / numpy.sqrt(gb[r])
            updates += moved
    vocabulary = (x.sum(axis=0) > 0).sum()
    weights = [w[r] + share * bayes_weights(*counted(x, sides[r]), a, vocabulary) for r in range(R)]
    return dict(
        classes=K, unit=unit, class_weights=class_weights, share=share, smoothing=a, learning_rate=rate, epochs=epochs,
        through_origin=through_origin, online=online, updates=int(updates), bias=b.tolist(), weights=[row.tolist() for row in weights])


def cases():
    for K in (2, 3):
        ones, unlike = [1.0] * K, [2.0, 0.5, 1.25][:K]
        yield train(K, True, ones, 0.3, 0.001, 1.5, 2, False, False)
        yield train(K, True, unlike, 1.0, 0.5, 0.3, 3, False, False)
        yield train(K, False, ones, 0.3, 0.1, 0.2, 2, True, False)
        yield train(K, False, unlike, 0.0, 1.0, 0.5, 1, False, False)
        yield train(K, False, ones, 0.1, 1.0, 10.0, 6, False, False)  # many documents are right enough
        yield train(K, True, unlike, 0.3, 0.001, 1.5, 1, False, True)
        yield train(K, False, ones, 1.0, 1.0, 0.1, 1, True, True)


cases = list(cases())
assert any(case["updates"] < N * case["epochs"] for case in cases), "no document was right enough"
json.dump({
    "made_by": "numpy_hybrid.py, numpy %s" % numpy.__version__,
    "documents": documents.tolist(),
    "labels": {K: of.tolist() for K, of in labels.items()},
    "cases": cases,
}, sys.stdout, separators=(",", ":"))
print()
