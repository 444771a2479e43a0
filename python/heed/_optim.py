"""Optimisers."""

from __future__ import annotations

from ctypes import byref, c_double, c_void_p
from typing import Any, Iterable, List, Sequence

from ._arrays import as_handle, to_array
from ._library import check, encode_json, lib, make
from ._tensors import Parameter
from .errors import ArgumentError


class Adam:
    """Adam (Kingma and Ba 2015), and the other optimisers of `heed train`.

    Args:
        parameters: The parameters to train, such as `module.parameters()`.
        lr: Learning rate. The attribute `rate` changes it between steps.
        clip: Largest norm of all gradients together; larger ones are scaled down. 0: none.
        options: Options of `heed train`: beta1 (0.9), beta2 (0.999), epsilon (1e-8),
            clip_value, l2; and optimizer ("adam", "adamw", "adadelta", "rmsprop" or "sgd")
            with the options of each.

    Attributes:
        rate: Learning rate of the next step.
        parameters: List of the parameters.

    Raises:
        ConfigError: An option that does not exist, or a value out of its range.

    Example:
        >>> w = heed.Parameter([4.0])
        >>> optimizer = heed.Adam([w], lr=0.5)
        >>> for _ in range(50):
        ...     with heed.Tape() as tape:
        ...         loss = (w * w).sum()
        ...     _ = optimizer.step(tape.gradient(loss, [w]))
        >>> abs(w.item()) < 0.5
        True
    """

    def __init__(self, parameters: Iterable[Parameter], lr: float = 1e-3, clip: float = 1.0,
                 **options: Any):
        self.parameters: List[Parameter] = list(parameters)
        self.rate = float(lr)
        for parameter in self.parameters:
            if not isinstance(parameter, Parameter):
                raise ArgumentError("Adam trains heed.Parameter objects, not {}".format(
                    type(parameter).__name__))
        pointers = [parameter._handle.use() for parameter in self.parameters]
        addresses = (c_void_p * len(pointers))(*[pointer.value for pointer in pointers])
        text = encode_json(dict(options, clip=clip))
        self._handle = make("heed_optimizer_free", "optimizer", lib.heed_optimizer_new,
                            addresses, len(pointers), text, len(text))

    def step(self, gradients: Sequence[Any]) -> float:
        """Changes each parameter once.

        Args:
            gradients: An array for each parameter, in their order and shapes, such as the
                result of `tape.gradient(loss, parameters)`.

        Returns: The norm of all gradients together, before clipping.

        Raises:
            NumericError: A gradient is NaN or infinite. No parameter is changed.
            ShapeError: A gradient has another shape than its parameter.
        """
        if len(gradients) != len(self.parameters):
            raise ArgumentError("{} gradients for {} parameters".format(
                len(gradients), len(self.parameters)))
        for parameter, gradient in zip(self.parameters, gradients):
            array = as_handle(to_array(gradient, parameter.dtype))
            check(lib.heed_parameter_set_gradient(parameter._handle.use(), array.use()))
        norm = c_double()
        check(lib.heed_optimizer_step(self._handle.use(), self.rate, byref(norm)))
        return norm.value
