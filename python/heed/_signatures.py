"""Functions of heed.h. Made by make_signatures.py: do not edit."""

from ctypes import (CFUNCTYPE, POINTER, Structure, c_char_p, c_double, c_int32, c_int64,
                    c_size_t, c_uint32, c_void_p)

OK = 0
ARGUMENT = 1
SHAPE = 2
CONFIG = 3
FORMAT = 4
IO = 5
NUMERIC = 6
CANCELLED = 7
MEMORY = 8
INTERNAL = 9
LOG_LINE = 0
LOG_PROGRESS = 1
LOG_WARNING = 2
I8 = 8
I32 = 32
I64 = 64
U8 = 264
F16 = 528
F32 = 544
F64 = 576
BF16 = 1040
BOOL = 1544
READ_ONLY = 1


class View(Structure):
    _fields_ = [
        ("size", c_uint32),
        ("dtype", c_int32),
        ("ndim", c_int32),
        ("flags", c_int32),
        ("shape", POINTER(c_int64)),
        ("strides", POINTER(c_int64)),
        ("data", c_void_p),
    ]

LogFunction = CFUNCTYPE(None, c_void_p, c_int32, c_char_p, c_size_t)
EventFunction = CFUNCTYPE(c_int32, c_void_p, c_char_p, c_char_p, c_size_t)

FUNCTIONS = {
    "heed_error_message": (c_char_p, []),
    "heed_version": (c_char_p, []),
    "heed_abi": (c_int32, []),
    "heed_set_threads": (c_int32, [c_int32]),
    "heed_set_log": (c_int32, [LogFunction, c_void_p]),
    "heed_cancel_new": (c_int32, [POINTER(c_void_p)]),
    "heed_cancel_set": (c_int32, [c_void_p]),
    "heed_cancel_free": (None, [c_void_p]),
    "heed_answer_text": (c_int32, [c_void_p, POINTER(c_void_p), POINTER(c_size_t)]),
    "heed_answer_free": (None, [c_void_p]),
    "heed_command": (c_int32, [c_char_p, c_size_t, c_void_p, POINTER(c_void_p)]),
    "heed_model_open": (c_int32, [c_char_p, c_char_p, c_size_t, POINTER(c_void_p)]),
    "heed_model_run": (c_int32, [c_void_p, c_char_p, c_char_p, c_size_t, c_void_p,
        POINTER(c_void_p)]),
    "heed_model_start": (c_int32, [c_void_p, c_char_p, c_char_p, c_size_t, POINTER(c_void_p)]),
    "heed_call_wait": (c_int32, [c_void_p, c_int32, POINTER(c_void_p)]),
    "heed_call_free": (None, [c_void_p]),
    "heed_model_stream": (c_int32, [c_void_p, c_char_p, c_char_p, c_size_t, c_void_p,
        EventFunction, c_void_p]),
    "heed_model_parameter": (c_int32, [c_void_p, c_char_p, POINTER(c_void_p)]),
    "heed_model_free": (None, [c_void_p]),
    "heed_model_explain": (c_int32, [c_void_p, c_char_p, c_size_t, c_void_p,
        POINTER(c_void_p)]),
    "heed_explanation_json": (c_int32, [c_void_p, POINTER(c_void_p)]),
    "heed_explanation_attention": (c_int32, [c_void_p, c_size_t, POINTER(c_void_p)]),
    "heed_explanation_draw": (c_int32, [c_void_p, c_char_p, c_size_t, POINTER(c_void_p)]),
    "heed_explanation_free": (None, [c_void_p]),
    "heed_array_new": (c_int32, [POINTER(View), POINTER(c_void_p)]),
    "heed_array_view": (c_int32, [c_void_p, POINTER(View)]),
    "heed_array_dlpack": (c_int32, [c_void_p, c_int32, POINTER(c_void_p)]),
    "heed_array_free": (None, [c_void_p]),
    "heed_tape_new": (c_int32, [POINTER(c_void_p)]),
    "heed_tape_free": (None, [c_void_p]),
    "heed_variable_new": (c_int32, [c_void_p, c_void_p, POINTER(c_void_p)]),
    "heed_variable_of": (c_int32, [c_void_p, c_void_p, POINTER(c_void_p)]),
    "heed_variable_array": (c_int32, [c_void_p, POINTER(c_void_p)]),
    "heed_variable_free": (None, [c_void_p]),
    "heed_tape_backward": (c_int32, [c_void_p, c_void_p, c_void_p]),
    "heed_tape_gradient": (c_int32, [c_void_p, c_void_p, POINTER(c_void_p)]),
    "heed_operation": (c_int32, [c_void_p, c_char_p, POINTER(c_void_p), c_size_t, c_char_p,
        c_size_t, POINTER(c_void_p), c_size_t]),
    "heed_operations": (c_int32, [POINTER(c_void_p)]),
    "heed_parameter_new": (c_int32, [c_char_p, c_void_p, POINTER(c_void_p)]),
    "heed_parameter_array": (c_int32, [c_void_p, POINTER(c_void_p)]),
    "heed_parameter_gradient": (c_int32, [c_void_p, POINTER(c_void_p)]),
    "heed_parameter_name": (c_char_p, [c_void_p]),
    "heed_parameter_set": (c_int32, [c_void_p, c_void_p]),
    "heed_parameter_set_gradient": (c_int32, [c_void_p, c_void_p]),
    "heed_parameter_free": (None, [c_void_p]),
    "heed_optimizer_new": (c_int32, [POINTER(c_void_p), c_size_t, c_char_p, c_size_t,
        POINTER(c_void_p)]),
    "heed_optimizer_step": (c_int32, [c_void_p, c_double, POINTER(c_double)]),
    "heed_optimizer_free": (None, [c_void_p]),
    "heed_attention_new": (c_int32, [c_char_p, c_size_t, POINTER(c_void_p)]),
    "heed_attention_parameter": (c_int32, [c_void_p, c_size_t, POINTER(c_void_p)]),
    "heed_attention_parameters": (c_size_t, [c_void_p]),
    "heed_attention_attend": (c_int32, [c_void_p, c_void_p, c_void_p, c_void_p, c_void_p,
        c_void_p, POINTER(c_void_p), POINTER(c_void_p)]),
    "heed_tape_train": (c_int32, [c_void_p, c_int64]),
    "heed_attention_run": (c_int32, [c_void_p, c_void_p, c_void_p, c_void_p, c_void_p,
        POINTER(c_void_p), POINTER(c_void_p)]),
    "heed_attention_free": (None, [c_void_p]),
    "heed_draw": (c_int32, [c_void_p, c_char_p, c_size_t, POINTER(c_void_p)]),
    "heed_metric": (c_int32, [c_char_p, c_size_t, POINTER(c_double)]),
    "heed_server_start": (c_int32, [c_char_p, c_size_t, POINTER(c_void_p)]),
    "heed_server_address": (c_char_p, [c_void_p]),
    "heed_server_free": (None, [c_void_p]),
}
