"""Writes sklearn_roc.json: 40 scores with ties, and the area under their ROC curve by scikit-learn.

Run in this folder:  python3 sklearn_roc.py > sklearn_roc.json
Scores are rounded to halves, so that ham and spam share many of them.
"""

import json
import sys

import numpy
import sklearn
from sklearn.metrics import roc_auc_score

random = numpy.random.RandomState(2005)
spam = random.randint(0, 2, 40)
scores = numpy.round(2 * random.normal(1.5 * spam - 0.75, 1.5)) / 2 + 0.0

json.dump({
    "made_by": "sklearn_roc.py, scikit-learn %s, numpy %s" % (sklearn.__version__, numpy.__version__),
    "scores": scores.tolist(),
    "spam": [bool(s) for s in spam],
    "roc_auc_score": roc_auc_score(spam, scores),
}, sys.stdout, indent=1)
print()
