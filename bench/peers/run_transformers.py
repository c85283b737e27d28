"""transformers in fp32: the reference that scores are compared with; also a peer, a slow one."""

import peer


def main():
    options = peer.arguments(__doc__, batch=8)

    def load():
        import torch

        from two_rows import TwoRows

        torch.set_num_threads(options.threads)
        return TwoRows(options.model).eval()

    def score(model, ids):
        import torch

        from padding import padded

        margins = [0.0] * len(ids)
        with torch.inference_mode():
            for batch in peer.batches(ids, options.settings.batch):
                logits = model(*map(torch.from_numpy, padded(ids, batch)))
                for row, i in enumerate(batch):
                    margins[i] = logits[row, 1] - logits[row, 0]
        return margins

    peer.serve(options, load, score)


if __name__ == "__main__":
    main()
