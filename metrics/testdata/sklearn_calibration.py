"""Writes sklearn_calibration.json: what scikit-learn and SciPy make of random scores, probabilities and predictions.

Run in this folder:  python3 sklearn_calibration.py > sklearn_calibration.json

scikit-learn stops the fit of Platt's sigmoid early, at a gradient of 1e-5, so its parameters are known to a few digits
only; `refined` are the same ones after steps of Newton's method on the same loss. The p-values of McNemar's test that
have no `scipy` are beyond what its approximations are exact for: all are sums of whole numbers, rounded once.
"""

import json
import sys
from fractions import Fraction

import numpy
import scipy
import sklearn
from scipy.special import expit
from scipy.stats import binomtest
from sklearn.calibration import _SigmoidCalibration
from sklearn.metrics import brier_score_loss, log_loss, precision_recall_fscore_support

random = numpy.random.RandomState(1999)


def rounded(numbers):
    return [float("%.6g" % x) for x in numbers]


def refine(scores, labels, a, b):
    """Newton's method from scikit-learn's parameters, on scores in units of their standard deviation."""
    ones, n = labels.sum(), len(labels)
    targets = numpy.where(labels == 1, (ones + 1) / (ones + 2), 1 / (n - ones + 2))
    unit = scores.std()
    x = numpy.column_stack([scores / unit, numpy.ones(n)])
    w = numpy.array([-a * unit, -b])
    for _ in range(50):
        p = expit(x @ w)
        w = w - numpy.linalg.solve((x * (p * (1 - p))[:, None]).T @ x, x.T @ (p - targets))
    p = expit(x @ w)
    assert abs(x.T @ (p - targets)).max() < 1e-11 * n
    return w[0] / unit, w[1]


platt = []
for scale, shift, n, gap in ((1, 0, 60, 1.5), (1000, 0, 60, 2), (0.001, 0, 60, 1), (30, 100, 80, 0.7), (5, -3, 40, 8)):
    labels = (random.rand(n) < 0.4).astype(int)
    scores = numpy.array(rounded(shift + scale * random.normal(gap * (labels - 0.5), 1)))
    # In units of their scale, since the minimiser of scikit-learn 1.2 does not scale them.
    sigmoid = _SigmoidCalibration().fit(scores / scale, labels)
    a, b = sigmoid.a_ / scale, sigmoid.b_
    slope, offset = refine(scores, labels, a, b)
    p = expit(slope * scores + offset)
    platt.append({
        "scores": scores.tolist(), "labels": labels.tolist(), "a": a, "b": b,
        "refined": {"slope": slope, "offset": offset},
        "log_loss": log_loss(labels, p), "brier_score_loss": brier_score_loss(labels, p),
    })

probabilities = random.dirichlet([0.5, 1, 0.7], 50)
labels = random.randint(0, 3, 50)
predictions = numpy.where(random.rand(50) < 0.6, labels, random.randint(0, 2, 50))
precision, recall, f1, support = precision_recall_fscore_support(labels, predictions, labels=[0, 1, 2])
classes = {
    "labels": labels.tolist(), "predictions": predictions.tolist(), "probabilities": probabilities.ravel().tolist(),
    "log_loss": log_loss(labels, probabilities),
    "precision": precision.tolist(), "recall": recall.tolist(), "f1": f1.tolist(), "support": support.tolist(),
}


def exact(k, n):
    coefficient, tail = 1, 0
    for i in range(k + 1):
        tail += coefficient
        coefficient = coefficient * (n - i) // (i + 1)
    return min(1.0, float(Fraction(2 * tail, 2 ** n)))


mcnemar = []
for better, worse in ((0, 1), (3, 0), (5, 9), (10, 10), (10, 11), (1, 40), (130, 90), (500, 700), (5000, 4800)):
    p = exact(min(better, worse), better + worse)
    mcnemar.append({"better": better, "worse": worse, "p": p, "scipy": binomtest(better, better + worse).pvalue})
    assert abs(p - mcnemar[-1]["scipy"]) < 1e-12
for better, worse in ((50000, 50500), (20000, 20900), (49000, 51000), (17000, 24000), (150000, 150700)):
    mcnemar.append({"better": better, "worse": worse, "p": exact(min(better, worse), better + worse)})

json.dump({
    "made_by": "sklearn_calibration.py, scikit-learn %s, SciPy %s, numpy %s" % (
        sklearn.__version__, scipy.__version__, numpy.__version__),
    "platt": platt,
    "classes": classes,
    "mcnemar": mcnemar,
}, sys.stdout, separators=(",", ":"))
print()
