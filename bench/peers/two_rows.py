"""The model with a head of two rows: what an exporter should write, as no more of the vocabulary is looked at."""

import torch
from transformers import AutoModelForCausalLM

from peer import NO, YES


class TwoRows(torch.nn.Module):
    """ids and mask, padded on the left -> logits [batch, 2] of no and yes at the last position."""

    def __init__(self, folder):
        super().__init__()
        whole = AutoModelForCausalLM.from_pretrained(folder, dtype=torch.float32, attn_implementation="sdpa")
        self.inner = whole.model
        self.rows = torch.nn.Parameter(whole.lm_head.weight[[NO, YES]].clone())

    def forward(self, input_ids, attention_mask):
        positions = (attention_mask.cumsum(-1) - 1).clamp(min=0)
        hidden = self.inner(
            input_ids=input_ids, attention_mask=attention_mask, position_ids=positions, use_cache=False
        )[0]
        return hidden[:, -1] @ self.rows.T


def example():
    return torch.ones(2, 24, dtype=torch.int64), torch.tensor([[0] * 4 + [1] * 20, [1] * 24])


def padded(ids, batch):
    """Arrays of a batch, padded on the left."""
    import numpy

    width = max(len(ids[i]) for i in batch)
    tokens = numpy.zeros((len(batch), width), dtype=numpy.int64)
    mask = numpy.zeros_like(tokens)
    for row, i in enumerate(batch):
        tokens[row, width - len(ids[i]) :] = ids[i]
        mask[row, width - len(ids[i]) :] = 1
    return tokens, mask
