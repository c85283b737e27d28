"""ONNX Runtime on the two-row graph, quantised by quantize_dynamic as the tutorials do."""

import peer


def convert(options, path):
    import torch
    from onnxruntime.quantization import QuantType, quantize_dynamic

    from two_rows import INPUTS, TwoRows, example

    plain = options.cache / "fp32.onnx"
    with torch.no_grad():
        torch.onnx.export(
            TwoRows(options.model, explicit_mask=True).eval(),
            example(),
            str(plain),
            input_names=list(INPUTS),
            output_names=["logits"],
            dynamic_axes=INPUTS,
            opset_version=17,
            dynamo=False,
        )
    quantize_dynamic(str(plain), str(path), weight_type=QuantType.QInt8, use_external_data_format=True)


def main():
    options = peer.arguments(__doc__, batch=8)
    path = peer.converted(options, options.cache / "int8.onnx", lambda path: convert(options, path))

    def load():
        import onnxruntime

        session = onnxruntime.SessionOptions()
        session.intra_op_num_threads = options.threads
        # Its threads spin while it computes, as by default, and stop when it is done: others compute then.
        session.add_session_config_entry("session.force_spinning_stop", "1")
        return onnxruntime.InferenceSession(str(path), session, providers=["CPUExecutionProvider"])

    def score(session, ids):
        from padding import padded

        margins = [0.0] * len(ids)
        for batch in peer.batches(ids, options.settings.batch):
            tokens, last = padded(ids, batch)
            logits = session.run(None, {"input_ids": tokens, "last": last})[0]
            for row, i in enumerate(batch):
                margins[i] = logits[row, 1] - logits[row, 0]
        return margins

    peer.serve(options, load, score)


if __name__ == "__main__":
    main()
