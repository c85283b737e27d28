"""ONNX Runtime on the two-row graph, quantised by quantize_dynamic as the tutorials do."""

import peer

BATCH = 8


def convert(options, path):
    import torch
    from onnxruntime.quantization import QuantType, quantize_dynamic

    from two_rows import TwoRows, example

    plain = options.cache / "fp32.onnx"
    dynamic = {"input_ids": {0: "batch", 1: "length"}, "attention_mask": {0: "batch", 1: "length"}}
    with torch.no_grad():
        torch.onnx.export(
            TwoRows(options.model).eval(),
            example(),
            str(plain),
            input_names=list(dynamic),
            output_names=["logits"],
            dynamic_axes=dynamic,
            opset_version=17,
            dynamo=False,
        )
    quantize_dynamic(str(plain), str(path), weight_type=QuantType.QInt8, use_external_data_format=True)


def main():
    options = peer.arguments(__doc__)
    path = options.cache / "int8.onnx"
    if not path.exists():
        options.cache.mkdir(parents=True, exist_ok=True)
        convert(options, path)

    def load():
        import onnxruntime

        session = onnxruntime.SessionOptions()
        session.intra_op_num_threads = options.threads
        session.add_session_config_entry("session.intra_op.allow_spinning", "0")
        return onnxruntime.InferenceSession(str(path), session, providers=["CPUExecutionProvider"]), peer.prompts(
            options
        )

    def score(state):
        from two_rows import padded

        session, ids = state
        margins = [0.0] * len(ids)
        for batch in peer.batches(ids, BATCH):
            tokens, mask = padded(ids, batch)
            logits = session.run(None, {"input_ids": tokens, "attention_mask": mask})[0]
            for row, i in enumerate(batch):
                margins[i] = logits[row, 1] - logits[row, 0]
        return margins

    peer.serve(load, score)


if __name__ == "__main__":
    main()
