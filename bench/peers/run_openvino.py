"""OpenVINO on the two-row graph: int8 weights (asymmetric, per channel), activations quantised in groups of 128."""

import peer


def convert(options, path):
    import nncf
    import openvino
    import torch

    from two_rows import TwoRows, example

    with torch.no_grad():
        graph = openvino.convert_model(
            TwoRows(options.model).eval(),
            example_input=example(),
            input=[openvino.PartialShape([-1, -1]), openvino.PartialShape([-1])],
        )
    graph = nncf.compress_weights(graph, mode=nncf.CompressWeightsMode.INT8_ASYM)
    openvino.save_model(graph, path)


def main():
    options = peer.arguments(__doc__, batch=8, group=128, precision="bf16")
    path = peer.converted(options, options.cache / "openvino.xml", lambda path: convert(options, path))

    def load():
        import openvino

        config = {
            "INFERENCE_NUM_THREADS": options.threads,
            "NUM_STREAMS": 1,
            "DYNAMIC_QUANTIZATION_GROUP_SIZE": options.settings.group,
            "INFERENCE_PRECISION_HINT": options.settings.precision,
        }
        return openvino.Core().compile_model(path, "CPU", config)

    def score(model, ids):
        from padding import padded

        margins = [0.0] * len(ids)
        for batch in peer.batches(ids, options.settings.batch):
            logits = model(list(padded(ids, batch)))[0]
            for row, i in enumerate(batch):
                margins[i] = logits[row, 1] - logits[row, 0]
        return margins

    peer.serve(options, load, score)


if __name__ == "__main__":
    main()
