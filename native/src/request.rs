//! Requests of `moire_job_start`: their types, their limits, and errors that name the field by JSON pointer.

use crate::ids::Ids;
use moire_base::{Error, Result, Status};
use serde::{Deserialize, de::DeserializeOwned};
use serde_json::{Map, Value};
use serde_path_to_error::{Path, Segment};

/// Range of `schemaVersion` this build accepts.
pub const SCHEMA: std::ops::RangeInclusive<u64> = 1..=1;
/// Longest request in bytes.
pub const MAX_BYTES: u64 = 64 << 20;
const MAX_TOP: usize = 1024;
const MAX_TILE: usize = 1024;
const MAX_PAIRS: usize = 1 << 16;
const MAX_TAPS: usize = 4096;
const MAX_BATCH: usize = 256;
const MAX_WIDTH: usize = 256;
const MAX_SPIN_MS: u64 = 600_000;
const MAX_ROUNDS: usize = 1000;
const MAX_THREADS: usize = 256;

/// One request, checked as far as it can be without its target.
#[derive(Debug)]
#[allow(missing_docs)]
pub enum Request {
    Inspect(Inspect),
    Load(Load),
    Tensors(Inspect),
    Open(Open),
    Prefill(Forward),
    Decode(Forward),
    Verify(Forward),
    Rewind(Rewind),
    Fork(Fork),
    Join(Join),
    State(State),
    LoadDrafter(Inspect),
    OpenDraft(Open),
    Observe(Observe),
    Propose(Propose),
    ForkDraft(Fork),
    JoinDraft(JoinDraft),
    Diff(Diff),
    Tokenize(Tokenize),
    Detokenize(Detokenize),
    Chat(Chat),
    SelfTest(SelfTest),
    Measure(Measure),
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Inspect {
    pub path: String,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Load {
    pub path: String,
    #[serde(default = "yes")]
    pub scan: bool,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Open {
    #[serde(default)]
    pub switches: Map<String, Value>,
    #[serde(default = "one")]
    pub batch: usize,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Forward {
    pub ids: Ids,
    #[serde(default)]
    pub taps: Vec<String>,
    #[serde(default)]
    pub capture: Capture,
    pub logits: Option<Logits>,
    #[serde(default = "two")]
    pub top: usize,
}

/// What of a tap is kept.
#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Capture {
    #[default]
    Bytes,
    Hash,
    Stats,
}

/// Rows whose logits are wanted.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Logits {
    Last,
    All,
    None,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Rewind {
    pub kept_rows: Vec<usize>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Fork {
    pub rows: Option<Vec<usize>>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Join {
    pub sessions: Vec<u64>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct JoinDraft {
    pub drafts: Vec<u64>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct State {
    pub layer: Option<usize>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Observe {
    pub features: Vec<u64>,
    pub rows: Vec<[usize; 2]>,
    pub next: Vec<Vec<u32>>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Propose {
    pub width: usize,
    #[serde(default)]
    pub logits: bool,
    #[serde(default = "two")]
    pub top: usize,
    pub after: Option<Vec<u32>>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Diff {
    pub pairs: Vec<Pair>,
    #[serde(default)]
    pub tile: usize,
    #[serde(default)]
    pub rows: bool,
    #[serde(default)]
    pub brief: bool,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Pair {
    pub a: u64,
    pub b: u64,
    pub a_rows: Option<[usize; 2]>,
    pub b_rows: Option<[usize; 2]>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Tokenize {
    pub text: String,
    #[serde(default = "yes")]
    pub special: bool,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Detokenize {
    pub ids: Vec<u32>,
    #[serde(default)]
    pub skip_special: bool,
    #[serde(default)]
    pub more: Vec<Vec<u32>>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Chat {
    pub messages: Vec<Value>,
    #[serde(default)]
    pub add_generation_prompt: bool,
    #[serde(default)]
    pub variables: Map<String, Value>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct SelfTest {
    pub what: What,
    #[serde(default = "thousand")]
    pub ms: u64,
}

/// What a self test does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum What {
    Kernels,
    Panic,
    StartPanic,
    Spin,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Measure {
    pub what: Limit,
    pub threads: usize,
    #[serde(default = "auto")]
    pub isa: String,
    #[serde(default = "five")]
    pub rounds: usize,
}

/// A limit of the machine.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Limit {
    Read,
    Int16,
    Fp32,
}

fn yes() -> bool {
    true
}
fn one() -> usize {
    1
}
fn two() -> usize {
    2
}
fn thousand() -> u64 {
    1000
}
fn auto() -> String {
    "auto".to_owned()
}
fn five() -> usize {
    5
}

const KINDS: [&str; 23] = [
    "inspect",
    "load",
    "tensors",
    "open",
    "prefill",
    "decode",
    "verify",
    "rewind",
    "fork",
    "join",
    "state",
    "loadDrafter",
    "openDraft",
    "observe",
    "propose",
    "forkDraft",
    "joinDraft",
    "diff",
    "tokenize",
    "detokenize",
    "chat",
    "selfTest",
    "measure",
];

impl Request {
    /// Read a request. Errors: `Invalid` with the JSON pointer of the first wrong field, `Version` for another schema.
    pub fn parse(json: &[u8]) -> Result<Self> {
        let text = std::str::from_utf8(json)
            .map_err(|e| Error::invalid("", format!("the request is not UTF-8: byte {} is wrong", e.valid_up_to())))?;
        let value: Value =
            serde_json::from_str(text).map_err(|e| Error::invalid("", format!("the request is not JSON: {e}")))?;
        let Value::Object(mut fields) = value else {
            return Err(Error::invalid("", "the request is not a JSON object"));
        };
        let kind = head(&mut fields)?;
        let request = Self::of_kind(&kind, Value::Object(fields))?;
        request.check_limits()?;
        Ok(request)
    }

    fn of_kind(kind: &str, fields: Value) -> Result<Self> {
        Ok(match kind {
            "inspect" => Self::Inspect(read(fields)?),
            "load" => Self::Load(read(fields)?),
            "tensors" => Self::Tensors(read(fields)?),
            "open" => Self::Open(read(fields)?),
            "prefill" => Self::Prefill(read(fields)?),
            "decode" => Self::Decode(read(fields)?),
            "verify" => Self::Verify(read(fields)?),
            "rewind" => Self::Rewind(read(fields)?),
            "fork" => Self::Fork(read(fields)?),
            "join" => Self::Join(read(fields)?),
            "state" => Self::State(read(fields)?),
            "loadDrafter" => Self::LoadDrafter(read(fields)?),
            "openDraft" => Self::OpenDraft(read(fields)?),
            "observe" => Self::Observe(read(fields)?),
            "propose" => Self::Propose(read(fields)?),
            "forkDraft" => Self::ForkDraft(read(fields)?),
            "joinDraft" => Self::JoinDraft(read(fields)?),
            "diff" => Self::Diff(read(fields)?),
            "tokenize" => Self::Tokenize(read(fields)?),
            "detokenize" => Self::Detokenize(read(fields)?),
            "chat" => Self::Chat(read(fields)?),
            "selfTest" => Self::SelfTest(read(fields)?),
            "measure" => Self::Measure(read(fields)?),
            _ => {
                let message = format!("{kind:?} is no job kind; known are {}", KINDS.join(", "));
                return Err(Error::invalid("/kind", message));
            }
        })
    }

    fn check_limits(&self) -> Result<()> {
        match self {
            Self::Inspect(r) | Self::Tensors(r) | Self::LoadDrafter(r) => check_path(&r.path),
            Self::Load(r) => check_path(&r.path),
            Self::Open(r) | Self::OpenDraft(r) => within("/batch", r.batch, 1, MAX_BATCH),
            Self::Prefill(r) | Self::Decode(r) | Self::Verify(r) => {
                within("/top", r.top, 0, MAX_TOP)?;
                within("/taps", r.taps.len(), 0, MAX_TAPS)
            }
            Self::Fork(r) | Self::ForkDraft(r) => {
                r.rows.as_ref().map_or(Ok(()), |rows| within("/rows", rows.len(), 1, MAX_BATCH))
            }
            Self::Join(r) => within("/sessions", r.sessions.len(), 1, MAX_BATCH),
            Self::JoinDraft(r) => within("/drafts", r.drafts.len(), 1, MAX_BATCH),
            Self::Observe(r) => within("/features", r.features.len(), 0, MAX_TAPS),
            Self::Propose(r) => {
                within("/width", r.width, 2, MAX_WIDTH)?;
                within("/top", r.top, 0, MAX_TOP)
            }
            Self::Diff(r) => {
                within("/tile", r.tile, 0, MAX_TILE)?;
                within("/pairs", r.pairs.len(), 0, MAX_PAIRS)
            }
            Self::Measure(r) => {
                within("/threads", r.threads, 1, MAX_THREADS)?;
                within("/rounds", r.rounds, 1, MAX_ROUNDS)
            }
            Self::SelfTest(r) if r.ms > MAX_SPIN_MS => {
                Err(Error::invalid("/ms", format!("{} is above {MAX_SPIN_MS}", r.ms)))
            }
            _ => Ok(()),
        }
    }
}

/// Take `kind` and `schemaVersion` out of the fields.
fn head(fields: &mut Map<String, Value>) -> Result<String> {
    let kind = match fields.shift_remove("kind") {
        Some(Value::String(kind)) => kind,
        Some(_) => return Err(Error::invalid("/kind", "kind is not a string")),
        None => return Err(Error::invalid("/kind", format!("kind is missing; known are {}", KINDS.join(", ")))),
    };
    let version = fields.shift_remove("schemaVersion");
    match version.as_ref().map(Value::as_u64) {
        Some(Some(v)) if SCHEMA.contains(&v) => Ok(kind),
        Some(Some(v)) => {
            let message =
                format!("schemaVersion {v} is not known; this engine reads {} to {}", SCHEMA.start(), SCHEMA.end());
            Err(Error::new(Status::Version, "/schemaVersion", message))
        }
        Some(None) => Err(Error::invalid("/schemaVersion", "schemaVersion is not a whole number")),
        None => Err(Error::invalid("/schemaVersion", "schemaVersion is missing; write 1")),
    }
}

fn read<T: DeserializeOwned>(fields: Value) -> Result<T> {
    serde_path_to_error::deserialize(fields).map_err(|e| Error::invalid(pointer(e.path()), e.inner().to_string()))
}

/// RFC 6901 pointer of a field.
fn pointer(path: &Path) -> String {
    let step = |segment: &Segment| match segment {
        Segment::Seq { index } => format!("/{index}"),
        Segment::Map { key } => format!("/{}", key.replace('~', "~0").replace('/', "~1")),
        Segment::Enum { .. } | Segment::Unknown => String::new(),
    };
    path.iter().map(step).collect()
}

fn within(place: &str, value: usize, least: usize, most: usize) -> Result<()> {
    if (least..=most).contains(&value) {
        return Ok(());
    }
    Err(Error::invalid(place, format!("{value} is outside {least} to {most}")))
}

fn check_path(path: &str) -> Result<()> {
    match path {
        "" => Err(Error::invalid("/path", "the path is empty")),
        p if p.contains('\0') => Err(Error::invalid("/path", "the path holds a NUL character")),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(json: &str) -> (String, String) {
        let e = Request::parse(json.as_bytes()).expect_err(json);
        assert_eq!(e.status, Status::Invalid, "{json}");
        (e.place, e.message)
    }

    #[test]
    fn a_wrong_field_is_named_by_its_pointer() {
        for (fields, place) in [
            (r#""kind":"nope""#, "/kind"),
            (r#""kind":7"#, "/kind"),
            (r#""x":1"#, "/kind"),
            (r#""kind":"load""#, ""),
            (r#""kind":"load","path":5"#, "/path"),
            (r#""kind":"load","path":"""#, "/path"),
            (r#""kind":"load","path":"a\u0000b""#, "/path"),
            (r#""kind":"load","path":"x","scann":true"#, "/scann"),
            (r#""kind":"load","path":"x","a/b~c":true"#, "/a~1b~0c"),
            (r#""kind":"open","batch":0"#, "/batch"),
            (r#""kind":"open","switches":[]"#, "/switches"),
            (r#""kind":"fork","x":1"#, "/x"),
            (r#""kind":"fork","rows":[0,-1]"#, "/rows/1"),
            (r#""kind":"fork","rows":[]"#, "/rows"),
            (r#""kind":"join""#, ""),
            (r#""kind":"join","sessions":[]"#, "/sessions"),
            (r#""kind":"join","sessions":[3,"4"]"#, "/sessions/1"),
            (r#""kind":"join","drafts":[3]"#, "/drafts"),
            (r#""kind":"prefill","ids":"a""#, "/ids"),
            (r#""kind":"prefill","ids":[1,2,-3]"#, "/ids/2"),
            (r#""kind":"prefill","ids":[4294967296]"#, "/ids/0"),
            (r#""kind":"prefill","ids":[1e30]"#, "/ids/0"),
            (r#""kind":"prefill","ids":[[1,2],[3,null]]"#, "/ids/1/1"),
            (r#""kind":"prefill","ids":[1,[2]]"#, "/ids"),
            (r#""kind":"prefill","ids":[1],"logits":"some""#, "/logits"),
            (r#""kind":"prefill","ids":[1],"top":1025"#, "/top"),
            (r#""kind":"prefill","ids":[1],"taps":["*",3]"#, "/taps/1"),
            (r#""kind":"decode","ids":[1],"capture":"pixels""#, "/capture"),
            (r#""kind":"loadDrafter","path":"""#, "/path"),
            (r#""kind":"openDraft","batch":300"#, "/batch"),
            (r#""kind":"observe","features":[1,-2],"rows":[],"next":[]"#, "/features/1"),
            (r#""kind":"observe","features":[],"rows":[[0,1],[3]],"next":[]"#, "/rows/1"),
            (r#""kind":"observe","features":[],"rows":[],"next":[[1,"a"]]"#, "/next/0/1"),
            (r#""kind":"propose","width":1"#, "/width"),
            (r#""kind":"propose","width":257"#, "/width"),
            (r#""kind":"propose","width":4,"logits":"all""#, "/logits"),
            (r#""kind":"propose","width":4,"after":[-1]"#, "/after/0"),
            (r#""kind":"forkDraft","x":1"#, "/x"),
            (r#""kind":"forkDraft","rows":7"#, "/rows"),
            (r#""kind":"joinDraft","drafts":[]"#, "/drafts"),
            (r#""kind":"joinDraft","drafts":[0.5]"#, "/drafts/0"),
            (r#""kind":"diff","pairs":[{"a":1,"b":2},{"a":1,"b":2,"aRows":[1]}]"#, "/pairs/1/aRows"),
            (r#""kind":"diff","pairs":[{"a":1,"b":2,"c":3}]"#, "/pairs/0/c"),
            (r#""kind":"diff","pairs":[],"tile":5000"#, "/tile"),
            (r#""kind":"diff","pairs":[],"rows":1"#, "/rows"),
            (r#""kind":"diff","pairs":[],"brief":"no""#, "/brief"),
            (r#""kind":"selfTest","what":"boil""#, "/what"),
            (r#""kind":"selfTest","what":"spin","ms":600001"#, "/ms"),
            (r#""kind":"measure","what":"read","threads":1,"rounds":0"#, "/rounds"),
            (r#""kind":"measure","what":"write","threads":1"#, "/what"),
        ] {
            assert_eq!(refused(&format!(r#"{{"schemaVersion":1,{fields}}}"#)).0, place, "{fields}");
        }
    }

    #[test]
    fn what_is_no_request_at_all_is_refused() {
        for json in ["", "{", "[]", "3", "\"x\"", "null", "{\"kind\":\"fork\",\"schemaVersion\":1} x", "{\"a\":1e999}"]
        {
            assert_eq!(refused(json).0, "", "{json}");
        }
        let deep =
            format!(r#"{{"schemaVersion":1,"kind":"chat","messages":{}1{}}}"#, "[".repeat(9999), "]".repeat(9999));
        assert!(refused(&deep).1.contains("recursion"));
        assert!(Request::parse(b"{\"kind\":\"\xff\"}").expect_err("not UTF-8").message.contains("byte 9"));
    }

    #[test]
    fn other_schema_versions_are_refused() {
        let e = Request::parse(br#"{"kind":"fork","schemaVersion":2}"#).expect_err("newer");
        assert_eq!((e.status, e.place.as_str()), (Status::Version, "/schemaVersion"));
        assert_eq!(refused(r#"{"kind":"fork"}"#).0, "/schemaVersion");
        assert_eq!(refused(r#"{"kind":"fork","schemaVersion":1.5}"#).0, "/schemaVersion");
    }

    #[test]
    fn ids_are_one_row_or_one_list_a_row() {
        for (ids, rows) in [
            ("[]", vec![vec![]]),
            ("[5,6]", vec![vec![5, 6]]),
            ("[[5,6]]", vec![vec![5, 6]]),
            ("[[5],[6]]", vec![vec![5], vec![6]]),
        ] {
            let json = format!(r#"{{"kind":"verify","schemaVersion":1,"ids":{ids}}}"#);
            let Ok(Request::Verify(forward)) = Request::parse(json.as_bytes()) else { panic!("{ids}") };
            assert_eq!(forward.ids.rows, rows);
            assert_eq!((forward.top, forward.taps.len(), forward.logits.is_none()), (2, 0, true));
        }
    }

    #[test]
    fn every_kind_is_known() {
        for kind in KINDS {
            let json = format!(r#"{{"kind":"{kind}","schemaVersion":1,"nothingHasThis":1}}"#);
            assert_ne!(refused(&json).0, "/kind");
        }
    }
}
