"""Writes sklearn_linear.json: what scikit-learn's linear classifiers make of a small random matrix.

Run in this folder:  python3 sklearn_linear.py > sklearn_linear.json
The rows of `documents` are 60 training documents over 30 terms, half of which lean to one class. The weights of two
classes are one row, that of class 1; of three classes a row each. Where scikit-learn is given a sparse matrix, it has no
bias, since of sparse input it changes the bias by a hundredth of the step only. The learning rates are powers of 2, so
that no sum rounds: rounding would decide ties. `least_squares` is about the bits of the first five terms, with targets -1
and +1, and its weights are the bias and then the terms.
"""

import json
import sys
import warnings

import numpy
import scipy.sparse
import sklearn
from sklearn.linear_model import LinearRegression, LogisticRegression, PassiveAggressiveClassifier, Perceptron, SGDClassifier

warnings.simplefilter("ignore")  # a fixed number of epochs is not meant to converge
random = numpy.random.RandomState(446)
N, V = 60, 30
labels = {K: random.randint(0, K, N) for K in (2, 3)}
documents = random.poisson(random.gamma(0.6, 1.0, V), (N, V))
for K in (2, 3):
    for i, c in enumerate(labels[K]):
        documents[i, c:15:K] += random.poisson(0.3, len(range(c, 15, K)))
sparse = scipy.sparse.csr_matrix(documents.astype(float))
dense = documents.astype(float)


def online(name, model, K, matrix, **settings):
    model.fit(matrix, labels[K])
    return dict(
        model=name, classes=K, through_origin=not model.fit_intercept, epochs=model.max_iter, coef=model.coef_.tolist(),
        intercept=numpy.broadcast_to(model.intercept_, len(model.coef_)).tolist(), **settings)


def online_cases():
    for K in (2, 3):
        for epochs in (1, 7):
            same = dict(shuffle=False, tol=None, max_iter=epochs)
            for bias, matrix in ((True, dense), (False, sparse)):
                for eta in (1.0, 0.25):
                    yield online("perceptron", Perceptron(eta0=eta, fit_intercept=bias, penalty=None, **same), K, matrix, learning_rate=eta)
                yield online("averaged perceptron", SGDClassifier(
                    loss="perceptron", learning_rate="constant", eta0=1, average=True, penalty=None, fit_intercept=bias, **same), K, matrix, learning_rate=1.0)
            for C in (0.01, 1.0):
                yield online("passive-aggressive", PassiveAggressiveClassifier(
                    C=C, loss="hinge", fit_intercept=False, **same), K, sparse, aggressiveness=C)


def optimum(K, strength):
    model = LogisticRegression(C=1 / strength, multi_class="ovr" if K == 2 else "multinomial", solver="newton-cg", tol=1e-10, max_iter=10000)
    model.fit(dense, labels[K])
    log_losses = -model.predict_log_proba(dense)[numpy.arange(N), labels[K]].sum()
    return {
        "classes": K, "l2": strength, "coef": model.coef_.tolist(), "intercept": model.intercept_.tolist(),
        "loss": log_losses + strength * (model.coef_ ** 2).sum() / 2,
    }


def least_squares():
    model = LinearRegression().fit(dense[:, :5] > 0, 2 * labels[2] - 1)
    return [model.intercept_.tolist()] + model.coef_.tolist()


json.dump({
    "made_by": "sklearn_linear.py, scikit-learn %s, numpy %s" % (sklearn.__version__, numpy.__version__),
    "documents": documents.tolist(),
    "labels": {K: of.tolist() for K, of in labels.items()},
    "online": list(online_cases()),
    "optima": [optimum(K, strength) for K in (2, 3) for strength in (1.0, 2.0)],
    "least_squares": least_squares(),
}, sys.stdout, separators=(",", ":"))
print()
