"""Writes sklearn_curves.json: ROC and DET curves of scores with ties by scikit-learn, and Clopper-Pearson bounds by SciPy.

Run in this folder:  python3 sklearn_curves.py > sklearn_curves.json

The curves have all operating points (drop_intermediate=False). In scikit-learn a message is positive if its score is at
least the threshold; the curves are written by threshold all the same, since only their shares are compared.
"""

import json
import sys

import numpy
import scipy
import sklearn
from scipy.stats import beta
from sklearn.metrics import det_curve, roc_curve

random = numpy.random.RandomState(2005)
curves = []
for n, step in ((40, 2), (60, 1), (50, 1000)):
    spam = random.randint(0, 2, n)
    scores = numpy.round(step * random.normal(1.5 * spam - 0.75, 1.5)) / step + 0.0
    fpr, tpr, _ = roc_curve(spam, scores, drop_intermediate=False)
    det_fpr, det_fnr, _ = det_curve(spam, scores)
    curves.append({
        "scores": scores.tolist(),
        "spam": [bool(s) for s in spam],
        "fpr": fpr.tolist(),
        "tpr": tpr.tolist(),
        "det_fpr": det_fpr.tolist(),
        "det_fnr": det_fnr.tolist(),
    })

bounds = []
for n in (1, 2, 10, 299, 1000, 2995, 12345, 1000000):
    for count in sorted({0, 1, n // 1000, n // 20, n // 2, n - 1}):
        for confidence in (0.0001, 0.5, 0.9, 0.95, 0.999, 0.999999):
            if count < n:
                bounds.append([count, n, confidence, beta.ppf(confidence, count + 1, n - count)])

json.dump({
    "made_by": "sklearn_curves.py, scikit-learn %s, SciPy %s, numpy %s" % (
        sklearn.__version__, scipy.__version__, numpy.__version__),
    "curves": curves,
    "bounds": bounds,
}, sys.stdout, separators=(",", ":"))
print()
