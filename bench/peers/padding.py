"""Arrays for the engines that want rectangles; apart from two_rows.py, which loads torch."""

import numpy


def padded(ids, batch):
    """Ids of the prompts in `batch`, padded on the right, and the position of each one's last token."""
    tokens = numpy.zeros((len(batch), max(len(ids[i]) for i in batch)), dtype=numpy.int64)
    for row, i in enumerate(batch):
        tokens[row, : len(ids[i])] = ids[i]
    return tokens, numpy.array([len(ids[i]) - 1 for i in batch], dtype=numpy.int64)
