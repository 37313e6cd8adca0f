//! Conversations rendered as transformers renders them, from real folders.

mod common;

use common::{folder_with_config, golden, json, open};
use moire_base::Status;
use moire_checkpoint::Checkpoint;
use serde_json::{Map, Value, json as j};
use std::path::Path;
use tempfile::TempDir;

/// A model folder with the given companion files beside small weights.
fn model_with(companions: &[(&str, String)]) -> (TempDir, Checkpoint) {
    let weights = golden("models/qwen35-mini-b4g64");
    let dir = folder_with_config(&json(&weights.join("config.json")), &weights);
    for (name, content) in companions {
        std::fs::write(dir.path().join(name), content).expect("written");
    }
    let model = open(dir.path()).expect("opens");
    (dir, model)
}

fn read(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
}

fn render(model: &Checkpoint, messages: Value, variables: Value) -> moire_base::Result<String> {
    let variables = variables.as_object().expect("an object").clone();
    model.chat.as_ref().expect("a template").render(&messages, true, &variables)
}

/// The template from `chat_template.jinja` and the same one from the tokenizer config.
#[test]
fn golden_conversations_are_exact() {
    for style in ["qwen2-style", "qwen35-style"] {
        let folder = golden("tokenizers").join(style);
        let file = |name: &str| (name.to_owned(), read(&folder.join(name)));
        for names in [vec!["tokenizer.json", "tokenizer_config.json"], vec!["tokenizer.json", "chat_template.jinja"]] {
            let files: Vec<(String, String)> = names.iter().map(|n| file(n)).collect();
            let files: Vec<(&str, String)> = files.iter().map(|(n, c)| (n.as_str(), c.clone())).collect();
            let (_dir, model) = model_with(&files);
            let (chat, tokenizer) = (model.chat.expect("a template"), model.tokenizer.expect("a tokenizer"));
            let cases = json(&folder.join("chat.json"));
            let cases = cases["cases"].as_array().expect("cases");
            assert_eq!(cases.len(), 6);
            for case in cases {
                let mut variables: Map<String, Value> = case["options"].as_object().expect("options").clone();
                let prompt = variables.remove("add_generation_prompt").and_then(|v| v.as_bool()).unwrap_or(false);
                let text = chat
                    .render(&case["messages"], prompt, &variables)
                    .unwrap_or_else(|e| panic!("{style} {}: {e}", case["name"]));
                assert_eq!(text, case["rendered"].as_str().expect("a text"), "{style} {}", case["name"]);
                let ids: Vec<u64> =
                    tokenizer.encode(&text, false).expect("encodes").into_iter().map(u64::from).collect();
                assert_eq!(j!(ids), case["ids"], "{style} {}", case["name"]);
            }
        }
    }
}

#[test]
fn a_template_speaks_for_itself() {
    let folder = golden("tokenizers/qwen35-style");
    let (_dir, model) = model_with(&[("chat_template.jinja", read(&folder.join("chat_template.jinja")))]);
    let error = render(&model, j!([{"role": "user", "content": "a"}, {"role": "system", "content": "b"}]), j!({}))
        .expect_err("raises");
    assert_eq!(error.status, Status::Invalid);
    assert!(error.message.contains("a system message must come first"), "{error}");
}

#[test]
fn special_tokens_variables_and_python_reach_the_template() {
    let template = "{{ bos_token }}{% if tools is defined and tools is none %}N{% endif %}{{ date }} {{ messages[0].content.strip().upper() }}\n{% for x in [1, 2, 3] %}\n    {% if x == 2 %}{% continue %}{% endif %}\n{{ x }}{% endfor %}|{{ pad_token is defined }}|{{ none }}|{{ 1.0 }}|{{ strftime_now('%Y') | length }}";
    let config = j!({"bos_token": {"content": "<s>"}, "pad_token": null, "chat_template": template});
    let (_dir, model) = model_with(&[("tokenizer_config.json", config.to_string())]);
    let text = render(&model, j!([{"role": "user", "content": " hi "}]), j!({"date": "today"})).expect("renders");
    assert_eq!(text, "<s>Ntoday HI\n13|False|None|1.0|4");
}

#[test]
fn named_templates_are_chosen_by_tools() {
    let list =
        j!([{"name": "default", "template": "plain"}, {"name": "tool_use", "template": "tools: {{ tools | length }}"}]);
    let (_dir, model) = model_with(&[("tokenizer_config.json", j!({"chat_template": list}).to_string())]);
    assert_eq!(render(&model, j!([]), j!({})).as_deref(), Ok("plain"));
    assert_eq!(render(&model, j!([]), j!({"tools": []})).as_deref(), Ok("tools: 0"));
}

#[test]
fn a_broken_template_is_a_warning() {
    let (_dir, model) = model_with(&[("chat_template.jinja", "{% if %}".to_owned())]);
    assert!(model.chat.is_none());
    assert!(
        model.summary.warnings.iter().any(|w| w.contains("chat template") && w.contains("does not compile")),
        "{:?}",
        model.summary.warnings
    );
}

#[test]
fn an_endless_template_is_stopped() {
    let template = "{% for a in range(100000) %}{% for b in range(100000) %}x{% endfor %}{% endfor %}";
    let (_dir, model) = model_with(&[("chat_template.jinja", template.to_owned())]);
    let error = render(&model, j!([]), j!({})).expect_err("stopped");
    assert!(error.message.contains("fuel"), "{error}");
}

#[test]
fn eos_is_the_union_of_three_sources() {
    let folder = golden("tokenizers/qwen35-style");
    let config = j!({"eos_token": "<a>"});
    let mut tokenizer = json(&folder.join("tokenizer.json"));
    let weights = golden("models/qwen35-mini-b4g64");
    let from_config = json(&weights.join("config.json"))["text_config"]["eos_token_id"].as_u64().expect("an id") as u32;
    tokenizer["added_tokens"] = j!([{"id": 5, "content": "<a>", "special": true, "normalized": false, "single_word": false, "lstrip": false, "rstrip": false}]);
    tokenizer["model"]["vocab"] = j!({"a": 0, "<a>": 5});
    tokenizer["model"]["merges"] = j!([]);
    let files = [
        ("generation_config.json", j!({"eos_token_id": [7, 3, 1000000]}).to_string()),
        ("tokenizer_config.json", config.to_string()),
        ("tokenizer.json", tokenizer.to_string()),
    ];
    let (dir, model) = model_with(&files);
    assert_eq!(model.config.eos, [7, 3, from_config, 5]);
    assert!(model.summary.warnings.iter().any(|w| w.contains("1000000")), "{:?}", model.summary.warnings);
    assert_eq!(common::inspect(dir.path()).expect("inspected").config.eos, model.config.eos);
}
