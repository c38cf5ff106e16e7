"""Fits scikit-learn's naive Bayes to a matrix that a test exported, and writes the estimates back.

usage: sklearn_nb.py DIR bernoulli|multinomial SMOOTHING

DIR holds, little-endian: labels (int32), start (int64), ids (int32), values (float64), and terms, a text with V. Written
are prior and likelihood (float64): class_log_prior_ (K) and feature_log_prob_ (K x V).
"""
import os
import sys

import numpy as np
from scipy.sparse import csr_matrix
from sklearn.naive_bayes import BernoulliNB, MultinomialNB

folder, model, smoothing = sys.argv[1:]


def read(name, kind):
    return np.fromfile(os.path.join(folder, name), dtype=kind)


labels = read("labels", "<i4")
terms = int(open(os.path.join(folder, "terms")).read())
x = csr_matrix((read("values", "<f8"), read("ids", "<i4"), read("start", "<i8")), shape=(len(labels), terms))
trainer = {"bernoulli": BernoulliNB, "multinomial": MultinomialNB}[model]
fitted = trainer(alpha=float(smoothing)).fit(x, labels)
fitted.class_log_prior_.astype("<f8").tofile(os.path.join(folder, "prior"))
fitted.feature_log_prob_.astype("<f8").tofile(os.path.join(folder, "likelihood"))
