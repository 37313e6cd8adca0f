/* moire.h - the whole C ABI of a Moire engine, and its manual.
 *
 * Control is JSON, data is bytes. Every piece of work is a job: start it, poll or wait, read its result (UTF-8 JSON), free it.
 * Results name the handles they made. A third-party engine that implements this header plugs in by path; the conformance tests run against any library.
 *
 * Rules
 *  - Handles are positive integers below 2^53 from one counter, never reused, and know their kind (model, session, drafter, draft, tensor, job). 0 is "none".
 *    A stale, freed, zero or wrong-kind handle gives MOIRE_E_HANDLE, never a crash.
 *  - The engine owns all it makes; the caller lends buffers for the length of one call. No pointer is returned but static text.
 *  - Every fallible call ends in `moire_error *err`, which may be NULL. The caller sets struct_size; a smaller struct of an older header is filled as far as it goes.
 *    A call that succeeds sets err->code to 0 and both texts to "". moire_progress and moire_tensor_desc too small for their fixed part are MOIRE_E_VERSION.
 *  - A NULL where a pointer is needed is MOIRE_E_INVALID. Handles are written as 0 before anything can fail. No pointer needs an alignment.
 *  - Text and bytes are returned by cap/need: with a buffer that is too small nothing is written, `need` is set, and the status is MOIRE_E_BUFFER. buf may be NULL when cap is 0.
 *  - Any function may be called from any thread. The engine has its own threads with their own stacks, rounding to nearest even, denormals kept. It calls nothing back,
 *    prints nothing, reads no environment variable. Keep it loaded until the process ends. A panic is caught: the job fails with MOIRE_E_INTERNAL, the process lives.
 *  - Weights stay in their files, mapped. A file that another program cuts or writes to after the load fails what reads it (forwards, drafts, diffs and reads of its tensors)
 *    with MOIRE_E_IO and the file in `where`, until the model is loaded again; the process and other models go on. A file that another one was renamed over stays as it was.
 *    On Unix the first load puts a handler before that of SIGBUS, which passes on every signal that is not a fault in such a file.
 *  - One job at a time on a session or draft (a second start is MOIRE_E_BUSY); a join has all that it names. Jobs on other targets run side by side.
 */
#ifndef MOIRE_H
#define MOIRE_H
#include <stdint.h>
#ifdef __cplusplus
extern "C" {
#endif

#ifndef OUT
#define OUT /* written by the callee */
#endif

/* major << 16 | minor. Majors must be equal, the library's minor must be at least the caller's. */
#define MOIRE_ABI_VERSION 0x00010003u

/* Status codes; appended only. moire_status_name gives the names without the prefix. */
#define MOIRE_OK 0
#define MOIRE_E_INTERNAL (-1)
#define MOIRE_E_INVALID (-2)
#define MOIRE_E_HANDLE (-3)
#define MOIRE_E_CANCELLED (-4)
#define MOIRE_E_TIMEOUT (-5)
#define MOIRE_E_BUSY (-6)
#define MOIRE_E_BUFFER (-7)
#define MOIRE_E_VERSION (-8)
#define MOIRE_E_IO (-9)
#define MOIRE_E_FORMAT (-10)
#define MOIRE_E_UNSUPPORTED (-11)
#define MOIRE_E_MEMORY (-12)
#define MOIRE_E_STATE (-13)

/* Job states in moire_progress.state. */
#define MOIRE_JOB_QUEUED 0
#define MOIRE_JOB_RUNNING 1
#define MOIRE_JOB_DONE 2
#define MOIRE_JOB_FAILED 3
#define MOIRE_JOB_CANCELLED 4

/* 512 bytes. where: file, tensor, JSON pointer or setting. Both texts are UTF-8, cut at a character (a path at its front, so that it names its file), NUL-terminated. */
typedef struct moire_error {
  uint32_t struct_size;
  int32_t code;
  char where[120];
  char message[384];
} moire_error;

/* 64 bytes. total 0: unknown. */
typedef struct moire_progress {
  uint32_t struct_size;
  int32_t state;
  uint64_t done;
  uint64_t total;
  char stage[40];
} moire_progress;

/* 96 bytes. dtype: 1 f32, 2 f16, 3 bf16, 4 f64, 5 u8, 6 i8, 7 u16, 8 i16, 9 u32, 10 i32, 11 u64, 12 i64, 13 bool. Row-major, little-endian, rank <= 8. */
typedef struct moire_tensor_desc {
  uint32_t struct_size;
  uint32_t dtype;
  uint32_t rank;
  uint32_t reserved;
  uint64_t nbytes;
  uint64_t shape[8];
  uint64_t reserved2;
} moire_tensor_desc;

/* MOIRE_ABI_VERSION of the library. */
uint32_t moire_abi_version(void);

/* Static text, for example "E_HANDLE"; "UNKNOWN" for a number that is no status. */
const char *moire_status_name(int32_t status);

/* JSON: {engine, version, git, compiler, target, os, cpu: {name, features: [..], used: [..], cores}, kernels: [..], schema: {min, max}, architectures: [..]}. */
int32_t moire_build_info(uint8_t *buf, uint64_t cap, OUT uint64_t *need, moire_error *err);

/* Start a job. target: 0, a model, session, drafter or draft, as the kind asks. json: `len` bytes of UTF-8, see "Job kinds". The request is read before the call returns:
 * a wrong field is MOIRE_E_INVALID with where = its JSON pointer, and no job is made. At most 64 MiB. Handles in it are looked up now: freeing them later does no harm.
 * Up to 64 jobs run side by side, more wait in the queue. */
int32_t moire_job_start(uint64_t target, const uint8_t *json, uint64_t len, OUT uint64_t *job, moire_error *err);

/* The state now. MOIRE_OK while queued, running or done; a failed or cancelled job gives its own error here, in wait and in result. progress may be NULL. */
int32_t moire_job_poll(uint64_t job, moire_progress *progress, moire_error *err);

/* Wait until the job has ended; MOIRE_E_TIMEOUT if it has not after timeout_ms. Then as poll. */
int32_t moire_job_wait(uint64_t job, uint32_t timeout_ms, moire_error *err);

/* Ask the job to stop: idempotent, legal in any state, from any thread. It is checked between ops and between row blocks of a matmul. A cancelled forward leaves
 * its session as it was before the job (position and state). */
int32_t moire_job_cancel(uint64_t job, moire_error *err);

/* The result document of a job that is done. MOIRE_E_STATE while it is not. May be read again until the job is freed. */
int32_t moire_job_result(uint64_t job, uint8_t *buf, uint64_t cap, OUT uint64_t *need, moire_error *err);

/* Free a job. A running one is cancelled and goes when its thread leaves it; handles named in a result that was never read are freed with it. */
int32_t moire_job_free(uint64_t job, moire_error *err);

/* dtype and shape of a tensor. */
int32_t moire_tensor_info(uint64_t tensor, moire_tensor_desc *desc, moire_error *err);

/* Copy bytes [offset, offset + cap) of a tensor, as far as there are any; `written` says how many. An offset beyond the end is MOIRE_E_INVALID. */
int32_t moire_tensor_read(uint64_t tensor, uint64_t offset, uint8_t *dst, uint64_t cap, OUT uint64_t *written, moire_error *err);

/* A tensor from the caller's bytes (copied). len must be what desc says. */
int32_t moire_tensor_import(const moire_tensor_desc *desc, const uint8_t *bytes, uint64_t len, OUT uint64_t *tensor, moire_error *err);

/* Free a model, session, drafter, draft or tensor. What still uses it keeps it alive until it ends: sessions and drafters outlive the model's handle. */
int32_t moire_handle_free(uint64_t handle, moire_error *err);

#ifdef __cplusplus
}
#endif

/* Job kinds
 * ---------
 * Every request: {"kind": ..., "schemaVersion": 1, ...}. Unknown fields are refused. `ids` is a list of token ids, or with batch > 1 a list of such lists (prefill: the
 * same length in every row; one row may also be written as a list of one list).
 *
 * kind         target   request fields                                  result
 * inspect      0        path                                            {model: ModelInfo, tensors: [{name, file, dtype, shape, bytes}]}; headers only, no weights read
 * load         0        path, scan (bool, default true: look for        {handle, model: ModelInfo}
 *                       NaN/Inf and fingerprint all bytes)
 * open         model    switches {name: value}, batch (default 1)       {handle, switches (all, resolved), threads (in use), isa, batch, notes: [sentence
 *                                                                         of what was done otherwise than asked]}
 * prefill      session  ids, taps, capture: "bytes" | "hash" | "stats"  Step; attention as the switch prefillAttention says
 *                       (default "bytes": what of a tap is kept),
 *                       logits: "last" | "all" | "none",
 *                       top (default 2)
 * decode       session  ids: one id per batch row, taps, capture,       Step
 *                       logits, top
 * verify       session  ids, taps, capture, logits (default "all"),     Step; the session keeps what a rewind needs
 *                       top
 * rewind       session  keptRows: [n per batch row], 1 <= n <= W        {asked: [..], dropped: [..], position: [..], layers: [{layer, how}]}; how: "truncate" | "recompute" | "none"
 * fork         session  rows: [batch row, ..] (optional)                {handle, position: [..]}; an independent copy of the state, or of these batch rows in this order (which has nothing
 *                                                                         to rewind)
 * join         session  sessions: [handle, ..] of the same model, with  {handle, position: [..]}; a new session, whose batch rows are independent copies of the target's and then of the
 *                       the same resolved switches                        others', in order. At most as many rows as `open` allows. It has nothing to rewind. What was joined stays as it is
 * state        session  layer (optional)                                {position: [..], layers: [{layer, kind, tensors: [{name, handle, dtype, shape}]}]}
 *                                                                         k, v [batch, kv heads, longest position, head dim] (shorter rows end in zeros),
 *                                                                         conv_state [batch, 3, C], recurrent_state [batch, Hv, Dv, Dk]
 * loadDrafter  model    path                                            {handle, drafter: DrafterInfo}; for this model: a DFlash folder, an MTP folder, or the folder
 *                                                                         of a Qwen 3.5 model with mtp.* tensors. It keeps the model alive, whose embedding and head it uses
 * openDraft    drafter  switches {name: value}, batch (default 1)       as open; the handle is a draft: what the drafter has seen, beside a session of its model
 * observe      draft    features: [tensor handle per tap of             {position: [committed rows seen, per batch row], ms}; committed rows become context. The last `next` of a batch
 *                       DrafterInfo.taps, in that order], rows:           row is what its next proposal begins from. mtp: drops what it drafted, then pairs row p with the token after it
 *                       [[from, to) per batch row] of the features,
 *                       next: [[token after each row] per batch row]
 * propose      draft    width (2 .. 256), logits (bool, default false), {ids: [[width - 1 ids] per batch row], logits: {handle, dtype, shape: [batch * (width - 1), vocab]} | null,
 *                       top (default 2), after: [id per batch row]        top: [[{id, logit}, ..] per logits row], ms}; greedy: the first index of the largest logit. Without `after` it begins
 *                       (mtp alone)                                       after the last observed token; with it, it goes on as if it had proposed these tokens last
 * forkDraft    draft    rows: [batch row, ..] (optional)                {handle, position: [..]}; an independent copy, or one of these batch rows in this order
 * joinDraft    draft    drafts: [handle, ..] of the same drafter, with  {handle, position: [..]}; as join. Rows may have seen any number of committed rows, or none, all with features of one
 *                       the same resolved switches                        dtype. mtp: drops what it drafted
 * diff         0        pairs: [{a, b, aRows: [from, to], bRows}],      {pairs: [Diff]}; rows count along the first dimension, whole tensors by default; progress in bytes
 *                       tile (elements around the first difference,
 *                       0 = none, at most 1024), rows (bool, default      rows: counts of every row as well, at most 65,536 a pair
 *                       false), brief (bool, default false)               brief: pairs that are equal and all finite are left out, the others have their `index` in the request
 * tensors      0        path (any .safetensors file)                    {metadata, tensors: [{name, dtype, shape, handle, stored}]}; mapped, not copied. stored: {dtype, shape} by the
 *                                                                         file, there only for element types without a code above (f8_e4m3, c64, ..); the tensor then holds their bytes as u8 or u64
 * tokenize     model    text, special (bool, default true)              {ids}
 * detokenize   model    ids, skipSpecial (default false),               {text, pieces: [..], more: [text, ..]}; pieces: each id by itself
 *                       more: [[id, ..], ..] (default [])
 * chat         model    messages, addGenerationPrompt, variables        {text, ids}
 * selfTest     0        what: "kernels" | "panic" | "startPanic"        {passed, checks: [{name, ok, detail}]}; the panics (in the job, in moire_job_start) and spin
 *                       | "spin", ms (default 1000)                     prove the containment and the cancel
 * measure      0        what: "read" | "int16" | "fp32", threads,       {threads, isa, perSecond: [one a round]}; what the machine can do at best, all threads together:
 *                       isa (default "auto"), rounds (default 5)        bytes read from 256 MiB of memory, or multiply-adds in registers
 *
 * ModelInfo  {path, architecture, modelType, layers: [{index, kind: "attention" | "gated_delta"}], hidden, intermediate, vocab, context, heads, kvHeads, headDim,
 *             dtype, quantisation: {bits, group, mixed} | null, tied, parameters, weightBytes, fingerprint, tokenizer: bool, chatTemplate: bool, eos: [..], warnings: [..],
 *             switches: [{name, values: [..] | null, min, max, default, description}],
 *             taps: [{name, kinds: ["attention" | "gated_delta" | "model"], describes}] in the order in which a forward makes them}
 * DrafterInfo {path, family: "dflash" | "mtp", layers: [{index, kind: "full" | "sliding"}], hidden, vocab, blockSize | null (rows of a verification pass, by the
 *             checkpoint), maskId | null, taps: ["1.layer_output", .. | "8.final_norm"] of the model, slidingWindow | null, dtype, quantisation: as ModelInfo,
 *             parameters, weightBytes (of its own tensors), fingerprint (of config, headers and these), warnings: [..], switches: as ModelInfo}
 * Step       {rows, batch, position: [after, per batch row], logits: {handle, dtype, shape: [rows, vocab]} | null, logitRows: [row index of each logits row],
 *             top: [[{id, logit}, ..] per logits row], best first, lowest id first among equals,
 *             taps: [{layer (-1 before the first, = number of layers after the last), tap, dtype, shape, and by `capture`
 *               bytes: handle
 *               hash:  hash, rowHashes: the first 16 bytes, as hex, of BLAKE3 over the little-endian bytes of the tap and of each of its rows
 *               stats: stats: {count, nonFinite, min, max, mean, rms, absMax}, of its finite elements ("NaN" where there is none)}] in data order,
 *             kernels: [{layer, op, kernel, rows}], times: [{op, ms}] (all layers of an op together; "taps" is the keeping of taps), threads, isa,
 *             nonFinite (logits that are NaN or Inf), ms}
 *             the tap "logits" holds the rows of `logits`; without any there is none
 *             rows of a batch stand one after another: row index = batch row * W + position in the block
 * Diff       {equal, bytes, differingBytes, elements, differingElements, first: {index, a, b, aHex, bHex, ulp} | null, maxUlp, maxAbs, rms, relL2,
 *             nonFinite: {a, b}, tile: {start, a: hex, b: hex} | null, rows: {differingElements: [..], maxUlp: [..]}, there if asked for}
 *             ULP counts representable values between a and b in the dtype, at most 2^53 - 1 (NaN against a number: the largest count); numbers that are not finite are strings "NaN", "Infinity", "-Infinity"
 *
 * taps in a request: list of patterns "tap", "layer.tap" or "*" (all); "3.q_rope", "*.layer_output", "logits".
 * Observing changes nothing: the same bytes come out with no tap, some taps and all taps.
 *
 * Switches of the built-in engine (an engine lists its own in ModelInfo)
 *   matmul           auto | qmv | qmm | exact       auto: qmv below 8 rows x batch, qmm from 8
 *   attention        per_position | batched | exact    for decode and verify; a single row always takes the one-row form of its family
 *   prefillAttention auto | batched | per_position | exact    auto: exact if attention is exact, else batched
 *   delta            recurrent | chunked             chunked: 64-token form when a call has more than one row
 *   rope             row | block                     block: one base angle a call, rows by angle addition
 *   activations      checkpoint | f32                f32: no rounding between ops
 *   threads          1 .. 256                        at most so many; never changes a byte. Default: physical cores, of which one is left alone while other work runs when
 *                                                    the session opens (Linux: more tasks want a core than are ours; elsewhere not known). A whole number outside is limited, with a note
 *   isa              auto | scalar | avx2 | ...      what this CPU has
 * A draft has matmul, attention (for all it does), activations, threads, isa, and with DFlash
 *   slidingCausal    auto | true | false             whether a row of the block sees only earlier ones in sliding layers; auto: as the checkpoint says, else true
 */
#endif
