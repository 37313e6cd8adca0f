//! Ids, text and prefixes exactly as the reference tokenizers give them.

mod common;

use common::{golden, json};
use moire_checkpoint::Tokenizer;
use serde_json::Value;

const STYLES: [&str; 2] = ["qwen2-style", "qwen35-style"];

fn tokenizer(style: &str) -> Tokenizer {
    let bytes = std::fs::read(golden("tokenizers").join(style).join("tokenizer.json")).expect("read");
    Tokenizer::from_bytes(&bytes).unwrap_or_else(|e| panic!("{style}: {e}"))
}

fn cases(style: &str) -> Value {
    json(&golden("tokenizers").join(style).join("cases.json"))
}

fn ids(value: &Value) -> Vec<u32> {
    value.as_array().expect("ids").iter().map(|v| v.as_u64().expect("an id") as u32).collect()
}

fn text(value: &Value) -> &str {
    value.as_str().expect("a text")
}

fn list<'a>(value: &'a Value, key: &str) -> &'a Vec<Value> {
    value[key].as_array().unwrap_or_else(|| panic!("no list {key}"))
}

#[test]
fn ids_and_texts_are_exact() {
    for style in STYLES {
        let (t, file) = (tokenizer(style), cases(style));
        assert_eq!(t.size() as u64, file["vocab_size"].as_u64().expect("a size"));
        assert_eq!(list(&file, "cases").len(), 65);
        for case in list(&file, "cases") {
            let name = format!("{style} {}", case["name"]);
            let want = ids(&case["ids"]);
            assert_eq!(t.encode(text(&case["text"]), true).expect("encodes"), want, "{name}");
            assert_eq!(t.decode(&want, false).expect("decodes"), text(&case["decoded"]), "{name}");
            assert_eq!(t.decode(&want, true).expect("decodes"), text(&case["decoded_skip_special"]), "{name}");
            let tokens: Vec<String> = want.iter().map(|id| t.token(*id).expect("a token")).collect();
            assert_eq!(tokens, list(case, "tokens").iter().map(text).collect::<Vec<_>>(), "{name}");
        }
    }
}

#[test]
fn every_prefix_decodes_as_the_reference() {
    for style in STYLES {
        let (t, file) = (tokenizer(style), cases(style));
        let mut prefixes = 0;
        for case in list(&file, "cases") {
            let all = ids(&case["ids"]);
            let Some(want) = case["decoded_prefixes"].as_array() else { continue };
            for (n, want) in want.iter().enumerate() {
                assert_eq!(t.decode(&all[..=n], false).expect("decodes"), text(want), "{style} {} {n}", case["name"]);
                prefixes += 1;
            }
        }
        assert!(prefixes > 300, "{style}: {prefixes}");
    }
}

#[test]
fn broken_sequences_become_replacement_characters() {
    for style in STYLES {
        let (t, file) = (tokenizer(style), cases(style));
        assert_eq!(list(&file, "decode_of_broken_sequences").len(), 11);
        for case in list(&file, "decode_of_broken_sequences") {
            assert_eq!(
                t.decode(&ids(&case["ids"]), false).expect("decodes"),
                text(&case["decoded"]),
                "{style} {}",
                case["what"]
            );
        }
    }
}

#[test]
fn unused_rows_decode_as_nothing() {
    let t = tokenizer("qwen35-style");
    let hello = t.encode("Hello", true).expect("encodes");
    let mut with_unused = hello.clone();
    with_unused.insert(0, t.size() as u32);
    with_unused.push(u32::MAX);
    assert_eq!(t.decode(&with_unused, false).expect("decodes"), "Hello");
    let pieces = t.pieces(&with_unused).expect("pieces");
    assert_eq!(
        (pieces.len(), pieces.first().map(String::as_str), pieces.concat().as_str()),
        (hello.len() + 2, Some(""), "Hello")
    );
    assert_eq!(
        (t.token(u32::MAX), t.id("<|im_end|>").and_then(|id| t.token(id)).as_deref()),
        (None, Some("<|im_end|>"))
    );
}

/// Truncation and padding of training time must not reach the ids.
#[test]
fn nothing_is_cut_or_padded() {
    let mut value = json(&golden("tokenizers/qwen2-style/tokenizer.json"));
    value["truncation"] =
        serde_json::json!({"direction": "Right", "max_length": 4, "strategy": "LongestFirst", "stride": 0});
    value["padding"] = serde_json::json!({"strategy": {"Fixed": 64}, "direction": "Right", "pad_to_multiple_of": null, "pad_id": 0, "pad_type_id": 0, "pad_token": "!"});
    let changed = Tokenizer::from_bytes(value.to_string().as_bytes()).expect("opens");
    let words = "one two three four five six seven eight";
    assert_eq!(changed.encode(words, true), tokenizer("qwen2-style").encode(words, true));
}

/// Long runs of one kind of character must not exhaust the pattern matcher: it would go on with wrong pieces and say nothing.
#[test]
fn long_runs_are_split_as_short_ones() {
    for style in STYLES {
        let t = tokenizer(style);
        for unit in [" ", "\n", " \n", "a", "1", "\u{e9}", "!", "\u{4f60}"] {
            let text = unit.repeat(100_000);
            let ids = t.encode(&format!("{text}x"), true).expect("encodes");
            assert_eq!(t.decode(&ids, false).expect("decodes"), format!("{text}x"), "{style} {unit:?}");
            let short = t.encode(&format!("{}x", unit.repeat(1000)), true).expect("encodes");
            assert!(
                ids.len().abs_diff(100 * short.len()) <= 200,
                "{style} {unit:?}: {} ids, {} for a hundredth",
                ids.len(),
                short.len()
            );
        }
    }
}
