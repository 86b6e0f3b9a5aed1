"""Makes the small ONNX models of the tests, and reference outputs for them.

    pip install numpy==2.4.6 onnx==1.23.2 onnxruntime==1.32.0
    python3 tools/models/make_models.py tests/models

Everything comes from one seed, so that a second run writes the same bytes. The models play no good game: their
material part makes sense (the side that is ahead is more likely to win), the rest is a little seeded noise, so that
every input counts. The reference outputs are computed by onnxruntime, and compared with the reference evaluator of
the onnx package, so that they owe nothing to the runtime under test. No build and no CI runs this.

Inputs are batch first: material 7, rich 9, kcp 13, rawboard 768 (see src/eval/features.rs).
"""

import json
import sys
from pathlib import Path

import numpy as np
import onnx
import onnxruntime
from onnx import TensorProto, helper, numpy_helper
from onnx.reference import ReferenceEvaluator

SEED = 20_240_607
OPSET = 17
# Fixed, so that newer versions of the package write the same bytes.
IR_VERSION = 8

# What one pawn ahead is worth, as a logit.
PAWN = 0.22
VALUES = np.array([1, 3, 3, 5, 9, 0], dtype=np.float32)


def tensor(name, array):
    return numpy_helper.from_array(np.asarray(array, dtype=np.float32), name)


def value(name, shape, kind=TensorProto.FLOAT):
    return helper.make_tensor_value_info(name, kind, shape)


def model(name, nodes, inputs, outputs, weights):
    graph = helper.make_graph(nodes, name, inputs, outputs, weights)
    made = helper.make_model(graph, opset_imports=[helper.make_opsetid("", OPSET)], producer_name="make_models")
    made.ir_version = IR_VERSION
    onnx.checker.check_model(made)
    return made


# About how large each input gets, so that the noise is spread evenly over them.
SIZES = np.array([4, 2, 2, 2, 1, 8, 78, 30, 2000, 0.5, 0.5, 0.5, 0.5], dtype=np.float32)


def perceptron(rng, direction, hidden, noise=0.15):
    """Weights of width → hidden → 1. The first two hidden units carry `direction` (the logit it gives is exact in
    them: relu(x) − relu(−x) = x), the others are noise."""
    width = len(direction)
    sizes = SIZES[:width] if width <= len(SIZES) else np.full(width, 0.2, dtype=np.float32)
    first = (rng.normal(0, noise / np.sqrt(width), (width, hidden)) / sizes[:, None]).astype(np.float32)
    first[:, 0], first[:, 1] = direction, -direction
    second = rng.normal(0, 0.5, (hidden, 1)).astype(np.float32)
    second[0, 0], second[1, 0] = 1, -1
    bias = rng.normal(0, 0.02, hidden).astype(np.float32)
    bias[:2] = 0
    return [tensor("w1", first), tensor("b1", bias), tensor("w2", second), tensor("b2", [0.05])]


def layers(source="x", target="logit"):
    return [
        helper.make_node("Gemm", [source, "w1", "b1"], ["h"]),
        helper.make_node("Relu", ["h"], ["r"]),
        helper.make_node("Gemm", ["r", "w2", "b2"], [target]),
    ]


def sigmoid():
    return helper.make_node("Sigmoid", ["logit"], ["p"])


def directions():
    """For each kind of input the logit of one unit of each input."""
    material = np.zeros(7, dtype=np.float32)
    material[5] = PAWN
    # Mobility difference, and 2000 for each king attacked.
    rich = np.concatenate([material, np.array([0.01, 0.0004], dtype=np.float32)])
    # King capture attack and danger, queen capture attack and danger.
    kcp = np.concatenate([rich, np.array([3.0, -3.0, 1.0, -1.0], dtype=np.float32)])
    planes = np.concatenate([VALUES, -VALUES]) * PAWN
    rawboard = np.repeat(planes, 64).astype(np.float32)
    return {"material": material, "rich": rich, "kcp": kcp, "rawboard": rawboard}


def build(rng):
    models = {}
    batch = "batch"
    ways = directions()
    for name, direction in ways.items():
        width = len(direction)
        weights = perceptron(rng, direction, 16 if width < 100 else 24)
        models[name] = model(
            name, layers() + [sigmoid()], [value("x", [batch, width])], [value("p", [batch, 1])], weights
        )
    weights = perceptron(rng, ways["material"], 8)
    plain = [value("x", [batch, 7])]
    models["logit"] = model("logit", layers(), plain, [value("logit", [batch, 1])], weights)
    # Tolerated: a fixed batch, an output without the second dimension, planes as a picture.
    models["fixed_batch"] = model(
        "fixed_batch", layers() + [sigmoid()], [value("x", [4, 7])], [value("p", [4, 1])], weights
    )
    squeeze = helper.make_node("Squeeze", ["p", "axis"], ["flat"])
    axis = numpy_helper.from_array(np.array([1], dtype=np.int64), "axis")
    models["flat_output"] = model(
        "flat_output", layers() + [sigmoid(), squeeze], plain, [value("flat", [batch])], [*weights, axis]
    )
    planes = perceptron(rng, ways["rawboard"], 4)
    models["planes"] = model(
        "planes",
        [helper.make_node("Flatten", ["x"], ["f"]), *layers("f"), sigmoid()],
        [value("x", [batch, 12, 8, 8])],
        [value("p", [batch, 1])],
        planes,
    )
    # Wrong in one way each.
    eight = perceptron(rng, np.full(8, 0.1, dtype=np.float32), 4)
    models["wrong_width"] = model(
        "wrong_width", layers() + [sigmoid()], [value("x", [batch, 8])], [value("p", [batch, 1])], eight
    )
    three = [*weights[:2], tensor("w2", rng.normal(0, 0.1, (8, 3))), tensor("b2", [0, 0, 0])]
    models["three_values"] = model(
        "three_values", layers() + [sigmoid()], plain, [value("p", [batch, 3])], three
    )
    models["two_outputs"] = model(
        "two_outputs",
        layers() + [sigmoid()],
        plain,
        [value("p", [batch, 1]), value("logit", [batch, 1])],
        weights,
    )
    models["two_inputs"] = model(
        "two_inputs",
        [*layers(), helper.make_node("Add", ["logit", "y"], ["p"])],
        [*plain, value("y", [batch, 1])],
        [value("p", [batch, 1])],
        weights,
    )
    models["integer_input"] = model(
        "integer_input",
        [helper.make_node("Cast", ["x"], ["f"], to=TensorProto.FLOAT), *layers("f"), sigmoid()],
        [value("x", [batch, 7], TensorProto.INT32)],
        [value("p", [batch, 1])],
        weights,
    )
    models["integer_output"] = model(
        "integer_output",
        [*layers(), helper.make_node("Cast", ["logit"], ["p"], to=TensorProto.INT32)],
        plain,
        [value("p", [batch, 1], TensorProto.INT32)],
        weights,
    )
    nan = [*weights[:3], tensor("b2", [np.nan])]
    models["nan"] = model("nan", layers() + [sigmoid()], plain, [value("p", [batch, 1])], nan)
    # NaN once less than 60 points of material are on the board, of the 78 at the start.
    select = np.zeros((7, 1), dtype=np.float32)
    select[6] = 1
    models["nan_later"] = model(
        "nan_later",
        [
            *layers(),
            sigmoid(),
            helper.make_node("MatMul", ["x", "select"], ["total"]),
            helper.make_node("Sub", ["total", "sixty"], ["above"]),
            helper.make_node("Sqrt", ["above"], ["root"]),
            helper.make_node("Mul", ["root", "nothing"], ["zero"]),
            helper.make_node("Add", ["p", "zero"], ["q"]),
        ],
        plain,
        [value("q", [batch, 1])],
        [*weights, tensor("select", select), tensor("sixty", [60]), tensor("nothing", [0])],
    )
    return models


def sample(rng, width, rows):
    """Inputs of about the sizes that positions have; whole numbers where the real ones are."""
    if width == 768:
        board = np.zeros((rows, 768), dtype=np.float32)
        for row in board:
            squares = rng.permutation(64)[: rng.integers(4, 33)]
            row[rng.integers(0, 12, len(squares)) * 64 + squares] = 1
        return board
    ranges = [3, 2, 2, 2, 1, 12]
    columns = [rng.integers(-most, most + 1, rows) for most in ranges]
    columns.append(rng.integers(60, 79, rows))
    columns.append(rng.integers(-40, 41, rows))
    columns.append(rng.integers(-1, 2, rows) * 2000)
    columns.extend(rng.integers(0, 217, rows) / 216 for _ in range(4))
    return np.stack(columns[:width], axis=1).astype(np.float32)


def references(models, rng):
    """For each model that works, inputs and the outputs of onnxruntime: the indices of the ones for 768 inputs, and
    the inputs themselves otherwise."""
    told = {}
    for name in ["material", "rich", "kcp", "rawboard", "logit", "flat_output", "nan_later", "planes"]:
        made = models[name]
        shape = [d.dim_value for d in made.graph.input[0].type.tensor_type.shape.dim][1:]
        inputs = sample(rng, int(np.prod(shape)), 40)
        shaped = inputs.reshape([len(inputs), *shape])
        session = onnxruntime.InferenceSession(made.SerializeToString(), providers=["CPUExecutionProvider"])
        outputs = session.run(None, {"x": shaped})[0].reshape(-1)
        second = ReferenceEvaluator(made).run(None, {"x": shaped})[0].reshape(-1)
        assert np.abs(outputs - second).max() < 2e-6, name
        rows = [np.flatnonzero(row).tolist() if len(row) == 768 else row.tolist() for row in inputs]
        told[name] = [{"input": row, "output": float(out)} for row, out in zip(rows, outputs, strict=True)]
    return told


def main():
    place = Path(sys.argv[1] if len(sys.argv) > 1 else "tests/models")
    rng = np.random.default_rng(SEED)
    models = build(rng)
    for name, made in models.items():
        (place / f"{name}.onnx").write_bytes(made.SerializeToString(deterministic=True))
    lines = [
        f'"{name}":[\n' + ",\n".join(json.dumps(case, separators=(",", ":")) for case in cases) + "\n]"
        for name, cases in references(models, rng).items()
    ]
    (place / "references.json").write_text("{\n" + ",\n".join(lines) + "\n}\n")


if __name__ == "__main__":
    main()
