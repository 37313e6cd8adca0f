//! Every malformed case is refused with a message that names what is wrong, every legal one opens, every open question is decided.

mod common;

use common::{golden, json, open};
use moire_base::{Result, Status};
use moire_checkpoint::Tokenizer;
use std::path::Path;

/// What Moire does where the format leaves it open, and why.
const CHOICES: [(&str, bool); 8] = [
    // Holes and trailing bytes: refused, as the reference parser does. They mean a faulty writer or a bad copy.
    ("offset-hole", false),
    ("trailing-bytes", false),
    // A norm of shape [1, H]: refused, the config says [H].
    ("rank-against-config", false),
    // NaN and Inf: opened, with a warning that names tensor and place. Looking at such a model is what a debugger is for.
    ("nan-scales", true),
    ("inf-embedding-scale", true),
    // Bits in the config that the shapes contradict: refused. Readers that trust the config would compute other numbers than those that trust the shapes.
    ("config-bits-contradict-shapes", false),
    // The same tensor twice: refused, since nobody can say which one counts.
    ("tensor-in-two-shards", false),
    // A byte without a token: opened; only a text that needs it is refused, when it is encoded.
    ("tokenizer-missing-byte", true),
];

struct Case {
    name: String,
    expect: String,
    must_name: Option<String>,
}

fn cases() -> Vec<Case> {
    let manifest = json(&golden("malformed/manifest.json"));
    let text = |c: &serde_json::Value, key: &str| c[key].as_str().map(str::to_owned);
    let case = |c: &serde_json::Value| Case {
        name: text(c, "case").expect("a name"),
        expect: text(c, "expect").expect("an expectation"),
        must_name: text(c, "message_should_name"),
    };
    manifest["cases"].as_array().expect("cases").iter().map(case).collect()
}

/// Opens a case: a model folder, or a folder with nothing but a tokenizer. The warnings of a model come back.
fn try_case(folder: &Path) -> Result<Vec<String>> {
    let tokenizer = folder.join("tokenizer.json");
    if tokenizer.exists() {
        let bytes = std::fs::read(tokenizer).expect("read");
        return Tokenizer::from_bytes(&bytes).map(|_| Vec::new());
    }
    open(folder).map(|model| model.summary.warnings)
}

fn assert_refused(case: &Case, outcome: &Result<Vec<String>>) {
    let Err(error) = outcome else { panic!("{}: opened, must be refused", case.name) };
    let text = error.to_string();
    if let Some(name) = &case.must_name {
        assert!(text.contains(name), "{}: \"{text}\" must name {name}", case.name);
    }
    assert!(matches!(error.status, Status::Format | Status::Unsupported | Status::Io), "{}: {error:?}", case.name);
    assert!(text.len() < 600 && !error.message.is_empty(), "{}: {text}", case.name);
}

#[test]
fn every_case_of_the_manifest() {
    let mut counts = [0; 3];
    for case in cases() {
        let outcome = try_case(&golden("malformed").join(&case.name));
        match case.expect.as_str() {
            "legal" => {
                counts[0] += 1;
                assert!(outcome.is_ok(), "{}: {outcome:?}", case.name);
            }
            "error" => {
                counts[1] += 1;
                assert_refused(&case, &outcome);
            }
            "choice" => {
                counts[2] += 1;
                let (_, opens) = CHOICES.iter().find(|(name, _)| *name == case.name).expect("decided");
                if *opens {
                    assert!(outcome.is_ok(), "{}: {outcome:?}", case.name)
                } else {
                    assert_refused(&case, &outcome)
                }
            }
            other => panic!("{}: unknown expectation {other}", case.name),
        }
    }
    assert_eq!(counts[2], CHOICES.len());
    assert_eq!(counts, [10, 60, 8], "legal, error, choice");
    let folders = std::fs::read_dir(golden("malformed"))
        .expect("there")
        .filter(|e| e.as_ref().is_ok_and(|e| e.path().is_dir()))
        .count();
    assert_eq!(counts.iter().sum::<usize>(), folders, "every folder is covered");
}

/// Padding, odd alignment, other orders, extra tensors and keys, shards: the weights are those of the plain file.
#[test]
fn legal_models_hold_the_weights_of_the_base() {
    let base = common::weight_bytes(&open(&golden("malformed/legal-base")).expect("opens"));
    let mut count = 0;
    for case in cases().iter().filter(|c| c.expect == "legal" && c.name != "legal-tokenizer") {
        let model = open(&golden("malformed").join(&case.name)).expect("opens");
        assert!(common::weight_bytes(&model) == base, "{}", case.name);
        count += 1;
    }
    assert_eq!(count, 9);
}

#[test]
fn values_that_are_no_numbers_are_reported() {
    for (case, tensor, what) in [
        ("nan-scales", "language_model.model.layers.1.self_attn.q_proj.scales", "1 NaN and 0 infinite"),
        ("inf-embedding-scale", "language_model.model.embed_tokens.scales", "0 NaN and 1 infinite"),
    ] {
        let warnings = open(&golden("malformed").join(case)).expect("opens").summary.warnings;
        assert!(warnings.iter().any(|w| w.contains(tensor) && w.contains(what)), "{case}: {warnings:?}");
    }
}

/// The case lacks 0xff, which no UTF-8 text holds, so that every text still has its ids. A byte that texts do hold is another matter.
#[test]
fn a_missing_byte_token_refuses_only_texts_that_need_it() {
    let tokenizer = |value: &serde_json::Value| Tokenizer::from_bytes(value.to_string().as_bytes()).expect("opens");
    let harmless = tokenizer(&json(&golden("malformed/tokenizer-missing-byte/tokenizer.json")));
    let mut value = json(&golden("malformed/legal-tokenizer/tokenizer.json"));
    let whole = tokenizer(&value);
    // U+00F0 stands for byte 0xf0, the first one of every emoji; no merge uses it.
    value["model"]["vocab"].as_object_mut().expect("a vocabulary").remove("\u{f0}").expect("there");
    let broken = tokenizer(&value);
    for text in ["a", "\u{e9}t\u{e9}", "\u{4f60}\u{597d}", "\u{1f600}"] {
        let ids = whole.encode(text, true).expect("encodes");
        assert_eq!(harmless.encode(text, true).expect("encodes"), ids, "{text}");
        let outcome = broken.encode(text, true);
        if text == "\u{1f600}" {
            let error = outcome.expect_err("has no token for its first byte");
            assert_eq!(error.status, Status::Invalid);
            assert!(error.to_string().contains("0xf0"), "{error}");
        } else {
            assert_eq!(outcome.expect("encodes"), ids, "{text}");
        }
    }
}
