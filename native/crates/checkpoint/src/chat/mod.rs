//! Chat templates as transformers renders them: Jinja with trimmed blocks, `raise_exception`, `strftime_now`, Python's `tojson` and Python's methods.

mod python;
mod tojson;

use minijinja::{Environment, ErrorKind, UndefinedBehavior, Value, syntax::SyntaxConfig, value::Serde};
use moire_base::{Error, Result};
use serde_json::Map;
use std::collections::BTreeMap;

const PLACE: &str = "chat template";
/// Bounds time and memory of one rendering (about 64 bytes a unit); a conversation of a million characters needs a few hundred thousand.
const FUEL: u64 = 20_000_000;

/// The compiled chat template of a model.
#[derive(Debug)]
pub struct ChatTemplate {
    env: Environment<'static>,
    special: BTreeMap<String, String>,
}

impl ChatTemplate {
    /// Compiles `sources` by name (`default`, and `tool_use` for calls with tools). `special`: the special tokens that templates may name, such as `bos_token`.
    pub(crate) fn new(sources: &BTreeMap<String, String>, special: BTreeMap<String, String>) -> Result<Self> {
        let mut env = environment();
        for (name, source) in sources {
            env.add_template_owned(name.clone(), source.clone())
                .map_err(|e| Error::format(PLACE, format!("does not compile: {}", describe(&e))))?;
        }
        Ok(Self { env, special })
    }

    /// The text of a conversation. `messages`: a list of `{role, content, ...}`. `variables`: whatever else the template reads (`tools`, `enable_thinking`, ...).
    ///
    /// # Errors
    /// `Invalid` with the template's own words if it raises, or if it goes wrong or on for too long.
    pub fn render(
        &self,
        messages: &serde_json::Value,
        add_generation_prompt: bool,
        variables: &Map<String, serde_json::Value>,
    ) -> Result<String> {
        let tools = variables.get("tools").is_some_and(|t| !t.is_null());
        let template = self.template(tools)?;
        let context = self.context(messages, add_generation_prompt, variables);
        template.render(context).map_err(|e| Error::invalid("messages", describe(&e)))
    }

    fn template(&self, tools: bool) -> Result<minijinja::Template<'_, '_>> {
        let named = if tools { self.env.get_template("tool_use").ok() } else { None };
        let usual = || {
            self.env
                .get_template("default")
                .or_else(|_| self.env.templates().next().map(|(_, t)| t).ok_or(ErrorKind::TemplateNotFound.into()))
        };
        named.map_or_else(usual, Ok).map_err(|e: minijinja::Error| Error::invalid(PLACE, describe(&e)))
    }

    fn context(
        &self,
        messages: &serde_json::Value,
        add_generation_prompt: bool,
        variables: &Map<String, serde_json::Value>,
    ) -> Value {
        // transformers always passes these two, so that `tools is defined` is true in a template.
        let mut context: BTreeMap<&str, Value> =
            BTreeMap::from([("tools", Value::from(())), ("documents", Value::from(()))]);
        context.extend(self.special.iter().map(|(k, v)| (k.as_str(), Value::from(v.as_str()))));
        context.extend(variables.iter().map(|(k, v)| (k.as_str(), Value::from(Serde(v)))));
        context.insert("messages", Value::from(Serde(messages)));
        context.insert("add_generation_prompt", Value::from(add_generation_prompt));
        Value::from_pairs(context)
    }
}

fn environment() -> Environment<'static> {
    let mut env = Environment::new();
    // The delimiters are the usual ones, so that building the syntax cannot fail.
    if let Ok(syntax) = SyntaxConfig::builder().trim_blocks(true).lstrip_blocks(true).build() {
        env.set_syntax(syntax);
    }
    env.set_undefined_behavior(UndefinedBehavior::Lenient);
    env.set_auto_escape_callback(|_| minijinja::AutoEscape::None);
    env.set_unknown_method_callback(minijinja_contrib::pycompat::unknown_method_callback);
    env.set_fuel(Some(FUEL));
    env.add_filter("tojson", tojson::tojson);
    env.add_function("raise_exception", raise_exception);
    env.add_function("strftime_now", python::strftime_now);
    env
}

fn raise_exception(message: String) -> std::result::Result<Value, minijinja::Error> {
    Err(minijinja::Error::new(ErrorKind::InvalidOperation, message))
}

/// The words of an error and its line; the kind alone says little.
fn describe(error: &minijinja::Error) -> String {
    let what = error.detail().map_or_else(|| error.kind().to_string(), str::to_owned);
    error.line().map_or(what.clone(), |line| format!("{what} (line {line} of the chat template)"))
}
