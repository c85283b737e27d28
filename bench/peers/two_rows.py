"""The model with a head of two rows: what an exporter should write, as no more of the vocabulary is looked at."""

import torch
from transformers import AutoModelForCausalLM

from peer import NO, YES

INPUTS = {"input_ids": {0: "batch", 1: "length"}, "last": {0: "batch"}}  # names and free dimensions


class TwoRows(torch.nn.Module):
    """Ids padded on the right, and each prompt's last position -> logits [batch, 2] of no and yes there.

    Causal attention never sees what is on the right, so padding needs no mask, and none can turn into NaN. With
    `explicit_mask` causality itself is a mask in the graph: torch's exporter to ONNX can't say is_causal for grouped
    heads.
    """

    def __init__(self, folder, explicit_mask=False):
        super().__init__()
        self.explicit_mask = explicit_mask
        whole = AutoModelForCausalLM.from_pretrained(folder, dtype=torch.float32, attn_implementation="sdpa")
        self.inner = whole.model
        self.rows = torch.nn.Parameter(whole.lm_head.weight[[NO, YES]].clone())

    def forward(self, input_ids, last):
        length = input_ids.shape[1]
        positions = torch.arange(length, dtype=torch.int64)[None]
        mask = None
        if self.explicit_mask:
            mask = torch.full((length, length), torch.finfo(torch.float32).min).triu(1)[None, None]
        mask = {"full_attention": mask}  # a dict is taken as it is; with None attention is told is_causal
        hidden = self.inner(input_ids=input_ids, attention_mask=mask, position_ids=positions, use_cache=False)[0]
        at = last[:, None, None].expand(-1, 1, hidden.shape[2])
        return hidden.gather(1, at)[:, 0] @ self.rows.T


def example():
    return torch.ones(2, 24, dtype=torch.int64), torch.tensor([23, 19])
