/* heed.h: attention models from C, and from every language that calls C.
 *
 * Calls return a code of heed_code: 0, or what went wrong. The text of the last
 * failure of a thread is heed_error_message(). Results come last; they are NULL
 * after a failure.
 *
 * Requests and answers are JSON texts in UTF-8, in the form of the HTTP API of
 * `heed serve` (docs/reference/http_api.md) or of the command
 * (docs/reference/command.md). A request is given with its size in bytes and
 * need not end with a zero byte. Unknown keys are errors.
 *
 * Ownership: whoever gets a handle frees it with the function of its type.
 * Freeing NULL does nothing. Handles keep what they depend on alive, so they
 * may be freed in any order. Texts and views belong to the handle that gave
 * them.
 *
 * Threads: models, arrays, attentions and cancellations may be used by any
 * number of threads at once, but not while a thread frees them. A tape, its
 * variables, and parameters that change belong to one thread at a time.
 *
 * Processes: a child made by fork() may use Heed. Its first calls start new
 * threads and read its models again. A server stays with the parent.
 */
#ifndef HEED_H_
#define HEED_H_

#include <stddef.h> /* NOLINT(modernize-deprecated-headers) */
#include <stdint.h> /* NOLINT(modernize-deprecated-headers) */

/* The names and types are those of C.
 * NOLINTBEGIN(readability-identifier-naming,modernize-*) */
#ifdef __cplusplus
extern "C" {
#endif

#if defined(HEED_BUILD) && defined(__GNUC__)
#define HEED_API __attribute__((visibility("default")))
#else
#define HEED_API
#endif

/* ---- Errors ------------------------------------------------------------- */

/* Codes never change their meaning. Treat codes that are not listed as
 * HEED_INTERNAL. */
enum heed_code {
  HEED_OK = 0,
  HEED_ARGUMENT = 1,  /* a NULL, a size or a text that no call accepts */
  HEED_SHAPE = 2,     /* arrays whose shapes or types do not fit together */
  HEED_CONFIG = 3,    /* an option or a part that is unknown or out of range */
  HEED_FORMAT = 4,    /* a file, a text or a request with wrong content */
  HEED_IO = 5,        /* a file that cannot be opened, read or written */
  HEED_NUMERIC = 6,   /* NaN or infinity in a computation */
  HEED_CANCELLED = 7, /* stopped by heed_cancel_set */
  HEED_MEMORY = 8,    /* too little memory */
  HEED_INTERNAL = 9   /* an error of Heed itself */
};

/* What the last failing call of this thread says: what failed, where, and what
 * to do. "" if none failed. Valid until the next failing call of this thread.
 */
HEED_API const char* heed_error_message(void);

/* Version of the library, such as "0.2.0". */
HEED_API const char* heed_version(void);
/* Number of the interface. It grows when functions are added; none is removed.
 */
HEED_API int32_t heed_abi(void);

/* ---- The process -------------------------------------------------------- */

/* Threads that computations use; 0: one per core. Not while a call runs. */
HEED_API int32_t heed_set_threads(int32_t threads);

enum heed_log_kind {
  HEED_LOG_LINE = 0,     /* a line of a command, such as a validation */
  HEED_LOG_PROGRESS = 1, /* a progress line that replaces the previous one */
  HEED_LOG_WARNING = 2   /* something odd that was handled */
};
typedef void (*heed_log_function)(void* user, int32_t kind, const char* text,
                                  size_t size);
/* Sends lines of progress and warnings to `log` instead of standard error.
 * Calls come from any thread, one at a time. NULL: standard error again. */
HEED_API int32_t heed_set_log(heed_log_function log, void* user);

/* A request to stop, which several calls may share. */
typedef struct heed_cancel heed_cancel;
HEED_API int32_t heed_cancel_new(heed_cancel** cancel);
/* Makes the calls that got `cancel` return HEED_CANCELLED, most within 0.1 s.
 */
HEED_API int32_t heed_cancel_set(heed_cancel* cancel);
/* Only when no call uses it any more. */
HEED_API void heed_cancel_free(heed_cancel* cancel);

/* ---- Answers ------------------------------------------------------------ */

typedef struct heed_answer heed_answer;
/* The text of an answer, followed by a zero byte. Valid as long as the answer.
 */
HEED_API int32_t heed_answer_text(const heed_answer* answer, const char** text,
                                  size_t* size);
HEED_API void heed_answer_free(heed_answer* answer);

/* ---- Commands ----------------------------------------------------------- */

/* Runs a command of `heed` in this process. `arguments`: its words as a JSON
 * list, such as ["train", "--task", "classify", "--texts", "reviews.tsv",
 * "--out", "m"]. The answer is what the command would print, JSON with --json.
 * Commands: align, distill, evaluate, explain, export, import, info, list,
 * plot, quantize, shortlist, train and verify. ["list", "options", "--task",
 * "classify", "--json"] describes the options of a task. `cancel` may be NULL.
 * One command runs at a time; others wait. */
HEED_API int32_t heed_command(const char* arguments, size_t size,
                              heed_cancel* cancel, heed_answer** answer);

/* ---- Models ------------------------------------------------------------- */

typedef struct heed_model heed_model;
/* Reads a model folder. `options`: {"dtype": "auto|f32|bf16|int8",
 * "activations": "row|fixed", "name": TEXT, "languages": "de-en"}, each
 * optional; NULL: none. */
HEED_API int32_t heed_model_open(const char* folder, const char* options,
                                 size_t size, heed_model** model);
/* Answers a request as POST /`path` of `heed serve` does. `path`: "predict",
 * "translate", "explain", "explain/tile" or "detect". Also "models", which
 * describes the model, "encode" {"text"} -> {"tokens", "ids"} and "decode"
 * {"ids"}
 * -> {"text"}. Limits of the server do not apply. `cancel` may be NULL. */
HEED_API int32_t heed_model_run(const heed_model* model, const char* path,
                                const char* request, size_t size,
                                heed_cancel* cancel, heed_answer** answer);

/* A request that is computed while its caller does something else. */
typedef struct heed_call heed_call;
/* Starts a request of heed_model_run without waiting for its answer. */
HEED_API int32_t heed_model_start(const heed_model* model, const char* path,
                                  const char* request, size_t size,
                                  heed_call** call);
/* Waits for the answer, at most `milliseconds`. HEED_OK with `answer` NULL: it
 * is not ready yet. An answer is given once. One thread at a time. */
HEED_API int32_t heed_call_wait(heed_call* call, int32_t milliseconds,
                                heed_answer** answer);
/* Cancels the request if it is still computed. */
HEED_API void heed_call_free(heed_call* call);

/* Receives an event of a stream: its name ("token", "done") and its JSON.
 * Returns 0 to go on; any other value cancels the call. */
typedef int32_t (*heed_event_function)(void* user, const char* name,
                                       const char* data, size_t size);
/* As heed_model_run for "predict" and "translate", but gives each piece of the
 * answer to `event` while it is written, on a thread of the model. Returns
 * after the last event. */
HEED_API int32_t heed_model_stream(const heed_model* model, const char* path,
                                   const char* request, size_t size,
                                   heed_cancel* cancel,
                                   heed_event_function event, void* user);

typedef struct heed_array heed_array;
/* A parameter of the model by its name in `heed info --json`. The array cannot
 * be written to. Matrices in bf16 and int8 are given as f32. */
HEED_API int32_t heed_model_parameter(const heed_model* model, const char* name,
                                      heed_array** array);
/* Cancels what still runs, then frees the model. */
HEED_API void heed_model_free(heed_model* model);

/* ---- Explanations -------------------------------------------------------- */

typedef struct heed_explanation heed_explanation;
/* Explains an answer of the model: attention weights and attributions.
 * `request`: as for POST /explain, such as {"text": TEXT, "methods":
 * ["saliency"], "pictures": true}. "pictures" keeps what all pictures need.
 * `cancel` may be NULL. */
HEED_API int32_t heed_model_explain(const heed_model* model,
                                    const char* request, size_t size,
                                    heed_cancel* cancel,
                                    heed_explanation** explanation);
/* The explanation as `heed explain --json` prints it. */
HEED_API int32_t heed_explanation_json(const heed_explanation* explanation,
                                       heed_answer** answer);
/* Weights [heads, T, S] in f32 of the attention at index `map` of "maps" in the
 * JSON; of a graph [heads, edges]. */
HEED_API int32_t heed_explanation_attention(const heed_explanation* explanation,
                                            size_t map, heed_array** weights);
/* Draws the explanation. `request`: {"format": "svg|text|html|png|json",
 * "width": 80, "colour": false} and the options "view", "layer", "head",
 * "rows", "step", "scale" and "words" of `heed explain`, each optional. */
HEED_API int32_t heed_explanation_draw(const heed_explanation* explanation,
                                       const char* request, size_t size,
                                       heed_answer** answer);
HEED_API void heed_explanation_free(heed_explanation* explanation);

/* ---- Arrays ------------------------------------------------------------- */

/* Types of elements: code * 256 + bits, with the codes of DLPack (0 int, 1
 * uint, 2 float, 4 bfloat, 6 bool). */
enum heed_dtype {
  HEED_I8 = 8,
  HEED_I32 = 32,
  HEED_I64 = 64,
  HEED_U8 = 264,
  HEED_F16 = 528,
  HEED_F32 = 544,
  HEED_F64 = 576,
  HEED_BF16 = 1040,
  HEED_BOOL = 1544
};

enum heed_view_flags { HEED_READ_ONLY = 1 };

/* Memory of an array. `size` is sizeof(heed_view) of the program, so that
 * members can be added at the end. */
typedef struct heed_view {
  uint32_t size;
  int32_t dtype;
  int32_t ndim;
  int32_t flags;
  const int64_t* shape;   /* ndim numbers */
  const int64_t* strides; /* in elements; NULL: rows follow one another */
  void* data;
} heed_view;

/* Copies the elements of `view`, which may have any strides. HEED_F16 becomes
 * f32, HEED_I64, HEED_U8, HEED_I8 and HEED_BOOL become i32. */
HEED_API int32_t heed_array_new(const heed_view* view, heed_array** array);
/* Fills `view`, whose `size` the caller has set. Valid as long as the array. */
HEED_API int32_t heed_array_view(const heed_array* array, heed_view* view);
/* Makes a DLManagedTensorVersioned of DLPack 1.1, or with `versioned` 0 a
 * DLManagedTensor, that shares the elements. Its deleter frees it. */
HEED_API int32_t heed_array_dlpack(const heed_array* array, int32_t versioned,
                                   void** managed);
HEED_API void heed_array_free(heed_array* array);

/* ---- Computations and gradients ----------------------------------------- */

typedef struct heed_tape heed_tape;         /* records operations */
typedef struct heed_variable heed_variable; /* an array in a computation */
typedef struct heed_parameter
    heed_parameter; /* an array that training changes */

HEED_API int32_t heed_tape_new(heed_tape** tape);
HEED_API void heed_tape_free(heed_tape* tape);

/* A variable with the elements of `array`. With a tape, gradients with respect
 * to it can be computed; NULL: a constant. */
HEED_API int32_t heed_variable_new(heed_tape* tape, const heed_array* array,
                                   heed_variable** variable);
/* The parameter as a variable: a constant without a tape. */
HEED_API int32_t heed_variable_of(heed_tape* tape, heed_parameter* parameter,
                                  heed_variable** variable);
/* The elements of a variable, which share its memory and cannot be written to.
 */
HEED_API int32_t heed_variable_array(const heed_variable* variable,
                                     heed_array** array);
HEED_API void heed_variable_free(heed_variable* variable);

/* Computes the gradients of `output`, times `seed` (of its shape; NULL: ones),
 * of all variables and parameters on the tape. Afterwards the tape is empty:
 * only gradients can be read. */
HEED_API int32_t heed_tape_backward(heed_tape* tape,
                                    const heed_variable* output,
                                    const heed_array* seed);
/* The gradient of a variable made by heed_variable_new on this tape; zeros if
 * the output does not depend on it. */
HEED_API int32_t heed_tape_gradient(heed_tape* tape,
                                    const heed_variable* variable,
                                    heed_array** gradient);

/* Runs an operation on `count` variables, and writes its results to `results`,
 * which has room for `room`; NULL follows the last one. `options`: a JSON
 * object, or NULL. heed_operations lists names, inputs and options. `tape`: the
 * tape of the inputs, or NULL. */
HEED_API int32_t heed_operation(heed_tape* tape, const char* name,
                                const heed_variable* const* inputs,
                                size_t count, const char* options, size_t size,
                                heed_variable** results, size_t room);
/* All operations: [{"name", "inputs", "options", "result"}]. */
HEED_API int32_t heed_operations(heed_answer** answer);

/* A parameter with a copy of the elements of `array`, in f32 or f64. */
HEED_API int32_t heed_parameter_new(const char* name, const heed_array* array,
                                    heed_parameter** parameter);
/* A copy of its elements, or of its gradient since the last update (zeros if
 * there is none). */
HEED_API int32_t heed_parameter_array(const heed_parameter* parameter,
                                      heed_array** array);
HEED_API int32_t heed_parameter_gradient(const heed_parameter* parameter,
                                         heed_array** gradient);
HEED_API const char* heed_parameter_name(const heed_parameter* parameter);
/* Replaces the elements by those of an array of equal shape. */
HEED_API int32_t heed_parameter_set(heed_parameter* parameter,
                                    const heed_array* array);
/* Replaces the gradient; NULL: none. */
HEED_API int32_t heed_parameter_set_gradient(heed_parameter* parameter,
                                             const heed_array* gradient);
HEED_API void heed_parameter_free(heed_parameter* parameter);

typedef struct heed_optimizer heed_optimizer;
/* An optimiser of these parameters. `options`: those of `heed train` with the
 * keys optimizer, beta1, beta2, epsilon, clip, ...; NULL: Adam. */
HEED_API int32_t heed_optimizer_new(heed_parameter* const* parameters,
                                    size_t count, const char* options,
                                    size_t size, heed_optimizer** optimizer);
/* Makes one update from the gradients of the parameters and clears these.
 * `norm`, unless NULL, receives the norm of the gradients before clipping. */
HEED_API int32_t heed_optimizer_step(heed_optimizer* optimizer, double rate,
                                     double* norm);
HEED_API void heed_optimizer_free(heed_optimizer* optimizer);

/* ---- Attention ---------------------------------------------------------- */

typedef struct heed_attention heed_attention;
/* An attention. `options`: {"score": "scaled_dot", "modifiers": ["rotary"],
 * "mask": "causal", "normalizer": "softmax", "heads": 1, "key_heads": 0,
 * "query": Q, "key": K, "value": V, "units": 0, "layers": 2, "positions": 0,
 * "dropout": 0, "seed": 1, "dtype": "f32"}; Q and K are required, sizes are
 * over all heads. "dropout" is a rate of the weights; see heed_tape_train. */
HEED_API int32_t heed_attention_new(const char* options, size_t size,
                                    heed_attention** attention);
/* Its parameters, from 0 on. A heed_parameter of it keeps it alive. */
HEED_API int32_t heed_attention_parameter(heed_attention* attention, size_t i,
                                          heed_parameter** parameter);
HEED_API size_t heed_attention_parameters(const heed_attention* attention);
/* Attends from `query` [B, T, Q] to `key` [B, S, K] with `value` [B, S, V]
 * (NULL: the keys). `mask`: bool or i32 [T, S] or [B, T, S], not 0 = may
 * attend; NULL: none. `context` receives [B, T, heads * V / key_heads];
 * `weights`, unless NULL, [B, heads, T, S]. `query` may be NULL for scores
 * without queries. */
HEED_API int32_t
heed_attention_attend(const heed_attention* attention, heed_tape* tape,
                      const heed_variable* query, const heed_variable* key,
                      const heed_variable* value, const heed_array* mask,
                      heed_variable** context, heed_variable** weights);
/* Makes the attentions that `tape` records from now on drop weights by their
 * rate of dropout, with random numbers of this seed. */
HEED_API int32_t heed_tape_train(heed_tape* tape, int64_t seed);
/* Attends as heed_attention_attend does, from arrays to arrays. */
HEED_API int32_t heed_attention_run(const heed_attention* attention,
                                    const heed_array* query,
                                    const heed_array* key,
                                    const heed_array* value,
                                    const heed_array* mask,
                                    heed_array** context, heed_array** weights);
HEED_API void heed_attention_free(heed_attention* attention);

/* ---- Pictures and metrics ----------------------------------------------- */

/* Draws attention weights [T, S] or [heads, T, S], of any library. `request`:
 * {"source": [LABEL], "target": [LABEL], "title": TEXT, "view": "alignment",
 * "format": "svg|text|html|png|json", "scale": "auto", "head": -1, "width": 80,
 * "colour": false, "image": BASE64}, each optional. "view" is one of those of
 * `heed explain`. "image": a PNG or JPEG file, whose cells, row by row, are the
 * keys; the view "input" shades them. */
HEED_API int32_t heed_draw(const heed_array* weights, const char* request,
                           size_t size, heed_answer** answer);
/* A metric of texts, such as {"metric": "bleu", "hypotheses": [TEXT],
 * "references": [TEXT]}, in the units of `heed evaluate`. */
HEED_API int32_t heed_metric(const char* request, size_t size, double* value);

/* ---- Servers ------------------------------------------------------------ */

typedef struct heed_server heed_server;
/* Starts `heed serve` on threads of this process. `options`: {"models":
 * [FOLDER], "host": "127.0.0.1", "port": 0, ...} with the options of `heed
 * serve` and "_" for
 * "-". Port 0 takes a free one. */
HEED_API int32_t heed_server_start(const char* options, size_t size,
                                   heed_server** server);
/* Where it listens: "http://127.0.0.1:5000/". Valid as long as the server. */
HEED_API const char* heed_server_address(const heed_server* server);
/* Stops it after it has answered all accepted requests, and frees it. */
HEED_API void heed_server_free(heed_server* server);

#ifdef __cplusplus
}
#endif
/* NOLINTEND(readability-identifier-naming,modernize-*) */

#endif /* HEED_H_ */
