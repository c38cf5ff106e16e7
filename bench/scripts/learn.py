"""Spam filters as scikit-learn's user guide makes them: mail read with Python's email package, words counted, a classifier.

    learn.py train sgd|nb MODEL < LIST       # lines "ham FILE" and "spam FILE"
    learn.py classify MODEL < LIST           # file names; prints the name and the score of each
    learn.py one MODEL < MESSAGE             # prints the score

The score is that of spam over ham: the decision function of SGDClassifier, the difference of the log probabilities of
MultinomialNB.
"""

import email
import pickle
import sys


def text_of(raw):
    """All header fields and the text of all text parts."""
    message = email.message_from_bytes(raw)
    lines = ["%s: %s" % field for field in message.items()]
    for part in message.walk():
        if part.get_content_maintype() == "text":
            content = part.get_payload(decode=True) or b""
            try:
                lines.append(content.decode(part.get_content_charset() or "latin-1", "replace"))
            except LookupError:
                lines.append(content.decode("latin-1"))
    return "\n".join(lines)


def read(name):
    with open(name, "rb") as file:
        return text_of(file.read())


def score(model, texts):
    vectorizer, classifier = model
    rows = vectorizer.transform(texts)
    if hasattr(classifier, "decision_function"):
        return classifier.decision_function(rows)
    logs = classifier.predict_log_proba(rows)
    return logs[:, 1] - logs[:, 0]


def train(kind, file):
    from sklearn.feature_extraction.text import CountVectorizer, HashingVectorizer
    from sklearn.linear_model import SGDClassifier
    from sklearn.naive_bayes import MultinomialNB

    labels, names = zip(*(line.split() for line in sys.stdin))
    if kind == "sgd":
        vectorizer, classifier = HashingVectorizer(), SGDClassifier(loss="log_loss", random_state=1)
    else:
        vectorizer, classifier = CountVectorizer(), MultinomialNB()
    rows = vectorizer.fit_transform(map(read, names))
    classifier.fit(rows, [label == "spam" for label in labels])
    with open(file, "wb") as out:
        pickle.dump((vectorizer, classifier), out)


def load(file):
    with open(file, "rb") as model:
        return pickle.load(model)


if sys.argv[1] == "train":
    train(sys.argv[2], sys.argv[3])
elif sys.argv[1] == "classify":
    listed = sys.stdin.read().split()
    for name, value in zip(listed, score(load(sys.argv[2]), map(read, listed))):
        print(name, repr(float(value)))
else:
    print(repr(float(score(load(sys.argv[2]), [text_of(sys.stdin.buffer.read())])[0])))
