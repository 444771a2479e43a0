"""Description of a folder that families.py writes."""

import dataclasses


@dataclasses.dataclass
class Folder:
    """Folder of Hugging Face's layout and the formulas of its model."""

    name: str
    config: dict  # config.json
    weights: object  # of files.Weights
    files: dict  # other files: name, JSON
    inputs: dict  # arrays of expected.npz that no formula computes: ids, lengths, lines ...
    compute: object  # function of rules that returns the other arrays of expected.npz
    rules: dict  # right rules, see transformer.py
    mutations: dict  # name: changed rules
    judged: str = "logits"  # the array that mutations must change
    shards: int = 1
    parts: dict = dataclasses.field(default_factory=dict)  # subfolder: weights of a further module
