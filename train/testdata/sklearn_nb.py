"""Fits scikit-learn's naive Bayes to matrices that a test exported, and writes the weights back.

usage: sklearn_nb.py {DIR bernoulli|multinomial SMOOTHING}...

Each DIR holds, little-endian: labels (int32), start (int64), ids (int32), values (float64), and terms, a text with V. Written
are bias and weights (float64) of class 1 over class 0.
"""
import os
import sys

import numpy as np
from scipy.sparse import csr_matrix
from sklearn.naive_bayes import BernoulliNB, MultinomialNB


def fit(folder, model, smoothing):
    def read(name, kind):
        return np.fromfile(os.path.join(folder, name), dtype=kind)

    labels = read("labels", "<i4")
    with open(os.path.join(folder, "terms")) as file:
        terms = int(file.read())
    x = csr_matrix((read("values", "<f8"), read("ids", "<i4"), read("start", "<i8")), shape=(len(labels), terms))
    trainer = {"bernoulli": BernoulliNB, "multinomial": MultinomialNB}[model]
    fitted = trainer(alpha=smoothing).fit(x, labels)
    present = fitted.feature_log_prob_
    bias, weights = fitted.class_log_prior_, present
    if model == "bernoulli":
        absent = np.log1p(-np.exp(present))
        bias, weights = bias + absent.sum(axis=1), present - absent
    (bias[1:] - bias[0]).astype("<f8").tofile(os.path.join(folder, "bias"))
    (weights[1] - weights[0]).astype("<f8").tofile(os.path.join(folder, "weights"))


for i in range(1, len(sys.argv), 3):
    fit(sys.argv[i], sys.argv[i + 1], float(sys.argv[i + 2]))
