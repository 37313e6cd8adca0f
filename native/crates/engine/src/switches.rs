//! The switches of a session: named choices that may change numerics, read from an `open` request.

use crate::{
    SwitchInfo,
    threads::{self, MAX_THREADS, Threads},
};
use moire_base::{Error, Result};
use moire_kernels::{Isa, attention::AttentionForm, delta::DeltaForm, matmul::MatmulFamily, rope::RopeForm};
use serde_json::{Map, Value, json};

const MATMUL: &[&str] = &["auto", "qmv", "qmm", "exact"];
const ATTENTION: &[&str] = &["per_position", "batched", "exact"];
const PREFILL_ATTENTION: &[&str] = &["auto", "batched", "per_position", "exact"];
const DELTA: &[&str] = &["recurrent", "chunked"];
const ROPE: &[&str] = &["row", "block"];
const ACTIVATIONS: &[&str] = &["checkpoint", "f32"];

/// Every switch, with what it allows and its default.
pub fn table() -> Vec<SwitchInfo> {
    let isas: Vec<&str> = std::iter::once("auto").chain(Isa::available().into_iter().map(Isa::name)).collect();
    vec![
        named("matmul", MATMUL, "Reduction order of linear layers. auto: qmv below 8 rows, qmm from 8."),
        named("attention", ATTENTION, "Attention order of decode and verify; a single row takes the one-row form."),
        named(
            "prefillAttention",
            PREFILL_ATTENTION,
            "Attention order of prefill. auto: exact if attention is, else batched.",
        ),
        named("delta", DELTA, "Gated delta rule: token by token, or in chunks of 64 when a call has several rows."),
        named("rope", ROPE, "Rotation angles: each row its own, or one base angle a call and angle addition."),
        named("activations", ACTIVATIONS, "Dtype between ops: the checkpoint's, or fp32 without rounding."),
        SwitchInfo {
            name: "threads",
            values: None,
            min: Some(1),
            max: Some(MAX_THREADS),
            default: json!(threads::cores()),
            description: "Most threads of a forward; never changes a byte. By default one per physical core, and one fewer while other work runs.",
        },
        named("isa", &isas, "Instruction set of the kernels; never changes a byte."),
    ]
}

/// A switch with named values, of which the first is the default.
pub fn named(name: &'static str, values: &[&str], description: &'static str) -> SwitchInfo {
    SwitchInfo {
        name,
        values: Some(values.iter().map(|v| (*v).to_owned()).collect()),
        min: None,
        max: None,
        default: json!(values[0]),
        description,
    }
}

/// Resolved switches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Switches {
    /// Linear layers.
    pub matmul: MatmulFamily,
    /// Attention of decode and verify.
    pub attention: AttentionForm,
    /// Attention of prefill.
    pub prefill_attention: AttentionForm,
    /// Gated delta rule.
    pub delta: DeltaForm,
    /// Rotation angles.
    pub rope: RopeForm,
    /// No rounding between ops.
    pub f32_activations: bool,
    /// Most threads.
    pub threads: usize,
    /// Instruction set.
    pub isa: Isa,
}

impl Switches {
    /// From a request's `switches` object; what it leaves out takes its default.
    /// Errors: `Invalid` at `/switches/<name>` for an unknown name or value, listing what is allowed.
    pub fn parse(request: &Map<String, Value>) -> Result<Self> {
        let table = table();
        for (name, value) in request.iter().filter(|(name, _)| *name != "threads") {
            check(&table, name, value)?;
        }
        let value = |name: &str| {
            let default = || table.iter().find(|s| s.name == name).map(|s| s.default.clone());
            request.get(name).cloned().or_else(default).unwrap_or_default()
        };
        let text = |name: &str| value(name).as_str().unwrap_or_default().to_owned();
        let attention = AttentionForm::parse(&text("attention"))?;
        Ok(Self {
            matmul: MatmulFamily::parse(&text("matmul"))?,
            attention,
            prefill_attention: match (text("prefillAttention").as_str(), attention) {
                ("auto", AttentionForm::Exact) => AttentionForm::Exact,
                ("auto", _) => AttentionForm::Batched,
                (form, _) => AttentionForm::parse(form)?,
            },
            delta: DeltaForm::parse(&text("delta"))?,
            rope: RopeForm::parse(&text("rope"))?,
            f32_activations: text("activations") == "f32",
            threads: Threads::parse(request.get("threads"))?.limit,
            isa: Isa::parse(&text("isa"))?,
        })
    }

    /// All switches by name, with `auto` resolved where it does not depend on the call.
    pub fn to_map(self) -> Map<String, Value> {
        let matmul = match self.matmul {
            MatmulFamily::Auto => "auto",
            MatmulFamily::Qmv => "qmv",
            MatmulFamily::Qmm => "qmm",
            MatmulFamily::Exact => "exact",
        };
        let delta = match self.delta {
            DeltaForm::Recurrent => "recurrent",
            DeltaForm::Chunked => "chunked",
        };
        let activations = if self.f32_activations { "f32" } else { "checkpoint" };
        [
            ("matmul", json!(matmul)),
            ("attention", json!(attention_name(self.attention))),
            ("prefillAttention", json!(attention_name(self.prefill_attention))),
            ("delta", json!(delta)),
            ("rope", json!(rope_name(self.rope))),
            ("activations", json!(activations)),
            ("threads", json!(self.threads)),
            ("isa", json!(self.isa.name())),
        ]
        .into_iter()
        .map(|(name, value)| (name.to_owned(), value))
        .collect()
    }
}

fn attention_name(form: AttentionForm) -> &'static str {
    match form {
        AttentionForm::PerPosition => "per_position",
        AttentionForm::Batched => "batched",
        AttentionForm::Exact => "exact",
    }
}

/// `row` or `block`.
pub fn rope_name(form: RopeForm) -> &'static str {
    match form {
        RopeForm::Row => "row",
        RopeForm::Block => "block",
    }
}

/// Errors: `Invalid` at `/switches/<name>` for a name or value that is not in the table.
pub fn check(table: &[SwitchInfo], name: &str, value: &Value) -> Result<()> {
    let place = format!("/switches/{name}");
    let Some(switch) = table.iter().find(|s| s.name == name) else {
        let names: Vec<&str> = table.iter().map(|s| s.name).collect();
        return Err(Error::invalid(place, format!("unknown switch \"{name}\"; this engine has {}", names.join(", "))));
    };
    let values = switch.values.as_deref().unwrap_or_default();
    if value.as_str().is_some_and(|v| values.iter().any(|w| w == v)) {
        return Ok(());
    }
    // An instruction set may be known and yet not of this CPU: it says which.
    let own = value.as_str().filter(|_| name == "isa").and_then(|isa| Isa::parse(isa).err());
    let message =
        own.map_or_else(|| format!("{value} is not a value of {name}; use {}", values.join(", ")), |e| e.message);
    Err(Error::invalid(place, message))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(value: Value) -> Result<Switches> {
        Switches::parse(value.as_object().unwrap())
    }

    #[test]
    fn defaults_are_the_first_values_and_physical_cores() {
        let s = parse(json!({})).unwrap();
        assert_eq!(s.matmul, MatmulFamily::Auto);
        assert_eq!((s.attention, s.prefill_attention), (AttentionForm::PerPosition, AttentionForm::Batched));
        assert_eq!(s.threads, threads::cores());
        assert_eq!(s.isa, Isa::detect());
    }

    #[test]
    fn prefill_attention_follows_exact_attention_unless_chosen() {
        assert_eq!(parse(json!({"attention": "exact"})).unwrap().prefill_attention, AttentionForm::Exact);
        let chosen = json!({"attention": "exact", "prefillAttention": "batched"});
        assert_eq!(parse(chosen).unwrap().prefill_attention, AttentionForm::Batched);
    }

    #[test]
    fn every_value_of_the_table_is_accepted_and_comes_back() {
        for switch in table() {
            for value in switch.values.unwrap_or_default().into_iter().filter(|v| v != "auto") {
                let request = json!({ switch.name: value });
                assert_eq!(parse(request).unwrap().to_map()[switch.name], json!(value));
            }
        }
        assert_eq!(parse(json!({"threads": 3})).unwrap().to_map()["threads"], json!(3));
    }

    #[test]
    fn what_is_not_allowed_is_named_with_what_is() {
        let e = parse(json!({"matmull": "qmv"})).unwrap_err();
        assert_eq!(e.place, "/switches/matmull");
        assert!(e.message.contains("unknown switch") && e.message.contains("prefillAttention"), "{e}");
        let e = parse(json!({"matmul": "fast"})).unwrap_err();
        assert!(e.message.contains("\"fast\"") && e.message.contains("auto, qmv, qmm, exact"), "{e}");
        assert!(parse(json!({"threads": "two"})).unwrap_err().message.contains("1 to 256"));
        assert!(parse(json!({"isa": "amx9"})).unwrap_err().message.contains("scalar"));
        for isa in Isa::ALL {
            match parse(json!({"isa": isa.name()})) {
                Ok(s) => assert!(isa.is_available() && s.isa == isa),
                Err(e) => assert!(!isa.is_available() && e.message.contains("this CPU does not have"), "{e}"),
            }
        }
    }
}
