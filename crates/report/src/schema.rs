//! The JSON Schema of the findings, for tools that read them.
//!
//! It is derived from the types that are written, in draft 2020-12. Fields may be added within a
//! version, so objects may have more than it names; what it names is there and as it says.

use crate::findings::Findings;
use schemars::generate::SchemaSettings;

/// The name of this version of the schema; the text is `schemas/proofmark-1.schema.json`.
const ID: &str = "urn:proofmark:schema:1";

/// One document, with a newline at its end.
pub fn schema() -> Result<String, serde_json::Error> {
    let settings = SchemaSettings::draft2020_12().for_serialize();
    let mut schema = settings.into_generator().into_root_schema_for::<Findings>();
    schema.insert("$id".into(), ID.into());
    let mut text = serde_json::to_string_pretty(&schema)?;
    text.push('\n');
    Ok(text)
}
